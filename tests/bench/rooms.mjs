// What each room and each dependency costs: of the JavaScript by its source map, of the module by its names.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TraceMap, eachMapping } from '@jridgewell/trace-mapping';

import { root, run } from '../support/process.mjs';
import { brotli, withoutModule } from '../support/sizes.mjs';

const pkg = path.join(root, 'pkg');
const bindgen = path.join(root, 'target', 'bindgen');

const add = (costs, name, bytes) => costs.set(name, (costs.get(name) ?? 0) + bytes);
const largestFirst = (costs) => [...costs].sort(([, a], [, b]) => b - a);

/**
 * The sources of a bundle, by what would be saved without them: what two of them share counts for neither.
 *
 * @param {string} file in the package
 */
function sources(file) {
  const code = readFileSync(path.join(pkg, file), 'utf8');
  const map = new TraceMap(readFileSync(path.join(root, 'target', 'maps', `${file}.map`), 'utf8'));
  const lines = [0];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) lines.push(at + 1);
  const marks = [];
  eachMapping(map, ({ generatedLine, generatedColumn, source }) =>
    marks.push({ at: lines[generatedLine - 1] + generatedColumn, source }),
  );
  marks.sort((a, b) => a.at - b.at);
  const pieces = marks
    .map(({ at, source }, i) => ({ source, text: code.slice(at, marks[i + 1]?.at ?? code.length) }))
    // What the module is made of is said by its functions.
    .filter(({ text }) => text === withoutModule(text));
  const whole = brotli(pieces.map(({ text }) => text).join(''));
  const costs = new Map();
  for (const source of new Set(pieces.map((piece) => piece.source))) {
    const rest = pieces.filter((piece) => piece.source !== source);
    const name = source === null ? 'the bundle itself' : source.replace(/^.*\/src\//, '');
    add(costs, name, whole - brotli(rest.map(({ text }) => text).join('')));
  }
  return { whole, costs: largestFirst(costs) };
}

/** An unsigned LEB128 number, and the place behind it. */
function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

/** The functions of a module with their names and bytes: https://webassembly.github.io/spec/core/binary/modules.html */
function functions(bytes) {
  const imported = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(
    ({ kind }) => kind === 'function',
  ).length;
  const names = new Map();
  const found = [];
  for (let at = 8; at < bytes.length;) {
    const kind = bytes[at];
    const [length, begin] = number(bytes, at + 1);
    at = begin + length;
    if (kind === 10) {
      let [count, place] = number(bytes, begin);
      for (; count > 0; count--) {
        const [size, code] = number(bytes, place);
        found.push(size + code - place);
        place = code + size;
      }
    } else if (kind === 0) {
      let [size, place] = number(bytes, begin);
      if (bytes.toString('utf8', place, place + size) !== 'name') continue;
      for (place += size; place < at;) {
        const part = bytes[place];
        let inside;
        [size, inside] = number(bytes, place + 1);
        place = inside + size;
        if (part !== 1) continue;
        let count;
        [count, inside] = number(bytes, inside);
        for (; count > 0; count--) {
          let index;
          [index, inside] = number(bytes, inside);
          [size, inside] = number(bytes, inside);
          names.set(index, bytes.toString('utf8', inside, inside + size));
          inside += size;
        }
      }
    }
  }
  return found.map((size, i) => ({ name: names.get(imported + i) ?? '', size }));
}

/** Whose a function is, as its name says. */
function roomOf(name) {
  const own = /tool_approval_guard::((?:[a-z_0-9]+::)+)/.exec(name)?.[1].split('::').filter(Boolean);
  if (own !== undefined) return own.slice(0, own[0] === 'core' ? 3 : 2).join('/');
  // What is exported is named after its class.
  if (/^(guard|rules|record|document|storage|server)core_|^(redact|verify|read_decisions)\b/.test(name))
    return 'web (exported)';
  if (/dlmalloc|__rust_alloc|__rdl_|__rust_realloc/.test(name)) return 'dlmalloc';
  const crate =
    /\b(sha2|digest|serde_json|serde_wasm_bindgen|serde|js_sys|web_sys|gloo_timers|wasm_bindgen)\b/.exec(
      name,
    )?.[1];
  if (crate !== undefined) return crate;
  if (/__wbindgen|__wbg|externref/.test(name)) return 'wasm_bindgen';
  if (/\b(core|alloc|std|compiler_builtins|hashbrown)\b/.test(name)) return 'std';
  return 'shared code';
}

/** The functions of a module by room, and what is no code, as bytes before they are compressed. */
async function rooms(feature) {
  const named = path.join(bindgen, `${feature}.named.wasm`);
  // The same passes as in the build, and the names stay.
  await run(process.execPath, [
    path.join(root, 'node_modules', 'binaryen', 'bin', 'wasm-opt'),
    ...['-Oz', '--converge', '-g', path.join(bindgen, `${feature}.silent.wasm`), '-o', named],
  ]);
  const costs = new Map();
  let code = 0;
  for (const { name, size } of functions(readFileSync(named))) {
    add(costs, roomOf(name), size);
    code += size;
  }
  const module = readFileSync(path.join(bindgen, `${feature}.opt.wasm`));
  add(costs, 'data, types, tables', module.length - code);
  return { whole: brotli(module), raw: module.length, costs: largestFirst(costs) };
}

/** Of each entry with a module: the JavaScript around it, and the module. */
export async function breakdown() {
  const entries = {
    guard: 'sync.js',
    rules: 'rules.js',
    redact: 'redact.js',
    record: 'record.js',
  };
  const found = {};
  for (const [feature, file] of Object.entries(entries)) {
    found[feature] = { script: sources(file), module: await rooms(feature) };
  }
  return { ...found, element: { script: sources('element.js') } };
}
