// The table of the matrix, for the terminal and for the docs.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import * as prettier from 'prettier';

import { root } from '../support/process.mjs';

const docs = path.join(root, 'pkg-template', 'docs', 'works-in.md');
const [above, below] = ['<!-- matrix -->', '<!-- /matrix -->'];

const columns = [
  ['Works in', ({ says }) => says],
  ['Version', ({ version }) => version],
  ['Form', ({ form }) => form],
  ['Result', ({ passed }) => (passed ? 'works' : '**fails**')],
  ['Bytes', ({ bytes }) => bytes?.toLocaleString('en') ?? ''],
  ['Seconds', ({ seconds }) => seconds.toFixed(1)],
];
const columnsOfDocs = [
  ['Works in', ({ says }) => says],
  ['Version', ({ version }) => version],
  ['Form', ({ form }) => form],
  ['Needs', ({ needs = 'nothing' }) => needs],
];

async function formatted(text) {
  const options = await prettier.resolveConfig(docs);
  return prettier.format(text, { ...options, parser: 'markdown' });
}

function markdown(which, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |\n`;
  return [
    line(which.map(([head]) => head)),
    line(which.map(([head]) => (['Bytes', 'Seconds'].includes(head) ? '--:' : '---'))),
    ...rows.map((row) => line(which.map(([, cell]) => cell(row).replaceAll('|', '\\|')))),
  ].join('');
}

/** What the matrix prints. */
export const table = (rows) => formatted(markdown(columns, rows));

function around() {
  const text = readFileSync(docs, 'utf8');
  const [from, to] = [text.indexOf(above), text.indexOf(below)];
  if (from < 0 || to < from) throw new Error(`${docs} has no place for the table: ${above} … ${below}`);
  return [text.slice(0, from + above.length), text.slice(from + above.length, to), text.slice(to)];
}

/** Puts the table into the docs of the package. */
export async function writeDocs(rows) {
  const [before, , after] = around();
  writeFileSync(docs, await formatted(`${before}\n\n${markdown(columnsOfDocs, rows)}\n${after}`));
}

/** A row of the docs as it has to be. */
export const rowOfDocs = (row) => columnsOfDocs.map(([, cell]) => cell(row)).join(' | ');

/** The rows of the docs as they are. */
export const rowsOfDocs = () =>
  around()[1]
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('\\|', '|')).join(' | '));
