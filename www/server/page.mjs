import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildGuides } from './guides.mjs';

/** @typedef {{ type: string, content: string | Uint8Array }} PageFile */

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
]);

/**
 * Builds the page and the guides into memory: nothing is written, and nothing but these files can be served.
 *
 * @returns {Promise<Map<string, PageFile>>}
 */
export async function buildPage() {
  if (!existsSync(new URL('../../pkg/index.js', import.meta.url))) {
    throw new Error('pkg/ is missing. Run `npm run build` first.');
  }
  // Only now: a server without the page need not wait for it.
  const { build } = await import('vite');
  const result = await build({
    configFile: fileURLToPath(new URL('../vite.config.mjs', import.meta.url)),
    mode: process.env.NODE_ENV ?? 'production',
    logLevel: 'error',
    build: { write: false },
  });
  if (!('output' in result)) throw new Error('Vite gave no output');

  /** @type {Map<string, PageFile>} */
  const page = new Map();
  for (const file of result.output) {
    const type = TYPES.get(file.fileName.slice(file.fileName.lastIndexOf('.'))) ?? 'application/octet-stream';
    page.set(`/${file.fileName}`, { type, content: file.type === 'chunk' ? file.code : file.source });
  }
  for (const [path, file] of buildGuides()) page.set(path, file);
  const index = page.get('/index.html');
  if (index) page.set('/', index);
  return page;
}
