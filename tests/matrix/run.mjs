// Runs the matrix, or the cases that are named: `npm run test:matrix [names]`. It prints a table, and writes it to
// target/matrix.md; `--write` puts it into the docs of the package.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { launchChromium } from '../support/chromium.mjs';
import { pack } from '../support/pack.mjs';
import { root, since } from '../support/process.mjs';
import { cases } from './cases.mjs';
import { makeStage, runCase, tools, versionOf } from './kit.mjs';
import { table, writeDocs } from './table.mjs';

const args = process.argv.slice(2);
const asked = args.filter((word) => !word.startsWith('--'));
const unknown = asked.filter((name) => !cases.some((test) => test.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no case ${unknown.join(', ')}; there are ${cases.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
const chosen = cases.filter(({ name }) => asked.length === 0 || asked.includes(name));
if (args.includes('--write') && chosen.length < cases.length) {
  console.error('The table of the docs is written from all cases: name none.');
  process.exit(2);
}

const begin = performance.now();
const stage = await makeStage(await pack(), tools, true);
let browser;
const rows = [];
try {
  browser = await launchChromium();
  for (const test of chosen) {
    const start = performance.now();
    console.log(`${test.name}: ${test.says}, ${test.form}`);
    const row = { ...test, version: versionOf(tools, test.tool) };
    try {
      Object.assign(row, await runCase(test, stage, browser), { passed: true });
      console.log(`  ✔ ${row.version} (${since(start)})`);
    } catch (error) {
      row.passed = false;
      console.log(`  ✖ ${row.version} (${since(start)})\n    ${error.stack.replaceAll('\n', '\n    ')}`);
      if (error.cause) console.log(`    ${error.cause}`);
    }
    rows.push({ ...row, seconds: (performance.now() - start) / 1000 });
  }
} finally {
  await browser?.close();
  stage.close();
}

const text = await table(rows);
console.log(`\n${text}`);
mkdirSync(path.join(root, 'target'), { recursive: true });
writeFileSync(path.join(root, 'target', 'matrix.md'), text);
const failed = rows.filter(({ passed }) => !passed).length;
if (args.includes('--write') && failed === 0) await writeDocs(rows);
console.log(`matrix: ${rows.length - failed} passed, ${failed} failed (${since(begin)})`);
if (failed > 0) process.exitCode = 1;
