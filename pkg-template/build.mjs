// Builds the publishable package into pkg/: wasm, bindings, wasm-opt, one JavaScript file for each
// entry, types. `node pkg-template/build.mjs guard` compiles the named modules alone and takes the others from the
// last build: for development, after a change that does not concern them. With `--quick` the same package is made for tests
// and for the demo: neither its modules nor its JavaScript are optimized.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, transform } from 'esbuild';
import { minify } from 'terser';

import { root, run, since } from '../tests/support/process.mjs';
import { sizes } from '../tests/support/sizes.mjs';
import { writeDocs } from './docs.mjs';
import { moduleText } from './module-text.mjs';
import {
  bindgenPin,
  checkedTypes,
  crateVersion,
  libraryName,
  versionOf,
  wasmTarget,
} from '../tests/support/toolchain.mjs';

const begin = performance.now();
const isQuick = process.argv.includes('--quick');
const bindgen = path.join(root, 'target', 'bindgen');
const types = path.join(root, 'target', 'types', 'pkg-template', 'src');
/** Where the package grows; it takes the place of pkg/ when it is complete. */
const next = path.join(root, 'target', 'pkg');
const pkg = path.join(root, 'pkg');
/** What only those download who import it. None of it contains the module. */
const extras = [
  ...[
    'angular',
    'assistant-ui',
    'edit',
    'editor',
    'element',
    'react',
    'escape',
    'svelte',
    'threads',
    'vue',
    'words',
  ],
  ...['claims/testing', 'record/testing', 'locales/ar', 'locales/de'],
];
/** What an entry has of another one, which would otherwise be in both. */
const others = ['./index.js', './threads.js', './server.js', './words.js', './editor.js'];
/**
 * Each of these entries contains a module of its own, made of the same crate: who has no rules and keeps no
 * record does not download what they need.
 */
const modules = [
  { entry: 'sync', feature: 'guard', level: 'z', inline: [5, 5] },
  { entry: 'rules', feature: 'rules', level: 'z', inline: [50, 60], oneCaller: 40 },
  { entry: 'redact', feature: 'redact', level: '2', inline: [225, 325] },
  { entry: 'server', feature: 'server', level: 'z', inline: [5, 5] },
  { entry: 'record', feature: 'record', level: 'z', inline: [5, 5] },
  { entry: 'verify', feature: 'verify', level: 'z', inline: [5, 5], seldom: true },
  { entry: 'claims', feature: 'claims', level: 'z', inline: [5, 5], seldom: true },
];
/**
 * Whether a module exists as JavaScript as well. With `--quick` those do not of which only `npm run test:all` plays that form:
 * in their place is the WebAssembly.
 */
const isTranslated = ({ seldom }) => !(isQuick && seldom);
/**
 * What the module of an entry is made of; each form has the same face. A file lies where its entry says, for bundlers that
 * read no `exports`.
 */
const forms = { inline: (entry) => entry, javascript: (entry) => `javascript/${entry}` };
/** What the frameworks have to be found by: the application's own copy. */
const frameworks = ['@angular/core', 'react', 'svelte', 'vue'];

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

/** Where the sources of other crates lie: that depends on the settings of the machine. */
function registries() {
  const sources = path.join(process.env.CARGO_HOME ?? path.join(homedir(), '.cargo'), 'registry', 'src');
  return existsSync(sources) ? readdirSync(sources).map((name) => path.join(sources, name)) : [];
}

/** Passes that make a loop or a branch faster by more code. The modules are smaller without them. */
const NO_COPIES = ['-disable-lsr', '-enable-pre=false', '-enable-load-pre=false'];

/** Objects stay in a list of the glue: JavaScript has no tables of references, and a module is made only once. */
const NO_REFERENCES = '-Ctarget-feature=-reference-types';

const compileQuickly = ({ feature }) =>
  run(
    'cargo',
    [
      ...['rustc', '--profile', 'quick', '--locked', '--lib', '--crate-type', 'cdylib'],
      ...['--target', wasmTarget, '--no-default-features', '--features', feature],
    ],
    { env: { CARGO_ENCODED_RUSTFLAGS: NO_REFERENCES } },
  );

