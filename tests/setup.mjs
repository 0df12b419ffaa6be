// Brings a machine to where the project can be built, tested or shown: `node tests/setup.mjs
// build|test|demo|bench|fuzz|matrix|browsers`. Uses nothing but Node itself, because it runs before `npm ci`. Every step
// looks first and installs only what is missing. Programs, npm packages and system packages are installed beside each other.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  firefoxPath,
  geckodriverPath,
  miniBrowserPath,
  webkitDriverPath,
  xdotoolPath,
  xvfbPath,
} from './support/browsers.mjs';
import { chromedriverPath, chromiumPath } from './support/chromium.mjs';
import { environment, python, pythonIsComplete, requirements } from './support/python.mjs';
import { CommandError, findProgram, root, run, since } from './support/process.mjs';
import { bindgenPin, rustMinimum, versionOf, wasmTarget } from './support/toolchain.mjs';

/** What a person has to do, in one sentence. */
class Missing extends Error {}

const isRoot = process.getuid?.() === 0;

/** Installs, and says what to do by hand when that fails. */
const install = (sentence, ...commands) => installWith({}, sentence, ...commands);

async function installWith(env, sentence, ...commands) {
  for (const [command, ...args] of commands) {
    try {
      await run(command, args, { env: { DEBIAN_FRONTEND: 'noninteractive', ...env } });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      console.error(error.result.output.trimEnd().split('\n').slice(-15).join('\n'));
      throw new Missing(sentence);
    }
  }
}

/** The lists of packages, which are read once. @type {Promise<void> | undefined} */
let lists;
/** What apt does now: it refuses to run twice at a time. @type {Promise<unknown>} */
let installing = Promise.resolve();

async function apt(what, ...packages) {
  const command = `apt-get install -y ${packages.join(' ')}`;
  const sentence = `${what} is missing: run \`${command}\` as root, or install it in another way.`;
  if (!isRoot || !findProgram('apt-get')) throw new Missing(sentence);
  const before = installing;
  const done = (async () => {
    await before.catch(() => {});
    await (lists ??= install(sentence, ['apt-get', 'update', '-q']));
    await install(sentence, ['apt-get', 'install', '-y', '-q', '--no-install-recommends', ...packages]);
  })();
  installing = done;
  await done;
}

const older = (version, minimum) => {
  const [a, b] = [version, minimum].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  return a[0] !== b[0] ? a[0] < b[0] : (a[1] ?? 0) < (b[1] ?? 0);
};

/**
 * Programs that cargo installs. What is there is enough, unless the version has to be exact. They are compiled with one
 * folder for what they share, and not optimized: to optimize them takes longer than they ever run here.
 *
 * @param {{ program: string, crate?: string, version: string, exact?: boolean }[]} programs
 */
async function cargoPrograms(...programs) {
  const found = await Promise.all(
    programs.map(async (one) => {
      const there = await versionOf(one.program);
      const isEnough = there === one.version || (there !== undefined && !one.exact);
      return { crate: one.program, ...one, there, isEnough };
    }),
  );
  const missing = found.filter(({ isEnough }) => !isEnough);
  if (missing.length === 0) return found.map(({ there }) => there).join(', ');
  const crates = missing.map(({ crate, version }) => `${crate}@${version}`);
  const command = ['cargo', 'install', '--force', ...crates];
  const why = missing
    .map(({ program, there, version }) =>
      there ? `${program} is ${there} and not ${version}` : `${program} is missing`,
    )
    .join(', ');
  console.log(`  ${why}: ${command.join(' ')}, a minute or two`);
  const quick = { CARGO_PROFILE_RELEASE_OPT_LEVEL: '0', CARGO_PROFILE_RELEASE_DEBUG: '0' };
  const shared = { CARGO_TARGET_DIR: path.join(root, 'target', 'programs') };
  await installWith({ ...quick, ...shared }, `${why}: run \`${command.join(' ')}\`.`, command);
  for (const { program, version } of missing) {
    if ((await versionOf(program)) === version) continue;
    throw new Missing(`${program} ${version} is installed and not the first on the PATH: put it there.`);
  }
  return `${crates.join(', ')}, installed`;
}

async function rustComponent(component, command) {
  const { code, stdout } = await run('cargo', [command, '--version'], { may: true });
  if (code === 0) return stdout.trim().split(' ')[1];
  await install(`${component} is missing: run \`rustup component add ${component}\`.`, [
    'rustup',
    'component',
    'add',
    component,
  ]);
  return 'installed';
}

