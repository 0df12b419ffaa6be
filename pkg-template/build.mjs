// Builds the publishable package into pkg/: wasm, bindings, wasm-opt, one JavaScript file for each
// entry, types.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { root, run, since } from '../tests/support/process.mjs';
import { bindgenPin, crateVersion, libraryName, versionOf, wasmTarget } from '../tests/support/toolchain.mjs';

const begin = performance.now();
const bindgen = path.join(root, 'target', 'bindgen');
const types = path.join(root, 'target', 'types', 'pkg-template', 'src');
/** Where the package grows; it takes the place of pkg/ when it is complete. */
const next = path.join(root, 'target', 'pkg');
const pkg = path.join(root, 'pkg');
/** What only those download who import it. None of it contains the module. */
const extras = ['element', 'react', 'show', 'svelte', 'verify', 'vue', 'locales/ar', 'locales/de'];
/** What an entry has of another one, whose module would otherwise be in both. */
const others = ['./record.js'];
/**
 * Each of these entries contains a module of its own, made of the same crate: who has no rules and keeps no
 * record does not download what they need.
 */
const modules = [
  { entry: 'index', feature: 'guard', name: libraryName, level: '2' },
  { entry: 'rules', feature: 'rules', name: 'rules', level: '3' },
  { entry: 'record', feature: 'record', name: 'record', level: '2', hashes: true },
];
/** What the frameworks have to be found by: the application's own copy. */
const frameworks = ['react', 'svelte', 'vue'];

async function step(what, work) {
  const start = performance.now();
  const answer = await work();
  console.log(`build: ${what} (${since(start)})`);
  return answer;
}

/** The custom sections of a module. */
const sections = (bytes) => {
  const module = new WebAssembly.Module(bytes);
  return ['name', 'producers', 'target_features'].filter(
    (name) => WebAssembly.Module.customSections(module, name).length > 0,
  );
};

const compile = ({ feature, level, hashes = false }) => {
  // No path of the building machine may reach the module.
  const remap = [root, homedir()].map((from) => `--remap-path-prefix=${from}=.`).join(' ');
  // Where SHA-256 runs a few times in a chat it need not be unrolled; a record hashes all day. And what is inlined
  // less is smaller, and as fast: measured against 10, 225 (the default) and 400.
  const small = `${hashes ? '' : '--cfg sha2_backend_soft="compact" '}-Cllvm-args=-inline-threshold=50`;
  const features = ['--no-default-features', '--features', feature];
  return run('cargo', ['build', '--release', '--locked', '--target', wasmTarget, ...features], {
    // Measured for each: what is small for the one is large for the other.
    env: {
      CARGO_PROFILE_RELEASE_OPT_LEVEL: level,
      RUSTFLAGS: `${process.env.RUSTFLAGS ?? ''} ${remap} ${small}`.trim(),
    },
  });
};

async function bind({ name }) {
  const version = await versionOf('wasm-bindgen');
  if (version !== bindgenPin) {
    throw new Error(
      `wasm-bindgen ${bindgenPin} is needed and ${version ?? 'none'} was found: run \`node tests/setup.mjs build\`.`,
    );
  }
  await run('wasm-bindgen', [
    path.join(root, 'target', wasmTarget, 'release', `${libraryName}.wasm`),
    // Without the default path no bundler sees a second, separate wasm.
    ...['--target', 'web', '--omit-default-module-path', '--remove-producers-section'],
    ...['--out-dir', bindgen, '--out-name', name],
  ]);
}

async function optimize({ name }) {
  const bound = path.join(bindgen, `${name}_bg.wasm`);
  const optimized = path.join(bindgen, `${name}.opt.wasm`);
  // The binaryen of package-lock.json and no other: an older one refuses what Rust writes today.
  const program = path.join(root, 'node_modules', 'binaryen', 'bin', 'wasm-opt');
  const args = ['-Oz', '--converge', '--strip-target-features', bound, '-o', optimized];
  await run(process.execPath, [program, ...args]);
  const bytes = readFileSync(optimized);
  const left = sections(bytes);
  if (left.length > 0) throw new Error(`wasm-opt did not do its work: there still is ${left.join(', ')}.`);
  // In a home the tools live in folders with a dot; its name alone may be a word of the rules.
  for (const place of [root, `${homedir()}/.`]) {
    if (bytes.includes(Buffer.from(place))) throw new Error(`The module contains the path ${place}.`);
  }
  return bytes;
}

