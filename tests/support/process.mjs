// Running other programs so that one sees what they do and how long it takes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { getPriority, homedir, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the project. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

/** Where rustup and cargo put programs; often not on the PATH of a shell that is not interactive. */
export const cargoBin = path.join(process.env.CARGO_HOME ?? path.join(homedir(), '.cargo'), 'bin');

/** The environment for every program started here. */
export function environment(more = {}) {
  const places = [path.join(root, 'node_modules', '.bin'), process.env.PATH ?? ''];
  // In front: what setup.mjs installs is found there, and not an older one of the system.
  if (existsSync(cargoBin)) places.splice(1, 0, cargoBin);
  return { ...process.env, PATH: places.join(path.delimiter), ...more };
}

/** The full path of a program, or `undefined`. */
export function findProgram(name) {
  return environment()
    .PATH.split(path.delimiter)
    .map((place) => path.join(place, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return statSync(file).isFile();
      } catch {
        return false;
      }
    });
}

/** A port for a server that is to be started. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** Seconds since `start`, for people. */
export function since(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** A program that could not be started, or that ended with an error. */
export class CommandError extends Error {
  constructor(message, result) {
    super(message);
    this.name = 'CommandError';
    this.result = result;
  }
}

/** How long a program may say nothing before a line says that it still runs. */
export const SILENCE = 20_000;
/** A program that runs this one beside others says so itself. */
const isApart = process.env.TEST_RESULT !== undefined;

/**
 * Ends the group of a program after its limit, and with this process. Returns how to undo that.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} limitMs
 */
function limited(child, limitMs) {
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const stop = () => process.exit(1);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const timer = setTimeout(end, limitMs);
  process.once('exit', end);
  for (const signal of signals) process.once(signal, stop);
  return () => {
    clearTimeout(timer);
    process.off('exit', end);
    for (const signal of signals) process.off(signal, stop);
  };
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {Record<string, string | undefined>} [options.env] added to the environment
 * @param {boolean | ((text: string) => void)} [options.show] pass the output on while it comes, or tell it; without
 *   it a sign of life is printed when the program takes long
 * @param {number} [options.priority] how far it stands back behind other programs
 * @param {boolean} [options.may] a failure is an answer, not an error
 * @param {number} [options.limitMs] after which the program is ended, with all that it has started
 * @returns {Promise<{ code: number, output: string, stdout: string }>} `output` has both streams
 */
export function run(command, args, options = {}) {
  const { cwd = root, env = {}, show = false, may = false, priority = 0, limitMs } = options;
  const name = [path.basename(command), ...args].join(' ').slice(0, 100);
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(command, args, {
      cwd,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that nothing that it has started goes on.
      detached: limitMs !== undefined,
    });
    const unlimit = limitMs === undefined ? () => {} : limited(child, limitMs);
    if (priority > 0 && child.pid !== undefined) setPriority(child.pid, getPriority() + priority);
    let output = '';
    let stdout = '';
    let last = performance.now();
    const heartbeat = setInterval(() => {
      if (isApart || typeof show === 'function' || performance.now() - last < SILENCE) return;
      last = performance.now();
      console.log(`  … ${name}, still running after ${since(begin)}`);
    }, 1000);
    const hear = (stream, to, keep) => {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
        if (keep) stdout += text;
        if (show === true) {
          last = performance.now();
          to.write(text);
        } else if (show) show(text);
      });
    };
    hear(child.stdout, process.stdout, true);
    hear(child.stderr, process.stderr, false);
    child.on('error', (cause) => {
      clearInterval(heartbeat);
      unlimit();
      const result = { code: 127, output: String(cause), stdout: '' };
      if (may) resolve(result);
      else reject(new CommandError(`${name}: ${cause.message}`, result));
    });
    child.on('close', (status, signal) => {
      clearInterval(heartbeat);
      unlimit();
      const result = { code: status ?? 1, output, stdout };
      if (may || status === 0) return resolve(result);
      const how = signal ? `was ended by ${signal}` : `ended with ${status}`;
      const tail = show ? '' : `\n${output.trimEnd().split('\n').slice(-60).join('\n')}`;
      reject(new CommandError(`${name} ${how}${tail}`, result));
    });
  });
}