const compile = ({ feature, level, inline }) => {
  // No path of the building machine may reach the module.
  const remap = [root, homedir(), ...registries()].map((from) => `--remap-path-prefix=${from}=.`);
  // SHA-256 as loops: written out, it takes 0.75 KB more of a module, and a record is written in 0.9 of the time.
  const compact = ['--cfg', 'sha2_backend_soft="compact"'];
  const asked = (process.env.RUSTFLAGS ?? '').split(' ').filter((flag) => flag !== '');
  const features = ['--no-default-features', '--features', feature];
  return run(
    'cargo',
    [
      ...['rustc', '--release', '--locked', '--lib', '--crate-type', 'cdylib', '--target', wasmTarget],
      ...[...features, '--'],
      // Only for the crate and the linking, so that the other crates are compiled once. Measured for each module: what is
      // small for the one is large for the other. The second threshold is for what is marked as worth inlining, as most of
      // the standard library is; the defaults are 225 and 325.
      `-Copt-level=${level}`,
      `-Cllvm-args=-inline-threshold=${inline[0]} -inlinehint-threshold=${inline[1]} ${NO_COPIES.join(' ')}`,
    ],
    // Not RUSTFLAGS, in which a path with a space would be two flags.
    { env: { CARGO_ENCODED_RUSTFLAGS: [...asked, NO_REFERENCES, ...remap, ...compact].join('\x1f') } },
  );
};

const profile = isQuick ? 'quick' : 'release';
const compiled = path.join(root, 'target', wasmTarget, profile, `${libraryName}.wasm`);

