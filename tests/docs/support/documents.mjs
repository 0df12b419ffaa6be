// The documents as they are published.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { read } from '../../support/markdown.mjs';

/** The project in which the tests and the packed package are. */
export const project = fileURLToPath(new URL('../../..', import.meta.url));
/** The package as it is installed. */
export const pkg = path.join(project, 'node_modules', 'tool-approval-guard');
/** The repository. */
export const repository = process.env.DOCS_ROOT;
assert.ok(repository, 'DOCS_ROOT is set by tests/run.mjs.');

const under = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .sort();

/** What the package ships, but for what is generated. */
export const shipped = [
  read('README.md of the package', path.join(pkg, 'README.md')),
  ...under(path.join(pkg, 'docs'))
    .filter((name) => !name.startsWith('api'))
    .map((name) => read(`docs/${name}`, path.join(pkg, 'docs', name))),
];
/** What is generated. */
export const generated = under(path.join(pkg, 'docs', 'api')).map((name) =>
  read(`docs/api/${name}`, path.join(pkg, 'docs', 'api', name)),
);
/** What only the repository has. */
export const own = [
  'README.md',
  'HACKING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'src/decisions.md',
  'src/core/laws.md',
  'tests/bench/README.md',
  'www/terminal/README.md',
  'pkg-template/examples/python/README.md',
]
  .filter((name) => existsSync(path.join(repository, name)))
  .map((name) => read(name, path.join(repository, name)));

export const written = [...shipped, ...own];
export const blocks = written.flatMap((document) => document.blocks);
assert.ok(shipped.length > 1, 'The package has no guides.');
