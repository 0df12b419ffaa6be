// Reads which file of the sources uses which other one, and finds what the design forbids: an arrow that points up, a
// cycle between files, a folder that the map does not name, a function that is too long.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A tree of sources: texts by their paths from the root of the repository. @typedef {ReadonlyMap<string, string>} Tree */
/** One file uses another one. @typedef {{ from: string, to: string }} Arrow */

/** The layers from below. A file may use files of its own rank and of lower ones. */
const LAYERS = [
  ['src/core/'],
  ['src/rules/', 'src/redact/', 'src/record/', 'src/server/'],
  ['src/web/'],
  ['pkg-template/src/'],
];
const CRATE = 'src/lib.rs';
const LONGEST_FUNCTION = 80;

/** Reads the sources of a folder. @returns {Tree} */
export function readTree(root, folders = ['src', 'pkg-template/src']) {
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(rs|ts|js|css)$/.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')),
  );
  return new Map(files.sort().map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

// ---- Rust --------------------------------------------------------------------------------------

/** The same text, where letters of comments, strings and characters are blanks: braces and paths in them do not count. */
function codeOf(text) {
  const literal =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\bb?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x[0-9a-fA-F]{2}|.)|[^\\'\n])'/g;
  return text.replace(literal, (all) => all.replace(/[^\n]/g, ' '));
}

/** Where the block, or the statement, ends that begins at a place. */
function endOf(code, from) {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    if ('{(['.includes(code[at])) depth += 1;
    else if ('})]'.includes(code[at])) {
      depth -= 1;
      if (depth === 0 && code[at] === '}') return at + 1;
    } else if (code[at] === ';' && depth === 0) return at + 1;
  }
  return code.length;
}

/** The code without items for tests, whose letters are blanks, and the names of the test modules in other files. */
function withoutTests(code) {
  const tests = [];
  for (const found of code.matchAll(/#\[cfg\((?:all\()?test\b[^\]]*\]/g)) {
    const from = found.index + found[0].length;
    const end = endOf(code, from);
    const module = /^(?:\s*#\[[^\]]*\])*\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;/.exec(
      code.slice(from, end),
    );
    if (module) tests.push(module[1]);
    code = code.slice(0, found.index) + code.slice(found.index, end).replace(/[^\n]/g, ' ') + code.slice(end);
  }
  return { code, tests };
}

/** The folder in which the child modules of a file are. */
const homeOf = (file) =>
  /(^|\/)(mod|lib)\.rs$/.test(file) ? path.posix.dirname(file) : file.replace(/\.rs$/, '');

/** `a::{b, c::d as e, self}` as single paths. */
function flat(tree, prefix = []) {
  tree = tree.trim();
  const open = tree.indexOf('{');
  if (open < 0) {
    const [whole, alias] = tree.split(/\s+as\s+/);
    const names = [...prefix, ...whole.split('::').map((name) => name.trim())].filter(Boolean);
    const own = names.at(-1) === 'self' && names.length > 1 ? names.slice(0, -1) : names;
    return [{ names: own, as: alias?.trim() ?? own.at(-1) }];
  }
  const before = [
    ...prefix,
    ...tree
      .slice(0, open)
      .split('::')
      .map((name) => name.trim()),
  ].filter(Boolean);
  const inner = tree.slice(open + 1, tree.lastIndexOf('}'));
  const branches = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= inner.length; at++) {
    if (inner[at] === '{') depth += 1;
    else if (inner[at] === '}') depth -= 1;
    else if ((inner[at] === ',' && depth === 0) || at === inner.length) {
      if (inner.slice(from, at).trim() !== '') branches.push(inner.slice(from, at));
      from = at + 1;
    }
  }
  return branches.flatMap((branch) => flat(branch, before));
}

