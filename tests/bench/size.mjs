// What a browser downloads.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { transform } from 'esbuild';

import { budgets, sizes, sizesOf, withoutModule } from '../support/sizes.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const SECTIONS = [
  'custom',
  'types',
  'imports',
  'functions',
  'tables',
  'memories',
  'globals',
  'exports',
  'start',
  'elements',
  'code',
  'data',
  'data count',
];

/** The bytes of each section of a module; its layout is a byte for the kind, a LEB128 length, the content. */
function sectionsOf(module) {
  const sections = {};
  for (let at = 8; at < module.length;) {
    const kind = SECTIONS[module[at++]] ?? 'unknown';
    let length = 0;
    for (let shift = 0, more = true; more; shift += 7) {
      length |= (module[at] & 127) << shift;
      more = module[at++] > 127;
    }
    sections[kind] = (sections[kind] ?? 0) + length;
    at += length;
  }
  return sections;
}

/** Sizes of all entries, of the parts of the default one, and of the yardstick. */
export async function downloads() {
  const pkg = here('../../pkg');
  const module = readFileSync(here('../../target/bindgen/guard.opt.wasm'));
  const { code } = await transform(readFileSync(here('plain.mjs'), 'utf8'), { minify: true, format: 'esm' });
  return {
    entries: Object.entries(budgets).map(([name, { files, budget, target }]) => ({
      name,
      ...sizesOf(pkg, files),
      budget,
      target,
    })),
    module: sizes(module),
    script: sizes(Buffer.from(withoutModule(readFileSync(here('../../pkg/sync.js'), 'utf8')))),
    plain: sizes(Buffer.from(code)),
    sections: sectionsOf(module),
  };
}
