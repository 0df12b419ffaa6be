// Makes the project of a case, runs the tools in it, opens what they made, and says what was seen.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

import { read } from '../support/markdown.mjs';
import { environment, freePort, run } from '../support/process.mjs';
import { forms } from './cases.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Where `node tests/setup.mjs matrix` installs the tools. */
export const tools = here;

/** The process groups that still run. Whatever happens, nothing outlives this process. */
const groups = new Set();
function end(pid) {
  groups.delete(pid);
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
/** The stages that are still there. */
const stages = new Set();
function removeStage(folder) {
  stages.delete(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.once('exit', () => {
  [...groups].forEach(end);
  [...stages].forEach(removeStage);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** What one case has started; all of it ends with the case. */
class Scope {
  #ends = [];
  #closed = false;
  defer(work) {
    if (this.#closed) work();
    else this.#ends.push(work);
  }
  async close() {
    this.#closed = true;
    for (const work of this.#ends.reverse()) await work();
  }
}

/**
 * The folder of all projects, outside of the checkout so that no package of it is in reach.
 *
 * @param {string} tarball the package
 * @param {string} tools a folder with a `node_modules` that has the tools
 * @param {boolean} linked whether the projects need these packages in reach, as frameworks are
 */
export async function makeStage(tarball, tools, linked) {
  const top = mkdtempSync(path.join(tmpdir(), 'tool-approval-guard-matrix-'));
  stages.add(top);
  const folder = path.join(top, 'projects');
  const modules = path.join(folder, 'node_modules');
  mkdirSync(folder);
  if (linked) {
    // Tools look for the top of a project by its lock file.
    for (const name of ['package.json', 'package-lock.json']) {
      cpSync(path.join(tools, name), path.join(folder, name));
    }
    // As links, since copying a gigabyte takes minutes; between file systems that is not possible.
    const from = path.join(tools, 'node_modules');
    const { code } = await run('cp', ['-al', from, modules], { may: true });
    if (code !== 0) {
      rmSync(modules, { recursive: true, force: true });
      await run('cp', ['-a', from, modules]);
    }
  }
  const installed = path.join(modules, 'tool-approval-guard');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const { version } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
  return {
    folder,
    /** What a tool keeps for itself. */
    home: path.join(top, 'home'),
    tools: linked ? folder : tools,
    version,
    modules: modulesOf(installed),
    close: () => removeStage(top),
  };
}

/** The text of the WebAssembly module of each entry, by the name of the module: no other text of an entry is as long. */
const modulesOf = (installed) =>
  new Map(
    readdirSync(installed)
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => {
        const [, , text] =
          /(["'`])([^"'`\\]{10000,})\1/.exec(readFileSync(path.join(installed, name), 'latin1')) ?? [];
        return text === undefined ? [] : [[name === 'sync.js' ? 'guard' : path.basename(name, '.js'), text]];
      }),
  );

/** The version of a tool, as it is installed. */
export const versionOf = (tools, name) =>
  name === 'node'
    ? process.versions.node
    : JSON.parse(readFileSync(path.join(tools, 'node_modules', name, 'package.json'), 'utf8')).version;

/** The version of a tool that the lock file of the matrix names. */
export function versionInLock(name) {
  const { packages } = JSON.parse(readFileSync(path.join(tools, 'package-lock.json'), 'utf8'));
  return packages[`node_modules/${name}`].version;
}

/** Programs that are packed as one binary for each machine; their own scripts would try to download it. */
const native = { bun: ['@oven', 'bin/bun'], deno: ['@deno', 'deno'] };

function program(tools, name) {
  if (name === 'node') return process.execPath;
  const modules = path.join(tools, 'node_modules');
  if (name in native) {
    const [scope, file] = native[name];
    const found = readdirSync(path.join(modules, scope)).map((one) => path.join(modules, scope, one, file));
    const [first] = found.filter(existsSync);
    if (!first) throw new Error(`There is no ${name} for this machine.`);
    return first;
  }
  if (!existsSync(path.join(modules, name))) return name;
  const { bin } = JSON.parse(readFileSync(path.join(modules, name, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : (bin[name] ?? Object.values(bin)[0]);
  return path.join(modules, name, file);
}

/** What a tool says that is a complaint: lines about warnings and errors. */
const complaintsIn = (output) =>
  stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => /\b(warn(ing)?s?|errors?|deprecat\w+)\b/i.test(line))
    .map((line) => line.trim());

function start(scope, project, { tools, home }, [name, ...args]) {
  const child = spawn(program(tools, name), args, {
    cwd: project,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment({
      // What a tool keeps goes with the stage; and none of them calls anybody.
      ...{ HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, CI: '1', NO_COLOR: '1' },
      ...{
        FORCE_COLOR: undefined,
        NODE_ENV: undefined,
        NODE_OPTIONS: undefined,
        NODE_TEST_CONTEXT: undefined,
      },
      ...{ NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false', PARCEL_WORKERS: '1' },
      ...{ DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1' },
    }),
  });
  const heard = { output: '', stdout: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    heard.output += text;
    heard.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => (heard.output += text));
  const ended = once(child, 'close').then(([code]) => code);
  // A caller that waits for it hears of a program that cannot be started; nobody has to wait.
  ended.catch(() => {});
  if (child.pid !== undefined) {
    groups.add(child.pid);
    scope.defer(() => {
      end(child.pid);
      return ended;
    });
  }
  return { heard, ended };
}

const sayHow = (command, { output }) => {
  // Programs quote the line that failed, and in a built file a line is all of it.
  const lines = output.trimEnd().split('\n').slice(-60);
  return [command.join(' '), ...lines.map((line) => line.slice(0, 300))].join('\n');
};

async function finish(scope, project, stage, command) {
  const { heard, ended } = start(scope, project, stage, command);
  const code = await ended;
  if (code !== 0) throw new Error(`It ended with ${code}: ${sayHow(command, heard)}`);
  return heard;
}

/** Starts a server and waits until it answers. */
async function serveBy(scope, project, stage, command) {
  const port = await freePort();
  const filled = command.map((word) => word.replace('{port}', String(port)));
  const { heard, ended } = start(scope, project, stage, filled);
  let over = false;
  ended.then(
    () => (over = true),
    () => (over = true),
  );
  const address = `http://127.0.0.1:${port}`;
  for (;;) {
    if (over) throw new Error(`The server ended: ${sayHow(filled, heard)}`);
    try {
      await fetch(address, { signal: AbortSignal.timeout(5000) });
      return { address, heard };
    } catch {
      await wait(100);
    }
  }
}

const kinds = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves a built page under a Content-Security-Policy. */
async function serveFolder(scope, folder, policy) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    try {
      const body = readFileSync(
        path.join(folder, pathname === '/' ? 'index.html' : path.normalize(pathname)),
      );
      const kind = kinds[path.extname(pathname === '/' ? '.html' : pathname)] ?? 'application/octet-stream';
      const type = pathname === '/' ? 'text/html' : kind;
      response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  scope.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

/** Opens a page, and collects its complaints on the console and the files that it loads. */
async function visit(scope, browser, address) {
  const tab = await browser.newPage();
  scope.defer(() => tab.close());
  const complaints = [];
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  tab.on('pageerror', (error) => complaints.push(String(error)));
  const loaded = [];
  tab.on('response', (response) => {
    const name = new URL(response.url()).pathname;
    const body = response.body().then(
      (bytes) => ({ name, bytes }),
      () => undefined,
    );
    if (response.ok()) loaded.push(body);
  });
  await tab.goto(address);
  return { tab, complaints, files: async () => (await Promise.all(loaded)).filter((file) => file) };
}

/** What a page answers. */
async function open(scope, browser, address) {
  const { tab, complaints, files } = await visit(scope, browser, address);
  try {
    await tab.waitForFunction(() => document.getElementById('answer')?.textContent.trim().startsWith('{'), {
      timeout: 30_000,
    });
  } catch (cause) {
    throw new Error(`The page does not get to its end.\n${complaints.join('\n')}`, { cause });
  }
  const value = JSON.parse(await tab.textContent('#answer'));
  return { value, complaints, files: await files() };
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((name) => statSync(name).isFile() && !name.endsWith('.map'))
    .map((name) => ({ name, bytes: readFileSync(name) }));

const timesIn = (text, part) => text.split(part).length - 1;

/** How often the text of each module is in the files of a tool. */
function modulesIn(files, modules) {
  const seen = {};
  for (const { bytes } of files) {
    const text = bytes.toString('latin1');
    for (const [name, module] of modules) {
      const times = timesIn(text, module);
      if (times > 0) seen[name] = (seen[name] ?? 0) + times;
    }
  }
  return seen;
}

function answerOf(stdout) {
  const line = stdout.split('\n').find((line) => line.startsWith('{'));
  assert.ok(line, `Nothing was answered: ${stdout}`);
  return JSON.parse(line);
}

/** The looks at what the tools made. Each says what it saw. */
const looks = {
  /** A page that was built, served under a policy. */
  page: async (given, { scope, project, browser }) => {
    const address = await serveFolder(scope, path.join(project, given.folder), given.policy);
    return open(scope, browser, address);
  },
  /** A page of the tool's own server. */
  served: async ({ path: where = '/' }, { scope, browser, server }) =>
    open(scope, browser, server.address + where),
  /** Whether a page of the tool's own server comes to show what is looked for. */
  shown: async ({ path: where, selector }, { scope, browser, server }) => {
    const { tab, complaints, files } = await visit(scope, browser, server.address + where);
    await tab.waitForSelector(selector, { timeout: 30_000 });
    return { value: selector, complaints, files: await files() };
  },
  /** What the tool's own server answers as JSON. */
  fetched: async ({ path: where }, { server }) => {
    const response = await fetch(server.address + where);
    return { value: await response.json(), complaints: [] };
  },
  /** What a program prints. */
  printed: async ({ command }, { scope, project, stage }) => {
    const { output, stdout } = await finish(scope, project, stage, command);
    return { value: answerOf(stdout), complaints: complaintsIn(output.replace(/^\{.*\}$/gm, '')) };
  },
};

/**
 * Makes the project of a case: an empty one, with the scene, the form that is asked for, what the tool needs, and the
 * files of a guide.
 */
function makeProject(stage, { name, form, project, guide = [] }) {
  const folder = path.join(stage.folder, name);
  cpSync(path.join(here, 'scene'), folder, { recursive: true });
  cpSync(path.join(here, 'forms', `${forms[form].entry}.js`), path.join(folder, 'answer.js'));
  for (const part of project) cpSync(path.join(here, 'projects', part), folder, { recursive: true });
  for (const { document, block, file = block } of guide) {
    const { blocks } = read(
      document,
      path.join(stage.folder, 'node_modules', 'tool-approval-guard', document),
    );
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, blocks.find((one) => one.file === block).code);
  }
  const dependencies = { 'tool-approval-guard': stage.version };
  const described = { name, private: true, type: 'module', dependencies };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
  return folder;
}

async function attempt(scope, test, stage, browser) {
  const project = makeProject(stage, test);
  const complaints = [];
  for (const command of test.steps ?? []) {
    const { output } = await finish(scope, project, stage, command);
    complaints.push(...complaintsIn(output));
  }
  const server = test.server && (await serveBy(scope, project, stage, test.server));
  let loaded = [];
  for (const look of test.looks) {
    const seen = await looks[look.kind](look, { scope, project, stage, browser, server });
    assert.deepEqual(seen.value, look.value ?? look.selector ?? forms[test.form].value);
    if (!look.complains) complaints.push(...seen.complaints);
    loaded = loaded.concat(seen.files ?? []);
  }
  if (server) complaints.push(...complaintsIn(server.heard.output));
  const tolerated = (line) => (test.tolerates ?? []).some((pattern) => pattern.test(line));
  assert.deepEqual(
    complaints.filter((line) => !tolerated(line)),
    [],
  );
  const files = test.output ? filesIn(path.join(project, test.output)) : loaded;
  // What a program loads by itself cannot be seen.
  if (files.length === 0) return {};
  assert.deepEqual(modulesIn(files, stage.modules), test.modules ?? forms[test.form].modules);
  return { bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}

/**
 * Runs one case; whatever it has started ends with it.
 *
 * @returns {Promise<{ bytes?: number }>} how much the tool put out
 */
export async function runCase(test, stage, browser) {
  const scope = new Scope();
  const seconds = test.seconds ?? 120;
  const late = new AbortController();
  try {
    return await Promise.race([
      attempt(scope, test, stage, browser),
      wait(seconds * 1000, undefined, { signal: late.signal }).then(() => {
        throw new Error(`It was not done after ${seconds} s.`);
      }),
    ]);
  } finally {
    late.abort();
    await scope.close();
  }
}
