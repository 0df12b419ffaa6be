// What a browser downloads.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import { transform } from 'esbuild';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const sizes = (bytes) => ({
  raw: bytes.length,
  gzip: gzipSync(bytes, { level: 9 }).length,
  brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
});

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

/** Sizes of the default entry, of the module inside it, of the rest, of the other entries, and of the yardstick. */
export async function downloads() {
  const entry = readFileSync(here('../../pkg/index.js'));
  const text = entry.toString('utf8');
  // The module is embedded in hexadecimal digits; this is its head, and version 1.
  const hex = /0061736d01000000(?:[0-9a-f]{2})+/.exec(text)?.[0];
  if (hex === undefined) throw new Error('pkg/index.js carries no module');
  const module = Buffer.from(hex, 'hex');
  const { code } = await transform(readFileSync(here('plain.mjs'), 'utf8'), { minify: true, format: 'esm' });
  const extra = (name) => [name, sizes(readFileSync(here(`../../pkg/${name}.js`)))];
  return {
    extras: Object.fromEntries(['rules', 'record', 'element', 'show', 'react', 'vue', 'svelte'].map(extra)),
    entry: sizes(entry),
    module: sizes(module),
    script: sizes(Buffer.from(text.replace(hex, ''))),
    plain: sizes(Buffer.from(code)),
    sections: sectionsOf(module),
  };
}