/** The two modules that exist only in a build: the bindings, and the module itself as text. */
const virtual = ({ name, bytes }) => ({
  name: 'virtual',
  setup(setup) {
    const glue = path.join(bindgen, `${name}.js`);
    setup.onResolve({ filter: /^virtual:(\w+-)?glue$/ }, () => ({ path: glue, sideEffects: false }));
    setup.onResolve({ filter: /^virtual:wasm$/ }, () => ({
      path: 'wasm',
      namespace: 'virtual',
      sideEffects: false,
    }));
    setup.onLoad({ filter: /^wasm$/, namespace: 'virtual' }, () => ({
      contents: `
        // Not base64: its letters hide the bytes from gzip and brotli, and cost a quarter more to download.
        const hex = '${bytes.toString('hex')}';
        export function wasmBytes() {
          // The loop is the slowest part of the first use, so it is for old browsers only.
          if (typeof Uint8Array.fromHex === 'function') return Uint8Array.fromHex(hex);
          if (typeof globalThis.Buffer === 'function') return globalThis.Buffer.from(hex, 'hex');
          const bytes = new Uint8Array(hex.length / 2);
          for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
          return bytes;
        }`,
      loader: 'js',
    }));
  },
});

async function bundle() {
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  const entries = async (names, options) => {
    const { warnings } = await build({
      entryPoints: names.map((name) => ({
        in: path.join(root, 'pkg-template', 'src', `${name}.ts`),
        out: name,
      })),
      outdir: next,
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
      minify: true,
      legalComments: 'none',
      external: frameworks.flatMap((name) => [name, `${name}/*`]),
      logLevel: 'warning',
      ...options,
    });
    if (warnings.length > 0) throw new Error('esbuild has warnings.');
  };
  for (const module of modules) await entries([module.entry], { plugins: [virtual(module)] });
  // As they are written: escaped, each letter would be six.
  const external = [...frameworks.flatMap((name) => [name, `${name}/*`]), ...others];
  await entries(extras, { charset: 'utf8', external });
}

/** Only the public face is described: the entries and what can be reached from them. */
async function declare() {
  rmSync(types, { recursive: true, force: true });
  await run(process.execPath, [
    path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    ...['--project', path.join(root, 'pkg-template', 'tsconfig.json')],
  ]);
  const names = [...modules.map(({ entry }) => entry), ...extras];
  for (const name of names) {
    const text = readFileSync(path.join(types, `${name}.d.ts`), 'utf8');
    for (const [, from] of text.matchAll(/(?:from|import\() ?['"]([^'"]+)['"]/g)) {
      const place = path.posix.join(path.posix.dirname(name), from);
      const file = from.startsWith('.') ? /^([\w-]+(?:\/[\w-]+)*)\.js$/.exec(place)?.[1] : undefined;
      if (file && !names.includes(file)) names.push(file);
      else if (!file && !['ai', ...frameworks].includes(from.split('/')[0]))
        throw new Error(`The public types of ${name} need ${from}.`);
    }
    const to = path.join(next, `${name}.d.ts`);
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}

function describe() {
  const manifest = JSON.parse(readFileSync(path.join(root, 'pkg-template', 'package.json'), 'utf8'));
  const { name, ...rest } = manifest;
  const complete = { name, version: crateVersion, ...rest };
  writeFileSync(path.join(next, 'package.json'), `${JSON.stringify(complete, null, 2)}\n`);
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE-MIT', 'LICENSE-APACHE']) {
    const places = [path.join(root, 'pkg-template', file), path.join(root, file)];
    const from = places.find(existsSync);
    if (!from) throw new Error(`${file} is missing: a package has to have one.`);
    copyFileSync(from, path.join(next, file));
  }
}

function report(name, data) {
  const brotli = brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  const gzip = gzipSync(data, { level: 9 });
  console.log(`build: ${name}: ${data.length} bytes, gzip ${gzip.length}, brotli ${brotli.length}`);
}

try {
  rmSync(bindgen, { recursive: true, force: true });
  for (const module of modules) {
    await step(`compile ${module.feature}`, () => compile(module));
    await step('bind', () => bind(module));
    module.bytes = await step('optimize', () => optimize(module));
  }
  await step('bundle', bundle);
  await step('declare types', declare);
  await step('describe', describe);
  rmSync(pkg, { recursive: true, force: true });
  renameSync(next, pkg);
  for (const { entry, bytes } of modules) {
    report(`the module in ${entry}`, bytes);
    report(`pkg/${entry}.js`, readFileSync(path.join(pkg, `${entry}.js`)));
  }
  for (const name of extras) report(`pkg/${name}.js`, readFileSync(path.join(pkg, `${name}.js`)));
  console.log(`build: pkg/ is ready (${since(begin)})`);
} catch (error) {
  console.error(`build: ${error.message}`);
  process.exitCode = 1;
}
