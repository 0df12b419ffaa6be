// Bundles a block as an application does, beside one major of the SDK, and loads it.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { compile, compileModule } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';
import { project } from './documents.mjs';

const aliases = {
  7: {},
  6: { ai: 'ai6', '@ai-sdk/react': 'react6', '@ai-sdk/svelte': 'svelte6', '@ai-sdk/vue': 'vue6' },
};

const components = {
  name: 'components',
  setup(setup) {
    setup.onLoad({ filter: /\.vue$/ }, ({ path: filename }) => {
      const { descriptor, errors } = parse(readFileSync(filename, 'utf8'), { filename });
      if (errors.length > 0) throw errors[0];
      const { content } = compileScript(descriptor, { id: path.basename(filename), inlineTemplate: true });
      return { contents: content, loader: 'ts', resolveDir: path.dirname(filename) };
    });
    const svelte = (work) => (args) => {
      const { js } = work(readFileSync(args.path, 'utf8'), { generate: 'client', filename: args.path });
      return { contents: js.code, loader: 'js' };
    };
    setup.onLoad({ filter: /\.svelte$/ }, svelte(compile));
    setup.onLoad({ filter: /\.svelte\.js$/ }, svelte(compileModule));
  },
};

/** The bundles, by what is in them: some are loaded by several tests. @type {Map<string, Promise<string>>} */
const bundles = new Map();

/**
 * @param block one of the documents
 * @param {string} major of the SDK
 * @param {string} also what the test needs of the same bundle, as code
 * @returns the file
 */
export function bundle({ place }, major, also = '') {
  const key = JSON.stringify([place, major, also]);
  if (!bundles.has(key)) bundles.set(key, write(place, major, also, bundles.size));
  return bundles.get(key);
}

async function write(place, major, also, number) {
  const { outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(place)};\n${also}`, resolveDir: path.dirname(place) },
    absWorkingDir: project,
    alias: aliases[major],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    conditions: ['svelte', 'browser', 'development'],
    banner: {
      js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);",
    },
    plugins: [components],
    logLevel: 'silent',
  });
  const file = `${place}.${number}.mjs`;
  writeFileSync(file, outputFiles[0].text);
  return file;
}

let loads = 0;
/** What a block exports, evaluated anew as in a page that is loaded. */
export const load = async (...args) => import(`${pathToFileURL(await bundle(...args)).href}?${loads++}`);