/** What the files of the crate declare, export and use. */
function readCrate(tree) {
  const files = new Map();
  for (const [file, text] of tree) {
    if (!file.endsWith('.rs')) continue;
    const { code, tests } = withoutTests(codeOf(text));
    files.set(file, { code, tests, children: new Map(), reexports: new Map() });
  }
  for (const [file, { code, tests }] of [...files]) {
    for (const name of tests) {
      for (const test of [`${homeOf(file)}/${name}.rs`, `${homeOf(file)}/${name}/mod.rs`]) files.delete(test);
    }
    for (const [, name] of code.matchAll(/\bmod\s+(\w+)\s*;/g)) {
      const child = [`${homeOf(file)}/${name}.rs`, `${homeOf(file)}/${name}/mod.rs`].find((it) =>
        files.has(it),
      );
      if (child) files.get(file)?.children.set(name, child);
    }
  }
  const parents = new Map();
  for (const [file, { children }] of files) for (const child of children.values()) parents.set(child, file);

  /** The file that a path leads to, from a file; nothing where it leads out of the crate. */
  const resolve = (file, names, seen = new Set()) => {
    let [at, rest] = [file, names];
    if (rest[0] === 'crate') [at, rest] = [CRATE, rest.slice(1)];
    else if (rest[0] === 'self') rest = rest.slice(1);
    else if (rest[0] === 'super') {
      while (rest[0] === 'super') [at, rest] = [parents.get(at), rest.slice(1)];
    } else if (!files.get(file)?.children.has(rest[0])) return undefined;
    while (at !== undefined && rest.length > 0) {
      const { children, reexports } = files.get(at) ?? { children: new Map(), reexports: new Map() };
      const [name] = rest;
      if (children.has(name)) [at, rest] = [children.get(name), rest.slice(1)];
      else if (reexports.has(name) && !seen.has(`${at} ${name}`)) {
        // An item is where it is made, not where it is passed on.
        seen.add(`${at} ${name}`);
        return resolve(at, [...reexports.get(name), ...rest.slice(1)], seen) ?? at;
      } else break;
    }
    return at;
  };
  const uses = new Map();
  for (const [file, source] of files) {
    const paths = [];
    let { code } = source;
    for (const [whole, visibility, body] of code.matchAll(/\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);/g)) {
      code = code.replace(whole, '');
      for (const { names, as } of flat(body)) {
        // What a module passes on of its children it does not use itself.
        const isOwn = visibility !== undefined && (names[0] === 'self' || source.children.has(names[0]));
        if (visibility !== undefined && as !== '*') source.reexports.set(as, names);
        if (!isOwn) paths.push(names);
      }
    }
    for (const [whole] of code.matchAll(/(?<![\w:])(?:crate|super|self)(?:\s*::\s*\w+)+/g)) {
      paths.push(whole.split('::').map((name) => name.trim()));
    }
    for (const [whole, first] of code.matchAll(/(?<![\w:.])([a-z_]\w*)(?:::\w+)+/g)) {
      if (source.children.has(first)) paths.push(whole.split('::'));
    }
    uses.set(file, paths);
  }
  return { files, uses, resolve };
}

/** @returns {Arrow[]} */
function rustArrows(tree) {
  const { uses, resolve } = readCrate(tree);
  const arrows = [];
  for (const [file, paths] of uses) {
    for (const names of paths) {
      const to = resolve(file, names);
      // The crate itself only declares the layers.
      if (to !== undefined && to !== file && to !== CRATE && file !== CRATE) arrows.push({ from: file, to });
    }
  }
  return arrows;
}

// ---- TypeScript --------------------------------------------------------------------------------

