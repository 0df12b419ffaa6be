// Loads a TypeScript module of the shell.
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles a module and returns the file.
 *
 * @param {string} name of the module below `pkg-template/src`
 */
export async function bundle(name) {
  const outfile = path.join(root, 'target', 'source', `${name.replaceAll('/', '-')}.mjs`);
  await build({
    entryPoints: [path.join(root, 'pkg-template', 'src', `${name}.ts`)],
    bundle: true,
    outfile,
    format: 'esm',
    target: 'es2022',
  });
  return pathToFileURL(outfile).href;
}

/** What a module exports. @param {string} name of the module below `pkg-template/src` */
export const load = async (name) => import(await bundle(name));
