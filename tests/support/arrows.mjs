// Reads which file of the crate uses which other one. The compiler allows circles between files, and no linter says them:
// cargo-modules does, and takes minutes to install. The layers come with it. Relies on the format that rustfmt makes.

/** One file uses another one. @typedef {{ from: string, to: string }} Arrow */

/** What a path may stand in without being one: comments, strings, characters. */
const TEXT =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\bb?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x[0-9a-fA-F]{2}|.)|[^\\'\n])'/g;
/** A module in the middle of a file. */
const INNER = /^( *)(?:pub(?:\([^)]*\))? )?mod \w+ \{\n[\s\S]*?^\1\}/gm;

/** The single paths of `a::{b, c::{d, e}}`. @param {string} uses @returns {string[]} */
function flat(uses) {
  const flatter = uses.replace(/([\w:]*)\{([^{}]*)\}/g, (_, before, inner) =>
    inner.split(',').flatMap((/** @type {string} */ one) => (one.trim() ? before + one.trim() : [])),
  );
  return flatter === uses ? uses.split(',').map((one) => one.trim()) : flat(flatter);
}

/** All arrows between files, each once. @param {Record<string, string>} files texts by paths @returns {Arrow[]} */
export function arrowsOf(files) {
  const moduleOf = (file) =>
    file
      .replace(/^src\/|(\/?mod|lib)?\.rs$/g, '')
      .split('/')
      .filter(Boolean);
  const fileOf = new Map(Object.keys(files).map((file) => [moduleOf(file).join('::'), file]));
  /** What a file uses, and what it passes on of others by which name, as paths from the crate. */
  const read = new Map(
    Object.entries(files).map(([file, text]) => {
      const own = moduleOf(file);
      const from = (path) => {
        const [first, ...rest] = path.split('::');
        if (first === 'crate') return rest;
        if (first === 'self') return [...own, ...rest];
        const ups = path.match(/^(super::)*/)[0].length / 'super::'.length;
        if (ups > 0) return [...own.slice(0, -ups), ...path.split('::').slice(ups)];
        return fileOf.has([...own, first].join('::')) ? [...own, first, ...rest] : undefined;
      };
      const [uses, passesOn] = [[], new Map()];
      const code = text
        .replace(TEXT, '')
        // There, the parent is the file.
        .replace(INNER, (all) =>
          all.replace(/(?<![\w:])super::(?=(super)?)/g, (_, more) => (more ? '' : 'self::')),
        )
        .replace(/\b(pub(?:\([^)]*\))? )?use ([^;]+);/g, (_, visible, paths) => {
          for (const one of flat(paths)) {
            const [path, as] = one.replace(/::self$/, '').split(/\s+as\s+/);
            const names = from(path);
            if (names && visible) passesOn.set(as ?? names.at(-1), names);
            // What a module passes on of its children it does not use itself.
            if (names && !(visible && own.every((name, at) => names[at] === name))) uses.push(names);
          }
          return '';
        });
      for (const [path] of code.matchAll(/(?<![\w:.])[a-z_]\w*(?:::\w+)+/g)) uses.push(from(path) ?? []);
      return [file, { uses, passesOn }];
    }),
  );
  /** The file in which something is made, not that which passes it on. */
  const homeOf = (names, seen = new Set()) => {
    const at = names.findLastIndex((_, at) => fileOf.has(names.slice(0, at + 1).join('::')));
    const file = fileOf.get(names.slice(0, at + 1).join('::'));
    const passed = read.get(file)?.passesOn.get(names[at + 1]);
    if (!passed || seen.has(passed)) return file;
    return homeOf([...passed, ...names.slice(at + 2)], seen.add(passed));
  };
  const arrows = new Map();
  for (const [from, { uses }] of read) {
    for (const to of uses.map((names) => homeOf(names))) {
      // The crate itself only declares the layers.
      if (to && to !== from && ![from, to].includes('src/lib.rs'))
        arrows.set(`${from} -> ${to}`, { from, to });
    }
  }
  return [...arrows.values()];
}

const rankOf = (file) =>
  file.startsWith('src/web/') ? 2 : /^src\/(rules|redact|server)\//.test(file) ? 1 : 0;

/** Those to a layer above. @param {Arrow[]} arrows */
export const upward = (arrows) => arrows.filter(({ from, to }) => rankOf(from) < rankOf(to));

/** Those in circles and from one circle to another. @param {Arrow[]} arrows @returns {Arrow[]} */
export function circles(arrows) {
  const [froms, tos] = [new Set(arrows.map(({ from }) => from)), new Set(arrows.map(({ to }) => to))];
  const left = arrows.filter(({ from, to }) => tos.has(from) && froms.has(to));
  return left.length === arrows.length ? left : circles(left);
}
