// Builds the publishable package into pkg/: wasm, bindings, wasm-opt, one JavaScript file, types.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { build } from 'esbuild';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const pkg = join(root, 'pkg');
const bindgen = join(root, 'target', 'bindgen');
const crate = 'tool_approval_guard';
const cargoBin = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin');
const path = [join(root, 'node_modules', '.bin'), cargoBin, process.env.PATH].join(':');

function run(what, command, args, env = {}) {
  const start = performance.now();
  process.stdout.write(`build: ${what} … `);
  try {
    execFileSync(command, args, { cwd: root, env: { ...process.env, PATH: path, ...env }, stdio: 'pipe' });
  } catch (error) {
    console.log('failed');
    console.error(`${error.stdout ?? ''}${error.stderr ?? ''}` || error.message);
    process.exit(1);
  }
  console.log(`${((performance.now() - start) / 1000).toFixed(1)} s`);
}

/** The names of the custom sections of a module. */
const sections = (bytes) => {
  const module = new WebAssembly.Module(bytes);
  return ['name', 'producers', 'target_features'].filter(
    (name) => WebAssembly.Module.customSections(module, name).length > 0,
  );
};

// No path of the building machine may reach the module.
const remap = [root, homedir()].map((from) => `--remap-path-prefix=${from}=.`).join(' ');
const target = 'wasm32-unknown-unknown';
run('compile', 'cargo', ['build', '--release', '--target', target], {
  RUSTFLAGS: `${process.env.RUSTFLAGS ?? ''} ${remap}`.trim(),
});
rmSync(bindgen, { recursive: true, force: true });
run('bind', 'wasm-bindgen', [
  join(root, 'target', target, 'release', `${crate}.wasm`),
  '--target',
  'web',
  '--omit-default-module-path',
  '--remove-producers-section',
  '--out-dir',
  bindgen,
]);
const wasm = join(bindgen, `${crate}_bg.wasm`);
const optimized = join(bindgen, `${crate}.opt.wasm`);
run('optimize', 'wasm-opt', ['-Oz', '--converge', wasm, '-o', optimized]);
const bytes = readFileSync(optimized);
if (sections(bytes).includes('name')) throw new Error('wasm-opt did not run: the name section is still there');
if (bytes.includes(Buffer.from(homedir())) || bytes.includes(Buffer.from(root))) {
  throw new Error('the module contains a path of this machine');
}

/** The two modules that exist only in a build: the bindings, and the module itself as text. */
const virtual = {
  name: 'virtual',
  setup(setup) {
    setup.onResolve({ filter: /^virtual:glue$/ }, () => ({ path: join(bindgen, `${crate}.js`) }));
    setup.onResolve({ filter: /^virtual:wasm$/ }, () => ({ path: 'wasm', namespace: 'virtual' }));
    setup.onLoad({ filter: /^wasm$/, namespace: 'virtual' }, () => ({
      contents: `
        export function wasmBytes() {
          const text = atob('${bytes.toString('base64')}');
          const bytes = new Uint8Array(text.length);
          for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
          return bytes;
        }`,
      loader: 'js',
    }));
  },
};

rmSync(pkg, { recursive: true, force: true });
mkdirSync(pkg, { recursive: true });
await build({
  entryPoints: [join(root, 'pkg-template', 'src', 'index.ts')],
  outfile: join(pkg, 'index.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  minify: true,
  keepNames: false,
  legalComments: 'none',
  plugins: [virtual],
  logLevel: 'warning',
});
run('types', process.execPath, [
  join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
  '--project',
  join(root, 'pkg-template', 'tsconfig.json'),
]);
// Only the public face is described; the rest is an implementation detail.
for (const name of ['index', 'types', 'error', 'guard']) {
  copyFileSync(join(root, 'target', 'types', 'pkg-template', 'src', `${name}.d.ts`), join(pkg, `${name}.d.ts`));
}

const version = /^version = "(.*)"$/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'))[1];
const manifest = JSON.parse(readFileSync(join(root, 'pkg-template', 'package.json'), 'utf8'));
writeFileSync(join(pkg, 'package.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE-MIT', 'LICENSE-APACHE']) {
  if (existsSync(join(root, name))) copyFileSync(join(root, name), join(pkg, name));
}

const size = (name, data) => {
  const brotli = brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  console.log(
    `build: ${name.padEnd(12)} ${data.length} bytes, gzip ${gzipSync(data, { level: 9 }).length}, brotli ${brotli.length}`,
  );
};
size('module', bytes);
size('pkg/index.js', readFileSync(join(pkg, 'index.js')));
