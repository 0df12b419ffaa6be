// Real databases for tests: a PostgreSQL and a Redis of this machine, each on a free port of the loopback and in a
// temporary folder, which is removed at the end.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Redis } from 'ioredis';
import pg from 'pg';

/** How often a server is started before that is given up. */
const MOST_STARTS = 3;

/** A port on which nobody listens. */
export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
  });

/** The folder of the newest PostgreSQL, as Debian installs it. */
function postgresBin() {
  const home = '/usr/lib/postgresql';
  const versions = existsSync(home) ? readdirSync(home) : [];
  const [newest] = versions.sort((a, b) => Number(b) - Number(a));
  // Elsewhere they are on the PATH.
  return newest === undefined ? '' : path.join(home, newest, 'bin');
}

/** PostgreSQL refuses to run as root. */
function postgresUser() {
  if (process.getuid() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  );
  return { uid, gid };
}

async function until(what, child, isReady) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  for (let tries = 0; tries < 1_200; tries++) {
    if (child.exitCode !== null) break;
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill('SIGKILL');
  throw new Error(`${what} does not start:\n${output}`);
}

const ended = (child) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', resolve));

/** Whether somebody listens and the check is content. */
const answers = async (check) => {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
};

/**
 * Starts a server on a free port. Another program can take the port in between, so it is tried again.
 *
 * @param {string} what its name
 * @param {(port: number) => import('node:child_process').ChildProcess} start
 * @param {(port: number) => Promise<void>} check connects to it
 */
async function serverOnFreePort(what, start, check) {
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const child = start(port);
    try {
      await until(what, child, () => answers(() => check(port)));
      return { child, port };
    } catch (error) {
      await ended(child);
      if (tries === MOST_STARTS) throw error;
    }
  }
}

/** Starts a PostgreSQL. `check` connects to it. */
export async function startPostgres(check) {
  const folder = mkdtempSync(path.join(tmpdir(), 'claims-postgres-'));
  const user = postgresUser();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const bin = postgresBin();
  const data = path.join(folder, 'data');
  const initArgs = [
    ...['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--no-sync', '--encoding', 'UTF8'],
  ];
  execFileSync(path.join(bin, 'initdb'), initArgs, { stdio: 'pipe', cwd: folder, ...user });
  const args = (port) => [
    ...['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', folder],
    ...['-c', 'fsync=off', '-c', 'max_connections=50'],
  ];
  const urlOf = (port) => `postgres://postgres@127.0.0.1:${port}/postgres`;
  const { child, port } = await serverOnFreePort(
    'PostgreSQL',
    (port) => spawn(path.join(bin, 'postgres'), args(port), { cwd: folder, ...user }),
    (port) => check(urlOf(port)),
  );
  return {
    url: urlOf(port),
    stop: async () => {
      // It waits for clients that are about to leave: one that is closed by the server reports that as an error. Then it
      // closes what is still open.
      child.kill('SIGTERM');
      const timers = [
        setTimeout(() => child.kill('SIGINT'), 500),
        setTimeout(() => child.kill('SIGKILL'), 5_500),
      ];
      await ended(child);
      timers.forEach(clearTimeout);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a Redis. `check` connects to it. */
export async function startRedis(check) {
  const folder = mkdtempSync(path.join(tmpdir(), 'claims-redis-'));
  const args = (port) => [
    ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder],
    ...['--appendonly', 'yes', '--save', ''],
  ];
  const urlOf = (port) => `redis://127.0.0.1:${port}`;
  const { child, port } = await serverOnFreePort(
    'Redis',
    (port) => spawn('redis-server', args(port), { cwd: folder }),
    (port) => check(urlOf(port)),
  );
  return {
    url: urlOf(port),
    stop: async () => {
      child.kill('SIGTERM');
      await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Connects and asks. */
export async function pingPostgres(url) {
  const client = new pg.Client(url);
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end().catch(() => {});
  }
}

export async function pingRedis(url) {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}