/** @returns {Arrow[]} */
function scriptArrows(tree) {
  const arrows = [];
  for (const [file, text] of tree) {
    if (!/\.[jt]s$/.test(file)) continue;
    const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    const froms = /\bfrom\s*['"](\.[^'"]+)['"]|\bimport\s*\(?\s*['"](\.[^'"]+)['"]/g;
    for (const [, named, bare] of code.matchAll(froms)) {
      const place = path.posix.join(path.posix.dirname(file), named ?? bare);
      const to = [place, place.replace(/\.js$/, '.ts')].find((it) => tree.has(it));
      if (to === undefined) throw new Error(`${file} imports ${named ?? bare}, which is not there.`);
      arrows.push({ from: file, to });
    }
  }
  return arrows;
}

/** All arrows between files, each once. @returns {Arrow[]} */
export function arrowsOf(tree) {
  const all = [...rustArrows(tree), ...scriptArrows(tree)];
  return [...new Map(all.map((arrow) => [nameOf(arrow), arrow])).values()];
}

/** @param {Arrow} arrow */
export const nameOf = ({ from, to }) => `${from} -> ${to}`;

// ---- What the design forbids -------------------------------------------------------------------

const rankOf = (file) => LAYERS.findIndex((folders) => folders.some((folder) => file.startsWith(folder)));

/** Arrows to a layer above. @param {Arrow[]} arrows */
export const upward = (arrows) => arrows.filter(({ from, to }) => rankOf(from) < rankOf(to)).map(nameOf);

/** Groups of files each of which leads to all others of its group, by Tarjan's algorithm. @param {Arrow[]} arrows */
export function cycles(arrows) {
  const next = new Map();
  for (const { from, to } of arrows) {
    if (!next.has(from)) next.set(from, []);
    next.get(from).push(to);
  }
  const index = new Map();
  const low = new Map();
  const stack = [];
  const groups = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const other of next.get(file) ?? []) {
      if (!index.has(other)) visit(other);
      if (stack.includes(other)) low.set(file, Math.min(low.get(file), low.get(other)));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) groups.push(group.sort());
  };
  for (const file of next.keys()) if (!index.has(file)) visit(file);
  return groups;
}

/**
 * The files that are in a circle although the known arrows are left out, and the known ones that are in none any more.
 *
 * @param {Arrow[]} arrows
 * @param {readonly string[]} known names of arrows
 */
export function circles(arrows, known = []) {
  const groups = cycles(arrows);
  const isInCircle = ({ from, to }) => groups.some((group) => group.includes(from) && group.includes(to));
  const inCircle = new Set(arrows.filter(isInCircle).map(nameOf));
  return {
    found: cycles(arrows.filter((arrow) => !known.includes(nameOf(arrow)))),
    gone: known.filter((name) => !inCircle.has(name)),
  };
}

/** Folders of sources that the map in HACKING.md does not name. @param {Tree} tree @param {string} document */
export function unnamedFolders(tree, document) {
  const map = document.slice(document.indexOf('\n## The map'), document.indexOf('\n### Where to add what'));
  const sections = map.split('\n### ').slice(1);
  const isCode = (file) => !/(^|\/)(tests|properties)\.rs$/.test(file);
  const folders = new Set([...tree.keys()].filter(isCode).map((file) => path.posix.dirname(file)));
  return [...folders].filter((folder) => {
    if (folder === 'src') return false;
    return !sections.some((section) => {
      const title = section.slice(0, section.indexOf('\n'));
      const roots = [...title.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      const spans = [...section.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      const isNamed = (name) => spans.some((span) => span.startsWith(`${name}/`));
      return roots.some(
        (root) =>
          folder === root || (folder.startsWith(`${root}/`) && isNamed(folder.slice(root.length + 1))),
      );
    });
  });
}

/** Functions of the core with more lines than one can keep in mind, as `file: name`. @param {Tree} tree */
export function longFunctions(tree, longest = LONGEST_FUNCTION) {
  const long = [];
  for (const [file, { code }] of readCrate(tree).files) {
    if (!file.startsWith('src/core/')) continue;
    for (const found of code.matchAll(/\bfn\s+(\w+)/g)) {
      const body = code.slice(found.index, endOf(code, found.index));
      if (body.endsWith('}') && body.split('\n').length > longest) long.push(`${file}: ${found[1]}`);
    }
  }
  return long;
}