/** Is what `npm ci` would install already there? By content: a checkout changes the times of files. */
function npmIsComplete(folder) {
  const installed = path.join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(installed, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([where, { version, integrity, optional, peer }]) =>
      where === '' ||
      ((optional || peer) && !present[where]) ||
      (present[where]?.version === version && present[where]?.integrity === integrity),
  );
}

/** The packages of the lock file in a folder. */
async function npmPackages(folder, ...args) {
  if (npmIsComplete(folder)) return 'up to date';
  const command = ['npm', 'ci', '--no-audit', '--no-fund', ...args, '--prefix', folder];
  const where = path.relative(root, path.join(folder, 'package-lock.json'));
  await install(`The packages of ${where} could not be installed: run \`${command.join(' ')}\`.`, command);
  return 'installed';
}

const wasmBindgen = { program: 'wasm-bindgen', crate: 'wasm-bindgen-cli', version: bindgenPin, exact: true };
const wasmPack = { program: 'wasm-pack', version: '0.15.1' };

/** Name, and what it does; the answer is what stands behind the name on the line of the step. */
const steps = {
  rust: async () => {
    const version = await versionOf('cargo');
    if (!version || !(await versionOf('rustc'))) {
      throw new Missing(`Rust is missing: install ${rustMinimum} or newer with rustup (https://rustup.rs).`);
    }
    if (older(version, rustMinimum)) {
      throw new Missing(
        `Rust ${rustMinimum} or newer is needed, and this is ${version}: run \`rustup update stable\`.`,
      );
    }
    return version;
  },
  linker: async () => {
    if (findProgram('cc')) return 'cc';
    await apt('A C linker, which Rust needs,', 'gcc', 'libc6-dev');
    return 'installed';
  },
  target: async () => {
    const args = ['--print', 'target-libdir', '--target', wasmTarget];
    const { code, stdout } = await run('rustc', args, { may: true });
    if (code === 0 && existsSync(stdout.trim())) return wasmTarget;
    const sentence = `The target ${wasmTarget} is missing: run \`rustup target add ${wasmTarget}\`.`;
    await install(sentence, ['rustup', 'target', 'add', wasmTarget]);
    return `${wasmTarget}, installed`;
  },
  'wasm-bindgen': () => cargoPrograms(wasmBindgen),
  'wasm-bindgen, wasm-pack': () => cargoPrograms(wasmBindgen, wasmPack),
  rustfmt: () => rustComponent('rustfmt', 'fmt'),
  clippy: () => rustComponent('clippy', 'clippy'),
  // What the fuzzer itself is compiled with.
  'c++': async () => {
    if (findProgram('c++')) return 'c++';
    await apt('A C++ compiler, which libFuzzer needs,', 'g++');
    return 'installed';
  },
  'cargo-fuzz': () => cargoPrograms({ program: 'cargo-fuzz', version: '0.13.2' }),
  npm: () => npmPackages(root),
  // What only the tests of the registry need: the CLI of shadcn, and AI Elements with what its components need.
  'ai-elements packages': () => npmPackages(path.join(root, 'tests', 'ai-elements'), '--ignore-scripts'),
  // A lock file of its own: the bundlers and runtimes take a gigabyte, and only the matrix needs them. What they would do
  // when they are installed is to load binaries, and those come as packages.
  'matrix tools': () => npmPackages(path.join(root, 'tests', 'matrix'), '--ignore-scripts'),
  chromium: async () => {
    if (chromiumPath() && chromedriverPath()) return chromiumPath();
    await apt('Chromium or its driver', 'chromium', 'chromium-driver', 'fonts-liberation');
    if (!chromiumPath() || !chromedriverPath()) {
      throw new Missing('Chromium and chromedriver are installed and not on the PATH: put them there.');
    }
    return `${chromiumPath()}, installed`;
  },
  // The package has programs in Python. A minimal Python has no standard library.
  python3: async () => {
    const hasLibrary = async () => (await run('python3', ['-c', 'import json'], { may: true })).code === 0;
    if (await hasLibrary()) return 'python3';
    await apt('Python with its standard library', 'python3');
    if (!(await hasLibrary())) {
      throw new Missing('Python is installed, and the python3 that is first on the PATH has no module json.');
    }
    return 'installed';
  },
  // Debian puts the programs of each version of PostgreSQL into a folder of its own.
  postgresql: async () => {
    const isThere = () => existsSync('/usr/lib/postgresql') || Boolean(findProgram('initdb'));
    if (isThere()) return 'postgresql';
    await apt('PostgreSQL', 'postgresql');
    if (!isThere()) throw new Missing('PostgreSQL is installed and not found: put initdb on the PATH.');
    return 'installed';
  },
  // What the example backend in Python requires. Debian has what creates environments in a package of its own.
  'python packages': async () => {
    if (await pythonIsComplete()) return 'up to date';
    const { code } = await run('python3', ['-c', 'import ensurepip, venv'], { may: true });
    if (code !== 0) await apt('What creates environments for Python', 'python3-venv');
    const create = ['python3', '-m', 'venv', '--clear', environment];
    const fill = [python, '-m', 'pip', 'install', '--quiet', '--requirement', requirements];
    await install(
      `The packages for Python could not be installed: run \`${create.join(' ')}\` and \`${fill.join(' ')}\`.`,
      ...[create, fill],
    );
    return 'installed';
  },
  redis: async () => {
    if (findProgram('redis-server')) return findProgram('redis-server');
    await apt('Redis', 'redis-server');
    return 'installed';
  },
  firefox: async () => {
    if (firefoxPath()) return firefoxPath();
    await apt('Firefox', 'firefox-esr', 'fonts-liberation');
    if (!firefoxPath()) throw new Missing('Firefox is installed and not on the PATH: put it there.');
    return `${firefoxPath()}, installed`;
  },
  geckodriver: async () => {
    if (geckodriverPath()) return geckodriverPath();
    return cargoPrograms({ program: 'geckodriver', version: '0.37.1' });
  },
  webkit: async () => {
    const programs = () => [webkitDriverPath(), miniBrowserPath(), xvfbPath(), xdotoolPath()];
    if (programs().every(Boolean)) return webkitDriverPath();
    // The display that the browser needs, what holds its pointer, and letters to show.
    await apt(
      'WebKitGTK, its driver, or a display for it',
      'webkit2gtk-driver',
      'xvfb',
      'xdotool',
      'fonts-liberation',
    );
    if (!programs().every(Boolean)) {
      throw new Missing(
        'WebKitWebDriver, MiniBrowser, Xvfb and xdotool are installed and not found: set their paths.',
      );
    }
    return `${webkitDriverPath()}, installed`;
  },
};

