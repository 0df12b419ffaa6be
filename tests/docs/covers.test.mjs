// What the types export stands in the documents: in a guide, or in the reference with what it means. And what the documents
// name is there. The lists are those of the
// declarations of the package, read by TypeScript.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { codeOf } from '../support/markdown.mjs';
import { generated, pkg, repository, shipped, written } from './support/documents.mjs';

const { exports } = JSON.parse(readFileSync(path.join(pkg, 'package.json'), 'utf8'));
const entries = Object.entries(exports).filter(
  ([entry, { types }]) => types !== undefined && !entry.includes('*'),
);
const program = ts.createProgram(
  entries.map(([, { types }]) => path.join(pkg, types)),
  {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
    strict: true,
    types: [],
    skipLibCheck: true,
    paths: { ai: [path.join(repository, 'node_modules/ai/dist/index.d.ts')] },
  },
);
const checker = program.getTypeChecker();

/** Everything that an entry exports, by name. */
const exported = new Map();
for (const [entry, { types }] of entries) {
  const source = program.getSourceFile(path.join(pkg, types));
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) {
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (!exported.has(symbol.name)) exported.set(symbol.name, { entry, symbol: real });
  }
}

/** What stands between a guard and the rest of the package; nobody else calls or reads it. */
const inner = [
  'AttachableChat',
  'AttachedApprovalResponse',
  'AttachedToolOutput',
  'CallNote',
  'ChatOfRefs',
  'KeptGrant',
  'KnownCall',
  'SparingRule',
  'QueueElementProps',
];

const nameOf = (symbol) => symbol.escapedName.replace(/^__@(\w+?)@\d+$/, '[Symbol.$1]');
const literals = (type) =>
  type.isUnion() ? type.types.flatMap(literals) : type.isStringLiteral() ? [type.value] : [];
const typeOf = (name) => {
  const found = exported.get(name);
  assert.ok(found, `The package exports no ${name}.`);
  return checker.getDeclaredTypeOfSymbol(found.symbol);
};
/** The members of an interface, or the texts of a union; of `Verdict.reason`, those of that field. */
function contents(of) {
  const [name, field] = of.split('.');
  const type = typeOf(name);
  if (field) {
    const property = checker.getPropertyOfType(type, field);
    assert.ok(property, `${name} has no ${field}.`);
    return literals(checker.getTypeOfSymbol(property));
  }
  const texts = literals(type);
  return texts.length > 0 ? texts : checker.getPropertiesOfType(type).map(nameOf);
}

/** `decide(call, choice)` is about `decide`, `'allow-once'` about `allow-once`. */
const plain = (code) => code.replace(/^'(.*)'$/, '$1').replace(/\(.*\)$/s, '');

const tables = written.flatMap((document) => document.lists);
const lists = new Map();
for (const table of tables.filter(({ kind }) => kind === 'lists')) {
  lists.set(table.of, [...(lists.get(table.of) ?? []), table]);
}

describe('tables that list a type list exactly that', () => {
  for (const [of, own] of lists) {
    test(`${own.map(({ document, line }) => `${document.name}:${line}`).join(', ')}: ${of}`, () => {
      const named = own.flatMap(({ rows }) => rows.slice(1).flatMap(([cell]) => codeOf(cell).map(plain)));
      assert.deepEqual(named.sort(), contents(of).sort());
    });
  }

  test('what a reader looks up has such a table', () => {
    const needed = ['RuleProblem.code', 'RuleLint.code'];
    for (const [name, { symbol }] of exported) {
      const type = checker.getDeclaredTypeOfSymbol(symbol);
      // The ids of messages are listed with their texts, in the package.
      if (!name.endsWith('MessageId') && !inner.includes(name) && literals(type).length > 3)
        needed.push(name);
    }
    // The page of the reference has the types all of whose texts say what they mean.
    const values = generated.find(({ name }) => name === 'docs/api/values.md');
    const covered = (name) =>
      lists.has(name) ||
      values.anchors.has(name.toLowerCase().replace('.', '')) ||
      [...lists.keys()].some((of) => sameTexts(of, name));
    assert.deepEqual(
      [...new Set(needed)].filter((name) => !covered(name)),
      [],
    );
  });
  /** The reasons for a yes and for a no are those of the verdict. */
  const sameTexts = (of, name) => {
    const all = new Set(contents(of));
    return contents(name).every((text) => all.has(text));
  };
});

const saysWhatItIs = (symbol) => symbol.getDocumentationComment(checker).length > 0;

