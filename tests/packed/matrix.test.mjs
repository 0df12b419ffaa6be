// The fast cases of the matrix (tests/matrix), and what can be said of all of them without running them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { cases } from '../matrix/cases.mjs';
import { makeStage, runCase, tools, versionInLock } from '../matrix/kit.mjs';
import { rowOfDocs, rowsOfDocs } from '../matrix/table.mjs';
import { launchChromium } from '../support/chromium.mjs';
import { root } from '../support/process.mjs';

let browser;
let stage;
before(async () => {
  stage = await makeStage(process.env.PACKED_TARBALL, root, false);
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  stage?.close();
});

for (const one of cases.filter(({ fast }) => fast)) {
  test(`${one.says}, ${one.form}`, () => runCase(one, stage, browser));
}

test('an import that is not used leaves nothing in a bundle', async () => {
  const unused = {
    name: 'unused',
    form: 'default',
    project: ['unused'],
    steps: [
      // esbuild says that it leaves the imports out, which is what is asked for.
      ['esbuild', 'unused.js', '--bundle', '--format=esm', '--outdir=dist', '--log-level=error'],
    ],
    looks: [{ kind: 'printed', command: ['node', 'dist/unused.js'], value: { used: [] } }],
    output: 'dist',
    modules: {},
  };
  const { bytes } = await runCase(unused, stage, browser);
  assert.ok(bytes < 300, `${bytes} bytes`);
});

test('a case that is not done in its time fails, and leaves no process behind', async () => {
  const file = path.join(stage.folder, 'pid');
  const script = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(Date.now, 999)`;
  const looks = [{ kind: 'printed', command: ['node', '--eval', script] }];
  const late = { name: 'late', form: 'default', project: [], seconds: 2, looks };
  await assert.rejects(runCase(late, stage, browser), /not done after 2 s/);
  assert.throws(() => process.kill(Number(readFileSync(file, 'utf8')), 0), { code: 'ESRCH' });
});

test('the table of the docs has exactly the cases of the matrix, and its versions', () => {
  // The Node is that of the machine.
  const version = ({ tool }) => (tool === 'node' ? '' : versionInLock(tool));
  const rows = cases.map((one) => rowOfDocs({ ...one, version: version(one) }));
  const told = rowsOfDocs().map((row) => row.replace(/^(Node, \w+ \| )[\d.]+/, '$1'));
  assert.deepEqual(told, rows);
});