/** Steps that follow each other. Those of other lists run beside them. */
const rust = ['rust', 'linker', 'target'];
const goals = {
  build: [[...rust, 'wasm-bindgen'], ['npm']],
  demo: [[...rust, 'wasm-bindgen'], ['npm']],
  bench: [[...rust, 'wasm-bindgen'], ['npm'], ['chromium', 'postgresql', 'redis']],
  fuzz: [['rust', 'linker', 'c++', 'cargo-fuzz']],
  matrix: [[...rust, 'wasm-bindgen'], ['npm', 'matrix tools'], ['chromium']],
  test: [
    [...rust, 'rustfmt', 'clippy', 'wasm-bindgen, wasm-pack'],
    ['npm', 'ai-elements packages'],
    ['python3', 'python packages', 'chromium', 'postgresql', 'redis'],
  ],
  browsers: [[...rust, 'wasm-bindgen, wasm-pack', 'geckodriver'], ['npm'], ['chromium', 'firefox', 'webkit']],
};

/** @param {string} name @returns {Promise<boolean>} whether what the step is for is there */
async function take(name) {
  const start = performance.now();
  try {
    const answer = await steps[name]();
    console.log(`setup: ${name} ${answer} (${since(start)})`);
    return true;
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.error(`setup: ${error.message}`);
    return false;
  }
}

/**
 * @param {string} goal one of `build`, `test`, `demo`, `bench`, `fuzz`, `matrix`, `browsers`
 * @returns {Promise<boolean>} whether everything is there
 */
export async function setUp(goal) {
  const begin = performance.now();
  if (!(goal in goals)) {
    console.error(`setup: say one of ${Object.keys(goals).join(', ')}`);
    return false;
  }
  const complete = await Promise.all(
    goals[goal].map(async (names) => {
      for (const name of names) if (!(await take(name))) return false;
      return true;
    }),
  );
  if (!complete.every(Boolean)) return false;
  console.log(`setup: ready (${since(begin)})`);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!(await setUp(process.argv[2] ?? 'build'))) process.exitCode = 1;
}