describe('nothing that is exported is missing: a guide names it, or its declaration says what it is', () => {
  /** Whether the declaration of a member says what it is. */
  const isExplained = (of, member) => {
    const property = checker
      .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(of))
      .find((each) => nameOf(each) === member);
    return property !== undefined && saysWhatItIs(property);
  };
  // As code, or in a block of code: `batch.looping`, `{ place, message, mend }`, `export(format)`.
  const said = new Set(
    written
      .flatMap((document) => [
        ...document.code.map(({ text }) => text),
        ...document.blocks.map(({ code }) => code),
      ])
      .flatMap((code) => code.match(/\[Symbol\.\w+\]|[\w$]+(?:-[\w]+)*/g) ?? []),
  );
  for (const [name, { entry, symbol }] of exported) {
    if (inner.includes(name)) continue;
    const isValue = Boolean(symbol.flags & (ts.SymbolFlags.Value & ~ts.SymbolFlags.Namespace));
    const members = symbol.flags & ts.SymbolFlags.Interface ? contents(name) : [];
    const unexplained = members.filter((each) => !isExplained(symbol, each));
    const needed = [...(isValue ? [name] : []), ...unexplained].filter((each) => !/^(__|#)/.test(each));
    if (needed.length === 0) continue;
    test(`${name} of ${entry}`, () => {
      assert.deepEqual(
        needed.filter((each) => !said.has(each)),
        [],
      );
    });
  }
  for (const entry of Object.keys(exports).filter((name) => !name.includes('*') && !name.endsWith('.json'))) {
    test(`the entry ${entry}`, () => {
      const name = path.posix.join('tool-approval-guard', entry);
      const page = shipped.find(({ name }) => name === 'docs/entries.md');
      assert.ok(
        page.code.some(({ text }) => text === name),
        `docs/entries.md names no ${name}`,
      );
    });
  }
});

describe('each option says what happens without it, and which guide is about it', () => {
  const isOptions = ([name, { symbol }]) =>
    symbol.flags & ts.SymbolFlags.Interface &&
    /(Options|Config|Props|Info|Profile|Description|User)$/.test(name);
  const places = new Set(
    shipped.flatMap(({ name, anchors }) => [name, ...[...anchors].map((anchor) => `${name}#${anchor}`)]),
  );
  const isLink = (text) => places.has(/^\s*`([^`]+)`$/.exec(text)?.[1]);
  const own = [...exported].filter(isOptions).filter(([name]) => !inner.includes(name));
  test('there are such types', () => assert.ok(own.length > 15, `${own.length}`));
  for (const [name, { symbol }] of own) {
    test(name, () => {
      const wrong = [];
      for (const member of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))) {
        if (!(member.flags & ts.SymbolFlags.Optional)) continue;
        const tags = new Map(
          member.getJsDocTags(checker).map(({ name, text }) => [name, ts.displayPartsToString(text)]),
        );
        if (!saysWhatItIs(member) || !tags.get('default') || !isLink(tags.get('see'))) {
          wrong.push(`${nameOf(member)} ${tags.get('see') ?? ''}`);
        }
      }
      assert.deepEqual(wrong, []);
    });
  }
});

describe('nothing that the documents name is made up', () => {
  const known = {
    guard: 'ApprovalGuard',
    record: 'ToolApprovalRecord',
    rules: 'Rules',
    batch: 'BatchView',
    call: 'CallView',
    queue: 'ToolApprovalQueue',
  };
  for (const document of written) {
    test(document.name, () => {
      const wrong = [];
      for (const { text, line } of document.code) {
        for (const [whole, object, member] of text.matchAll(/(?<![\w./-])(\w+)\.(\w+)/g)) {
          if (!Object.hasOwn(known, object)) continue;
          // Files have dots, too.
          if (/\.(rs|ts|mjs|js|wasm|md|json|test)$/.test(whole)) continue;
          const type = typeOf(known[object]);
          if (!checker.getPropertyOfType(type, member)) wrong.push(`${line}: ${whole}`);
        }
        const [, entry] = /^tool-approval-guard(\/[\w./-]+)?$/.exec(text) ?? [];
        if (entry === undefined) continue;
        const isThere = Object.keys(exports).some((name) =>
          new RegExp(`^${name.replaceAll('.', '\\.').replace('*', '[\\w-]+')}$`).test(`.${entry}`),
        );
        if (!isThere) wrong.push(`${line}: ${text}`);
      }
      assert.deepEqual(wrong, []);
    });
  }
});
