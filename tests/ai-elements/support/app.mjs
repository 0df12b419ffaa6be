// The application of the tests: where it is, how the item gets into it, and how it is built and opened.
import path from 'node:path';

import { root, run } from '../../support/process.mjs';

/** The packed project, which has the package and a copy of the application. */
const project = process.env.PACKED_PROJECT;
const modules = path.join(root, 'tests', 'ai-elements', 'node_modules');

export const app = path.join(project, 'tests', 'ai-elements', 'app');
/** The item as the package ships it. */
export const item = path.join(
  project,
  'node_modules',
  'tool-approval-guard',
  'registry',
  'confirmation.json',
);

/** Runs the CLI without a network: whatever it asked for would fail. */
export const shadcn = (cwd, ...args) =>
  run(process.execPath, [path.join(modules, 'shadcn', 'dist', 'index.js'), ...args], {
    cwd,
    env: { REGISTRY_URL: 'http://127.0.0.1:9', npm_config_offline: 'true' },
  });

export const addItem = (folder) => shadcn(folder, 'add', item, '--yes', '--overwrite');

/** Builds the application with Vite, and serves it. */
export async function serveApp() {
  const { build, preview } = await import('vite');
  const ui = path.join(modules, '@neynar', 'ui', 'src');
  await build({
    root: app,
    logLevel: 'error',
    resolve: {
      alias: [
        // The components of AI Elements, as one publisher has them in npm, import these from a design system. Its newest
        // version in npm has their sources and does not export them one by one.
        { find: /^@neynar\/ui\/utils$/, replacement: path.join(ui, 'lib', 'utils.ts') },
        { find: /^@neynar\/ui\/(.+)$/, replacement: `${path.join(ui, 'components', 'ui')}/$1.tsx` },
        { find: /^@\//, replacement: `${path.join(app, 'src')}/` },
      ],
      dedupe: ['ai', 'react', 'react-dom'],
    },
    build: { minify: false, chunkSizeWarningLimit: 100_000 },
  });
  const server = await preview({ root: app, logLevel: 'error', preview: { port: 0, host: '127.0.0.1' } });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.httpServer.address());
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
