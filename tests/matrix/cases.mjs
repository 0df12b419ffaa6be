// The cases of the matrix: in which tool, by which steps, what is looked at, and what has to be seen. Each is a project
// without a configuration file, except for an option of Next that no command line takes: what stands on a command line
// here is all that the tool is told.
import { withoutWasm, works } from './expected.mjs';

const modules = ['guard', 'record', 'rules', 'server', 'verify'];

/** What each form answers, and where its modules are in what a tool puts out: each of them once, and nowhere else. */
export const forms = {
  default: { entry: 'default', value: works, modules: Object.fromEntries(modules.map((name) => [name, 1])) },
  javascript: { entry: 'default', value: works, modules: {} },
  'javascript, by its name': { entry: 'javascript', value: works, modules: {} },
};

// What WebAssembly needs of a policy, and nothing more.
const policy = "default-src 'none'; img-src data:; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
const policyWithInline = policy.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'");
const policyWithoutWasm = policy.replace(" 'wasm-unsafe-eval'", '');

const built = { kind: 'page', folder: 'dist', policy };
const bundle = { project: ['page'], looks: [built], output: 'dist' };
const copyPage = ['cp', 'index.html', 'dist/'];

/** Vite and webpack recommend to split what is large, and a module cannot be split. */
const sizeHints = [
  /chunkSizeWarningLimit/,
  /^webpack \S+ compiled with \d+ warnings? in/,
  /(entrypoint|asset) size limit/,
  /limit the size of your bundles/,
  /performance recommendations/,
];

const vite = (version, program) => {
  const form = 'default';
  const build = {
    ...{ name: program, says: `Vite ${version}, build`, tool: program, form, fast: program === 'vite' },
    ...bundle,
    steps: [[program, 'build', '--logLevel', 'warn']],
    tolerates: sizeHints,
  };
  const dev = {
    ...{ name: `${program}-dev`, says: `Vite ${version}, development server`, tool: program, form },
    fast: program === 'vite',
    project: ['page'],
    server: [program, '--host', '127.0.0.1', '--port', '{port}', '--strictPort'],
    looks: [{ kind: 'served' }],
  };
  return [build, dev];
};

const webpack = {
  ...{ name: 'webpack', says: 'webpack 5', tool: 'webpack', form: 'default' },
  ...bundle,
  steps: [['webpack-cli', './main.js', '--mode', 'production', '--output-filename', 'main.js'], copyPage],
  tolerates: sizeHints,
};

const rollup = {
  ...{
    name: 'rollup',
    says: 'Rollup 4',
    tool: 'rollup',
    form: 'default',
    needs: '`@rollup/plugin-node-resolve`',
  },
  ...bundle,
  steps: [['rollup', 'main.js', '--plugin', 'node-resolve', '--format', 'es', '--dir', 'dist'], copyPage],
};

const bundleByEsbuild = [
  ...['esbuild', 'main.js', '--bundle', '--minify', '--format=esm', '--outdir=dist'],
  '--log-level=warning',
];
const esbuild = {
  ...{ name: 'esbuild', says: 'esbuild', tool: 'esbuild', form: 'default', fast: true },
  ...bundle,
  steps: [bundleByEsbuild, copyPage],
};

const parcel = {
  ...{ name: 'parcel', says: 'Parcel 2', tool: 'parcel', form: 'default' },
  needs: 'the hash of its import map in a policy',
  ...bundle,
  // It writes the addresses of chunks into an import map inside of the page.
  looks: [{ ...built, policy: policyWithInline }],
  steps: [['parcel', 'build', 'index.html', '--no-autoinstall', '--no-cache', '--public-url', './']],
};

const inNext = {
  ...{ tool: 'next', form: 'default', seconds: 300 },
  server: ['next', 'start', '--hostname', '127.0.0.1', '--port', '{port}'],
  output: '.next/static',
};
const next = (bundler, name) => ({
  name,
  says: `Next 16 with ${bundler}: client component, server component and route handler`,
  ...inNext,
  project: ['next-layout', 'next', 'next-server'],
  steps: [['next', 'build', `--${bundler.toLowerCase()}`]],
  looks: [{ kind: 'served' }, { kind: 'served', path: '/server' }, { kind: 'fetched', path: '/api' }],
});
/** The three files of the guide, typed and built as a reader of it does. */
const nextGuide = {
  name: 'next-guide',
  says: 'The app of [the guide to Next](next.md), with `cacheComponents`',
  ...inNext,
  project: ['next-layout', 'next-guide'],
  guide: [
    { document: 'README.md', block: 'Chat.tsx', file: 'app/chat.tsx' },
    { document: 'docs/next.md', block: 'app/chat/[id]/page.tsx' },
    { document: 'docs/next.md', block: 'app/api/chat/route.ts' },
  ],
  steps: [['next', 'build']],
  looks: [{ kind: 'shown', path: '/chat/1', selector: 'form input' }],
  modules: { guard: 1 },
};