/** A digest of everything that a bound and optimized module is made of. */
function sourceOf() {
  const tools = [path.join(root, 'package-lock.json'), fileURLToPath(import.meta.url)];
  const hash = createHash('sha256').update(`${bindgenPin} ${profile}`);
  for (const file of [compiled, ...tools]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

/**
 * A module of which wasm-bindgen uses nothing that JavaScript has not: no tables of references, and one result for each
 * function. The standard library is compiled with them, so the linker notes them in `target_features`.
 */
function withoutFeatures(bytes) {
  for (const name of ['reference-types', 'multivalue']) {
    const noted = `+${String.fromCharCode(name.length)}${name}`;
    const at = bytes.indexOf(noted, 0, 'latin1');
    if (at === -1) throw new Error(`The section target_features does not name ${name}.`);
    bytes[at] = '-'.charCodeAt(0);
  }
  return bytes;
}

async function bind({ feature }) {
  const version = await versionOf('wasm-bindgen');
  if (version !== bindgenPin) {
    throw new Error(
      `wasm-bindgen ${bindgenPin} is needed and ${version ?? 'none'} was found: run \`node tests/setup.mjs build\`.`,
    );
  }
  const module = path.join(bindgen, `${feature}.wasm`);
  mkdirSync(bindgen, { recursive: true });
  writeFileSync(module, withoutFeatures(readFileSync(compiled)));
  await run('wasm-bindgen', [
    module,
    // Without the default path no bundler sees a second, separate wasm.
    ...['--target', 'web', '--omit-default-module-path', '--remove-producers-section'],
    ...['--out-dir', bindgen, '--out-name', feature],
  ]);
}

/**
 * What Rust does to say why it panics. Nobody can read it: there is no console in the module, and a panic ends in a
 * trap with it or without.
 */
const PANICS = new RegExp(
  [
    String.raw`\bpanicking::panic(_fmt|_nounwind|_bounds_check)?$`,
    String.raw`\bcell::panic_already_|\b(option|result)::(unwrap|expect)_failed$`,
    // Only a panic calls them, and only through tables, which an optimizer does not see through.
    String.raw`\bPanicPayload\b|\bBorrow(Mut)?Error\b|alloc_error`,
  ].join('|'),
);

/**
 * What only the message of a panic has: the file of the compiler, of a crate or of this one, and the texts of the
 * standard library. An optimizer does not see whether data are read, but it leaves out zeros.
 */
const PANIC_TEXTS = new RegExp(
  [
    String.raw`(?:/rustc/[0-9a-f]{40}/library|/rust/deps|\.|src)/[\w./-]+?\.rs`,
    String.raw`cannot access a Thread Local Storage value during or after destruction: `,
    String.raw`Attempted to initialize thread-local while it is being dropped`,
    String.raw`(?:\`at\` split|insertion|removal|range start|range end|start byte|end byte) index (?:\(is )?`,
    String.raw`\) should be <=? len \(is `,
    String.raw`slice index starts at | index out of bounds: the len is | but the index is `,
    String.raw`RefCell already (?:mutably )?borrowed|called \`\w+::unwrap\(\)\` on an? \`\w+\` value`,
    String.raw`(?:Hash table )?capacity overflow`,
  ].join('|'),
  'g',
);

/** Blanks the texts of panics in a module. */
const withoutPanicTexts = (bytes) =>
  Buffer.from(
    bytes.toString('latin1').replaceAll(PANIC_TEXTS, (text) => '\0'.repeat(text.length)),
    'latin1',
  );

/** What makes text of values. No module does, but only tables of functions keep it. */
const FORMATS = /\bfmt::/;

/** What `js-sys` has for modules that wait for promises. None of these does, and only tables of functions keep it. */
const WAITS = /\bjs_sys::futures::/;

/** Whether all that a function does is to trap. An import might be called on the way, such as one that throws. */
function onlyTraps(binaryen, { body }, imported) {
  if (body === 0 || binaryen.getExpressionType(body) !== binaryen.unreachable) return false;
  const text = binaryen.emitText(body);
  return (
    !text.includes('(return') && ![...text.matchAll(/\(call \$(\S+)/g)].some(([, name]) => imported.has(name))
  );
}

/** Replaces functions that only say why something failed by traps, so that the optimizer drops what only they need. */
async function silence(bytes) {
  // It takes half a second to load, so it is imported only where it is needed.
  const { default: binaryen } = await import('binaryen');
  // The bench needs the names to say what a file costs; wasm-opt drops them.
  binaryen.setDebugInfo(true);
  const module = binaryen.readBinary(withoutPanicTexts(bytes));
  const all = Array.from({ length: module.getNumFunctions() }, (_, at) =>
    binaryen.getFunctionInfo(module.getFunctionByIndex(at)),
  );
  const imported = new Set(all.filter(({ module }) => module).map(({ name }) => name));
  const silent = all.filter(
    (one) =>
      !imported.has(one.name) &&
      (PANICS.test(one.name) ||
        WAITS.test(one.name) ||
        FORMATS.test(one.name) ||
        onlyTraps(binaryen, one, imported)),
  );
  if (silent.length === 0) throw new Error('No panic was found in the module: did its names change?');
  for (const { name, params, results } of silent) {
    module.removeFunction(name);
    module.addFunction(name, params, results, [], module.unreachable());
  }
  return module.emitBinary();
}

// The binaryen of package-lock.json and no other: an older one refuses what Rust writes today.
const binaryenTool = (name, ...args) =>
  run(process.execPath, [path.join(root, 'node_modules', 'binaryen', 'bin', name), ...args]);
const wasmOpt = (...args) => binaryenTool('wasm-opt', ...args);

/** The passes that an optimized module gets last. They print the short names of what crosses. */
const LAST = ['--minify-imports-and-exports-and-modules', '--strip-target-features'];

/** What a module has of the features of WebAssembly that JavaScript has not, and what takes their place. */
const LOWER = [
  ...['sign-ext', 'nontrapping-float-to-int', 'bulk-memory', 'bulk-memory-opt', 'mutable-globals'].map(
    (name) => `--enable-${name}`,
  ),
  '--signext-lowering',
  '--llvm-nontrapping-fptoint-lowering',
  '--llvm-memory-copy-fill-lowering',
];

/** Only what the rest of the build relies on: short names, no others, and nothing that JavaScript has not. */
async function shorten({ feature }) {
  const bound = path.join(bindgen, `${feature}_bg.wasm`);
  const short = path.join(bindgen, `${feature}.opt.wasm`);
  const { stdout } = await wasmOpt('--strip-debug', ...LOWER, ...LAST, bound, '-o', short);
  writeFileSync(path.join(bindgen, `${feature}.names`), stdout);
}

async function optimize({ feature, oneCaller = 200 }) {
  const bound = path.join(bindgen, `${feature}_bg.wasm`);
  const silent = path.join(bindgen, `${feature}.silent.wasm`);
  const optimized = path.join(bindgen, `${feature}.opt.wasm`);
  writeFileSync(silent, await silence(readFileSync(bound)));
  await wasmOpt(
    '-Oz',
    '--converge',
    // The first kilobyte is the end of the stack, which grows down to it and would trap there.
    '--low-memory-unused',
    `--one-caller-inline-max-function-size=${oneCaller}`,
    // Functions of one module of Rust stand together and are similar, which compresses better.
    '--reorder-functions-by-name',
    silent,
    '-o',
    optimized,
  );
  const { stdout } = await wasmOpt(...LAST, optimized, '-o', optimized);
  writeFileSync(path.join(bindgen, `${feature}.names`), stdout);
  const bytes = readFileSync(optimized);
  const left = sections(bytes);
  if (left.length > 0) throw new Error(`wasm-opt did not do its work: there still is ${left.join(', ')}.`);
  // In a home the tools live in folders with a dot; its name alone may be a word of the rules.
  for (const place of [root, `${homedir()}/.`]) {
    if (bytes.includes(Buffer.from(place))) throw new Error(`The module contains the path ${place}.`);
  }
}

/** A trap is an error of its own class, as it is in WebAssembly, and so is a memory that cannot grow. */
const TRAPS = [
  [/throw new Error\('abort'\)/, "throw new Trap('unreachable')"],
  [/(?<=newBuffer = )new ArrayBuffer\(/, 'allocate('],
];

/** The same module as JavaScript. */
async function translate({ feature }) {
  const optimized = path.join(bindgen, `${feature}.opt.wasm`);
  const lowered = isQuick ? optimized : path.join(bindgen, `${feature}.lowered.wasm`);
  const level = isQuick ? [] : ['-Oz'];
  if (!isQuick) await wasmOpt(...LOWER, ...level, optimized, '-o', lowered);
  const { stdout } = await binaryenTool('wasm2js', ...level, lowered);
  const start = stdout.indexOf('  var bufferView;');
  const end = stdout.indexOf('var retasmFunc = asmFunc(');
  if (start === -1 || end === -1) throw new Error('wasm2js writes another frame than the one that is known.');
  let code = stdout.slice(start, end);
  for (const [pattern, own] of TRAPS) {
    if (!pattern.test(code)) throw new Error(`wasm2js writes no ${pattern}.`);
    code = code.replace(pattern, own);
  }
  writeFileSync(
    path.join(bindgen, `${feature}.translated.js`),
    [
      "import { allocate, Trap } from '../../pkg-template/src/module/trap.ts';",
      code,
      'export { asmFunc as instantiate };',
      '',
    ].join('\n'),
  );
}

/** What was made of a module. */
function read({ feature }) {
  const names = JSON.parse(readFileSync(path.join(bindgen, `${feature}.names`), 'utf8'));
  return {
    bytes: readFileSync(path.join(bindgen, `${feature}.opt.wasm`)),
    // Nobody reads the long names of what crosses between the glue and the module. Each import has three names: that
    // of what it is imported from, its own, and its new one.
    mangled: Object.fromEntries([...names.imports.map((one) => one.slice(-2)), ...names.exports]),
  };
}

/**
 * The glue of a module that is JavaScript. When its memory grows, the old buffer is not detached, so a view is compared
 * with the buffer of the memory.
 */
function withStandIns(glue) {
  const stale = /(cached\w+Memory0) === null \|\| .+?(?=\) \{\n)/g;
  if (!stale.test(glue))
    throw new Error('The glue looks at its memory in another way than the one that is known.');
  return [
    `import { WebAssembly } from ${JSON.stringify(standIns)};`,
    glue.replaceAll(stale, '$1?.buffer !== wasm.memory.buffer'),
  ].join('\n');
}
/** The glue's advice to callers that do not call it as `startModule` does. */
const DEPRECATED = / else \{\s+console\.warn\('using deprecated parameters for `initSync[^}]+\}/;
const standIns = path.join(root, 'pkg-template', 'src', 'module', 'stand-in.ts');
/** What platforms without WebAssembly may lack. */
const platform = path.join(root, 'pkg-template', 'src', 'module', 'platform.ts');

/** What exists only in a build: the bindings, the module as text or as JavaScript, and the form that it is in. */
const virtual = ({ feature, bytes }, form) => ({
  name: 'virtual',
  setup(setup) {
    const glue = path.join(bindgen, `${feature}.js`);
    const module = path.join(root, 'pkg-template', 'src', 'module', `${form}.ts`);
    setup.onResolve({ filter: /^virtual:(\w+-)?glue$/ }, () => ({ path: glue, sideEffects: false }));
    setup.onResolve({ filter: /^virtual:module$/ }, () => ({ path: module, sideEffects: false }));
    setup.onResolve({ filter: /^virtual:translated$/ }, () => ({
      path: path.join(bindgen, `${feature}.translated.js`),
      sideEffects: false,
    }));
    setup.onResolve({ filter: /^virtual:wasm$/ }, () => ({
      path: `${feature}.wasm.js`,
      namespace: 'virtual',
      sideEffects: false,
    }));
    setup.onLoad({ filter: new RegExp(`\\b${feature}\\.js$`) }, ({ path: file }) => {
      if (file !== glue) return undefined;
      // wasm-opt gives a short name also to what all imports come from. In the glue it is in quotes, so esbuild would keep it.
      const long = `"./${feature}_bg.js":`;
      const contents = readFileSync(file, 'utf8');
      if (!contents.includes(long)) throw new Error(`${file} has no ${long}`);
      if (!DEPRECATED.test(contents)) throw new Error(`${file} has no ${DEPRECATED}`);
      const glued = contents.replace(long, 'a:').replace(DEPRECATED, '');
      return { contents: form === 'javascript' ? withStandIns(glued) : glued, loader: 'js' };
    });
    setup.onLoad({ filter: /./, namespace: 'virtual' }, () => {
      const { text, reader } = moduleText(bytes);
      const contents = `export const text = '${text}', reader = '${reader}';`;
      return { contents, loader: 'js' };
    });
  },
});

/** A style sheet becomes the text of a module, without what only its readers need. */
const styleSheets = {
  name: 'style-sheets',
  setup(setup) {
    setup.onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
      const { code } = await transform(readFileSync(file, 'utf8'), { loader: 'css', minify: true });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

async function bundle() {
  /** Each entry by its name in the package, and the source that it is made of. */
  const entries = async (sources, options) => {
    const { warnings } = await build({
      entryPoints: Object.entries(sources).map(([out, source]) => ({
        in: path.join(root, 'pkg-template', 'src', `${source}.ts`),
        out,
      })),
      outdir: next,
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      target: 'es2022',
      minify: true,
      legalComments: 'none',
      sourcemap: 'external',
      sourcesContent: false,
      external: frameworks.flatMap((name) => [name, `${name}/*`]),
      logLevel: 'warning',
      ...options,
    });
    if (warnings.length > 0) throw new Error('esbuild has warnings.');
  };
  const withModule = (module) =>
    Object.entries(forms).map(([wanted, nameOf]) => {
      const form = isTranslated(module) ? wanted : 'inline';
      return entries(
        { [nameOf(module.entry)]: module.entry },
        {
          external: ['./server.js'],
          plugins: [virtual(module, form)],
          inject: form === 'javascript' ? [platform] : [],
          mangleProps: new RegExp(`^(${Object.keys(module.mangled).join('|')})$`),
          mangleCache: module.mangled,
        },
      );
    });
  const external = [...frameworks.flatMap((name) => [name, `${name}/*`]), ...others];
  await Promise.all([
    ...modules.flatMap(withModule),
    entries(Object.fromEntries(extras.map((name) => [name, name])), {
      // As they are written: escaped, each letter would be six.
      charset: 'utf8',
      external,
      plugins: [styleSheets],
    }),
    entries({ 'javascript/threads': 'threads' }, { external }),
    entries({ index: 'index' }, { plugins: [engineOf('fitting-engine')] }),
    entries({ 'javascript/index': 'index' }, { plugins: [engineOf('javascript-engine')] }),
  ]);
}

/** Where the small entry finds the engine: in files beside it, which a bundler makes a chunk of. */
const engineOf = (finder) => ({
  name: 'engine',
  setup(setup) {
    const file = path.join(root, 'pkg-template', 'src', 'loading', `${finder}.ts`);
    setup.onResolve({ filter: /^virtual:engine$/ }, () => ({ path: file, sideEffects: false }));
    for (const [filter, place] of [
      [/^\.\.\/sync\.js$/, './sync.js'],
      [/^virtual:javascript-engine$/, './javascript/sync.js'],
    ])
      setup.onResolve({ filter }, () => ({ path: place, external: true }));
  },
});

/**
 * Makes every file smaller than esbuild does, which bundles: by 3 % of the JavaScript of the guard and of the queue as it
 * travels. No option is set that assumes something of the code.
 */
async function shrink() {
  for (const name of readdirSync(next, { recursive: true }).filter((name) => name.endsWith('.js'))) {
    const file = path.join(next, name);
    const { code, map } = await minify(readFileSync(file, 'utf8'), {
      module: true,
      ecma: 2022,
      // No function is moved into another one, whose scope it would then keep alive (law 15).
      // `use client` is a directive that only frameworks know.
      compress: { passes: 3, inline: false, reduce_funcs: false, directives: false },
      // An invisible character stays an escape. The catalogues are written in their scripts, which escapes would blow up.
      format: { ascii_only: !name.startsWith('locales/'), preserve_annotations: true },
      sourceMap: { content: readFileSync(`${file}.map`, 'utf8') },
    });
    writeFileSync(file, `${code}\n`);
    writeFileSync(`${file}.map`, map);
  }
}

/** Only the public face is described: the entries and what can be reached from them. */
async function declare() {
  // What is not written anew would be taken for what is there.
  for (const last of [types, checkedTypes]) rmSync(last, { recursive: true, force: true });
  await run(process.execPath, [
    path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    ...['--project', path.join(root, 'pkg-template', 'tsconfig.json')],
    ...['--incremental', '--tsBuildInfoFile', checkedTypes],
  ]);
  // The module as JavaScript has the types of the default form.
  const names = ['index', ...modules.map(({ entry }) => entry), ...extras];
  for (const name of names) {
    const text = readFileSync(path.join(types, `${name}.d.ts`), 'utf8');
    for (const [, from] of text.matchAll(/(?:from|import\() ?['"]([^'"]+)['"]/g)) {
      const place = path.posix.join(path.posix.dirname(name), from);
      const file = from.startsWith('.') ? /^([\w-]+(?:\/[\w-]+)*)\.js$/.exec(place)?.[1] : undefined;
      if (file && !names.includes(file)) names.push(file);
      else if (!file && !['ai', ...frameworks].some((name) => from === name || from.startsWith(`${name}/`)))
        throw new Error(`The public types of ${name} need ${from}.`);
    }
    const to = path.join(next, `${name}.d.ts`);
    mkdirSync(path.dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}

/**
 * The names of what a module exports are shortened in all of its bundle: none may be a member that others know by its
 * name.
 */
function checkNames() {
  for (const { entry, mangled } of modules) {
    const files = [entry];
    for (const file of files) {
      const text = readFileSync(path.join(next, `${file}.d.ts`), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
      const folder = path.posix.dirname(file);
      for (const [, from] of text.matchAll(/['"](\.[^'"]+)\.js['"]/g)) {
        const other = path.posix.join(folder, from);
        if (!files.includes(other)) files.push(other);
      }
      const taken = Object.keys(mangled).find((name) =>
        new RegExp(`^\\s*(readonly )?${name}\\??[:(]`, 'm').test(text),
      );
      if (taken)
        throw new Error(`${file}.d.ts has a member ${taken}, as the module of ${entry} has an export.`);
    }
  }
}

/**
 * Moves the maps out of the package: nobody imports them, and with their sources they would be half of it. The bench says by
 * them what each room costs.
 */
function keepMaps() {
  const maps = path.join(root, 'target', 'maps');
  rmSync(maps, { recursive: true, force: true });
  for (const name of readdirSync(next, { recursive: true }).filter((name) => name.endsWith('.map'))) {
    const to = path.join(maps, name);
    mkdirSync(path.dirname(to), { recursive: true });
    renameSync(path.join(next, name), to);
  }
}

function describe() {
  const manifest = JSON.parse(readFileSync(path.join(root, 'pkg-template', 'package.json'), 'utf8'));
  const { name, ...rest } = manifest;
  // A package for tests cannot be published.
  const complete = { name, version: crateVersion, ...(isQuick && { private: true }), ...rest };
  writeFileSync(path.join(next, 'package.json'), `${JSON.stringify(complete, null, 2)}\n`);
  for (const file of ['README.md', 'CHANGELOG.md', 'LICENSE-MIT', 'LICENSE-APACHE']) {
    const places = [path.join(root, 'pkg-template', file), path.join(root, file)];
    const from = places.find(existsSync);
    if (!from) throw new Error(`${file} is missing: a package has to have one.`);
    copyFileSync(from, path.join(next, file));
  }
  // With these an implementation in another language is tested.
  cpSync(path.join(root, 'tests', 'vectors'), path.join(next, 'vectors'), { recursive: true });
}

function report(name, data) {
  const { raw, gzip, brotli } = sizes(data);
  console.log(`build: ${name}: ${raw} bytes, gzip ${gzip}, brotli ${brotli}`);
}

try {
  // Their places have to be known before they are compiled, or the first build differs from the second.
  await step('fetch the crates', () => run('cargo', ['fetch', '--locked', '--target', wasmTarget]));
  const asked = process.argv.slice(2).filter((word) => word !== '--quick');
  const unknown = asked.find((name) => !modules.some(({ feature }) => feature === name));
  if (unknown)
    throw new Error(
      `There is no module ${unknown}; there are ${modules.map(({ feature }) => feature).join(', ')}.`,
    );
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  // While the next module is compiled, which takes one core, the tools work on the one before.
  let finished = Promise.resolve();
  for (const module of modules) {
    const { feature } = module;
    if (asked.length > 0 && !asked.includes(feature)) continue;
    await step(`compile ${feature}`, () => (isQuick ? compileQuickly : compile)(module));
    const mark = path.join(bindgen, `${feature}.made-of`);
    const source = sourceOf();
    if (existsSync(mark) && readFileSync(mark, 'utf8') === source) continue;
    rmSync(mark, { force: true });
    await step(`bind ${feature}`, () => bind(module));
    finished = finished.then(async () => {
      if (isQuick) await step(`shorten ${feature}`, () => shorten(module));
      else await step(`optimize ${feature}`, () => optimize(module));
      if (isTranslated(module)) await step(`translate ${feature}`, () => translate(module));
      writeFileSync(mark, source);
    });
    // It is awaited below.
    finished.catch(() => {});
  }
  await Promise.all([
    finished.then(async () => {
      for (const module of modules) Object.assign(module, read(module));
      await step('bundle', bundle);
      if (!isQuick) await step('shrink', shrink);
    }),
    step('declare types', declare),
  ]);
  checkNames();
  keepMaps();
  await step('describe', describe);
  await step('document', () => writeDocs(next));
  rmSync(pkg, { recursive: true, force: true });
  renameSync(next, pkg);
  // Brotli takes seconds, and nobody downloads a package for tests.
  for (const { entry, bytes } of isQuick ? [] : modules) {
    report(`the module in ${entry}`, bytes);
    report(`pkg/${entry}.js`, readFileSync(path.join(pkg, `${entry}.js`)));
  }
  for (const name of isQuick ? [] : ['index', ...extras])
    report(`pkg/${name}.js`, readFileSync(path.join(pkg, `${name}.js`)));
  console.log(`build: pkg/ is ready (${since(begin)})`);
} catch (error) {
  console.error(`build: ${error.message}`);
  process.exitCode = 1;
}
