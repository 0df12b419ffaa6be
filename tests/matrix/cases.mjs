// The cases of the matrix: in which tool, by which steps, what is looked at, and what has to be seen. Each is a project
// without a configuration file: what stands on a command line here is all that the tool is told.
import { withoutWasm, works } from './expected.mjs';

const modules = ['guard', 'record', 'rules', 'server', 'verify'];
const each = (map) => Object.fromEntries(modules.map(map));
/** One module for each entry that is used, as a file. */
const beside = each((name) => [`${name}.wasm`, 1]);

/** What each form answers, and where its modules are in what a tool puts out: each of them once, and nowhere else. */
export const forms = {
  default: { entry: 'default', value: works, modules: each((name) => [name, 1]) },
  slim: {
    entry: 'slim',
    value: { early: withoutWasm, failed: each((name) => [name, 'wasm-unavailable']), later: works },
    modules: beside,
  },
  javascript: { entry: 'default', value: works, modules: {} },
};

// What WebAssembly needs of a policy, and nothing more.
const policy = "default-src 'none'; img-src data:; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
const policyWithoutWasm = policy.replace(" 'wasm-unsafe-eval'", '');
const policyWithInline = policy.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'");

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

const slim = (test, needs, more = {}) => ({
  ...test,
  name: `${test.name}-slim`,
  form: 'slim',
  needs,
  ...more,
  project: [...test.project, more.sources ?? `sources-${test.name}`],
});

const viteSlim = "`import url from 'tool-approval-guard/guard.wasm?url'`";
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
  const sources = { sources: 'sources-vite', fast: false };
  return [build, dev, slim(build, viteSlim, sources), slim(dev, viteSlim, sources)];
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
const copyModules = [
  ...['cp', ...modules.map((name) => `../node_modules/tool-approval-guard/${name}.wasm`)],
  'dist/',
];

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
  ...bundle,
  steps: [['parcel', 'build', 'index.html', '--no-autoinstall', '--no-cache', '--public-url', './']],
};

const next = (bundler, name) => {
  const client = {
    ...{ name, says: `Next 16 with ${bundler}, client component`, tool: 'next', form: 'default' },
    project: ['next'],
    seconds: 300,
    steps: [['next', 'build', `--${bundler.toLowerCase()}`]],
    server: ['next', 'start', '--hostname', '127.0.0.1', '--port', '{port}'],
    looks: [{ kind: 'served' }],
    output: '.next/static',
  };
  return [
    {
      ...client,
      says: `Next 16 with ${bundler}: client component, server component and route handler`,
      project: ['next', 'next-server'],
      looks: [{ kind: 'served' }, { kind: 'served', path: '/server' }, { kind: 'fetched', path: '/api' }],
    },
    slim(client, newUrl, { sources: 'sources-url' }),
  ];
};

const newUrl = "`new URL('tool-approval-guard/guard.wasm', import.meta.url)`, in the browser";

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
const runByDeno = ['deno', 'run', '--no-prompt', '--cached-only'];
const deno = runtime('deno', 'Deno', [...runByDeno, 'main.js']);
const bytes = { sources: 'sources-bytes' };

/**
 * `says`, `form` and `needs` stand in the docs; `tool` is the package whose version counts. The `fast` ones are in
 * `npm test`, too.
 */
export const cases = [
  ...vite(8, 'vite'),
  ...vite(7, 'vite7'),
  webpack,
  slim(webpack, newUrl, { sources: 'sources-url' }),
  rollup,
  slim(rollup, '`@rollup/plugin-node-resolve`, and the `.wasm` copied into the output', {
    steps: [...rollup.steps, copyModules],
  }),
  esbuild,
  slim(esbuild, '`--loader:.wasm=file`', {
    steps: [[...bundleByEsbuild, '--loader:.wasm=file'], copyPage],
  }),
  parcel,
  slim(parcel, "`new URL('npm:tool-approval-guard/guard.wasm', import.meta.url)`", {
    // The settings are those of the folder that has a lock file.
    steps: [['touch', 'yarn.lock'], ...parcel.steps],
    // Parcel writes the addresses of files into an import map inside of the page.
    looks: [{ ...built, policy: policyWithInline }],
  }),
  ...next('Turbopack', 'next'),
  ...next('webpack', 'next-webpack'),
  vitest('node', 'vitest'),
  vitest('jsdom', 'vitest-jsdom'),
  node,
  slim(node, 'the bytes of the file', bytes),
  runtime('node-require', 'Node, require', ['node', 'required.cjs'], {
    tool: 'node',
    needs: 'Node 20.19 or 22.12',
    fast: true,
  }),
  bun,
  slim(bun, 'the bytes of the file', bytes),
  deno,
  slim(deno, 'the bytes of the file, and `--allow-read`', {
    ...bytes,
    looks: [{ kind: 'printed', command: [...runByDeno, '--allow-read=..', 'main.js'] }],
  }),
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
    needs: "`'wasm-unsafe-eval'` in `script-src`; without it a guard fails closed",
    looks: [
      built,
      // The console says there what the policy forbids.
      { ...built, policy: policyWithoutWasm, value: withoutWasm, complains: true },
    ],
  },
];