const runtime = (name, says, command, more = {}) => ({
  ...{ name, says, tool: name, form: 'default', project: ['script'], looks: [{ kind: 'printed', command }] },
  ...more,
});
const vitest = (environment, name) =>
  runtime(name, `Vitest 4, environment ${environment}`, ['vitest', 'run', '--environment', environment], {
    tool: 'vitest',
    project: ['vitest'],
  });

const node = runtime('node', 'Node, import', ['node', 'main.js'], { fast: true });
const bun = runtime('bun', 'Bun', ['bun', 'run', 'main.js']);
const deno = runtime('deno', 'Deno', ['deno', 'run', '--no-prompt', '--cached-only', 'main.js']);

/**
 * `says`, `form` and `needs` stand in the docs; `tool` is the package whose version counts. The `fast` ones are in
 * `npm test`, too.
 */
export const cases = [
  ...vite(8, 'vite'),
  ...vite(7, 'vite7'),
  webpack,
  rollup,
  esbuild,
  parcel,
  next('Turbopack', 'next'),
  next('webpack', 'next-webpack'),
  nextGuide,
  vitest('node', 'vitest'),
  vitest('jsdom', 'vitest-jsdom'),
  node,
  runtime('node-require', 'Node, require', ['node', 'required.cjs'], {
    tool: 'node',
    needs: 'Node 20.19 or 22.12',
    fast: true,
  }),
  bun,
  deno,
  {
    ...{
      name: 'workerd',
      says: 'Cloudflare Workers (Wrangler, workerd)',
      tool: 'wrangler',
      form: 'javascript',
    },
    project: ['worker'],
    steps: [
      [
        ...['wrangler', 'deploy', 'worker.js', '--dry-run', '--outdir', 'dist'],
        ...['--name', 'worker', '--compatibility-date', '2026-04-01'],
      ],
    ],
    looks: [{ kind: 'printed', command: ['node', 'run.mjs'] }],
    output: 'dist',
  },
  {
    ...{
      name: 'workerd-plain',
      says: 'Cloudflare Workers, bundled without their condition',
      tool: 'esbuild',
    },
    form: 'javascript, by its name',
    project: ['worker'],
    steps: [['esbuild', 'worker.js', '--bundle', '--format=esm', '--outdir=dist', '--log-level=warning']],
    looks: [{ kind: 'printed', command: ['node', 'run.mjs'] }],
    output: 'dist',
  },
  {
    ...{ name: 'quickjs', says: 'QuickJS, bundled by esbuild', tool: 'quickjs-emscripten-core' },
    form: 'javascript',
    needs: 'the condition `react-native`',
    project: ['quickjs'],
    steps: [
      [
        ...['esbuild', 'program.js', '--bundle', '--format=iife', '--outdir=dist', '--log-level=warning'],
        // Static blocks, which QuickJS does not have.
        ...['--conditions=react-native', '--target=es2020'],
      ],
    ],
    looks: [{ kind: 'printed', command: ['node', 'run.mjs'] }],
    output: 'dist',
  },
  {
    ...{ name: 'hermes', says: 'React Native: Metro, and the compiler of Hermes', tool: 'metro' },
    form: 'javascript',
    needs: '[streams](#react-native)',
    project: ['hermes'],
    steps: [['node', 'bundle.mjs']],
    looks: [{ kind: 'printed', command: ['node', 'run.mjs'] }],
    output: 'dist',
  },
  {
    ...{ name: 'web-worker', says: 'A web worker, built by Vite 8', tool: 'vite', form: 'default' },
    ...bundle,
    project: ['page', 'web-worker'],
    steps: [['vite', 'build', '--logLevel', 'warn']],
    tolerates: sizeHints,
  },
  {
    ...esbuild,
    name: 'csp',
    says: 'A strict Content-Security-Policy',
    needs: "`'wasm-unsafe-eval'` in `script-src` for rules, the record and `redact`",
    looks: [
      built,
      // The console says there what the policy forbids.
      { ...built, policy: policyWithoutWasm, value: withoutWasm, complains: true },
    ],
  },
  {
    ...esbuild,
    name: 'csp-javascript',
    says: "A policy of `script-src 'self'` alone",
    form: 'javascript, by its name',
    fast: false,
    looks: [{ ...built, policy: policyWithoutWasm }],
  },
];
