// The programs that the guides for backends and for a migration have do what they say.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import fc from 'fast-check';
import { readDecisions } from 'tool-approval-guard/server';
import ts from 'typescript';

import { plain, strangeList } from './support/lists.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';

const installed = path.dirname(fileURLToPath(import.meta.resolve('tool-approval-guard/package.json')));
const vectors = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('tool-approval-guard/vectors/server.json')), 'utf8'),
);
const blocks = (language, document) =>
  [...document.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code);

describe('in Python', () => {
  const main = `
import json, sys
from decisions import read_decisions
json.dump([read_decisions(v["messages"], v.get("clientTools", ()), v.get("requested"))
           for v in json.load(sys.stdin)], sys.stdout)
`;
  /** The results of the program for each list. */
  function run(lists) {
    const { status, stdout, stderr } = spawnSync('python3', ['-B', '-c', main], {
      cwd: path.join(installed, 'examples', 'python'),
      input: JSON.stringify(lists),
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  }

  test('the program does what the vectors say', () => {
    const answers = run(vectors);
    for (const [i, { id, title, expect }] of vectors.entries()) {
      assert.deepEqual(answers[i], expect, `${id} ${title}`);
    }
  });

  test('for random lists it agrees with the package', () => {
    const some = (...ids) => fc.option(fc.subarray(ids), { nil: undefined });
    const question = fc.record({
      messages: strangeList,
      clientTools: some('a'),
      requested: some('p1 c1', 'p1 c2', 'p2 c2', 'p3 c3', 'p4 c1').map((pairs) =>
        pairs?.map((pair) => {
          const [approvalId, toolCallId] = pair.split(' ');
          return { approvalId, toolCallId };
        }),
      ),
    });
    const lists = fc.sample(question, { numRuns: 5_000, seed: 20_261_121 });
    const answers = run(lists);
    for (const [i, { messages, clientTools, requested }] of lists.entries()) {
      const options = { ...(clientTools && { clientTools }), ...(requested && { requested }) };
      const own = readDecisions(messages, options).map(plain);
      assert.deepEqual(answers[i], own, JSON.stringify(lists[i]));
    }
  });
});

describe('a backend that reads only outputs', () => {
  const migration = readFileSync(path.join(installed, 'docs', 'migration.md'), 'utf8');
  const source = blocks('ts', migration).find((code) => code.includes('resultsOf'));

  test('learns of denials, outputs and errors, and waits for the rest', async () => {
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    // In a folder beside this file, so that the package is found.
    const folder = mkdtempSync(path.join(import.meta.dirname, 'recipe-'));
    try {
      writeFileSync(path.join(folder, 'results.mjs'), outputText);
      const { resultsOf } = await import(pathToFileURL(path.join(folder, 'results.mjs')).href);
      const approval = (id) => ({ approval: { id: `ap-${id}`, approved: true } });
      const messages = [
        user(),
        assistant(
          'a1',
          answered('c1', 'rm', false, { reason: 'Not this file' }),
          answered('c2', 'rm', false),
          // What a tool component wrote over a denial is made up.
          call('c3', 'rm', 'output-available', {
            output: { success: false },
            approval: { id: 'ap-c3', approved: false },
          }),
          call('c4', 'rm', 'output-available', { output: { ok: true }, ...approval('c4') }),
          call('c5', 'rm', 'output-error', { errorText: 'No such file', ...approval('c5') }),
          answered('c6', 'rm', true),
          asking('c7', 'rm'),
        ),
      ];
      assert.deepEqual(resultsOf(messages), [
        { toolCallId: 'c1', error: 'Not this file' },
        { toolCallId: 'c2', error: 'The user denied permission for this call.' },
        { toolCallId: 'c3', error: 'The user denied permission for this call.' },
        { toolCallId: 'c4', output: { ok: true } },
        { toolCallId: 'c5', error: 'No such file' },
      ]);
      assert.throws(
        () => resultsOf([user(), assistant('a1', answered('c1', 'rm', 'no'))]),
        /malformed-answer/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('the program, which is the rule, names every code, and no other', () => {
  const types = readFileSync(path.join(installed, 'server.d.ts'), 'utf8');
  const [, list] = /MalformedCode =([^;]+);/.exec(types.replace(/\/\*[^]*?\*\//g, ''));
  const codes = [...list.matchAll(/'([\w-]+)'/g)].map(([, code]) => code);
  assert.ok(codes.length > 20);
  const program = readFileSync(path.join(installed, 'examples', 'python', 'decisions.py'), 'utf8');
  const words = [...program.matchAll(/"([a-z]+(?:-[a-z]+)+|unanswered|repeated)"/g)].map(([, word]) => word);
  // States and types of parts have hyphens, too, and so has the field that holds the input before a change.
  const others =
    /^(input|output|approval)-(streaming|available|requested|responded|error|denied)$|^(dynamic-tool|step-start|steering-message|tool-approval-guard)$/;
  const named = words.filter((word) => !others.test(word));
  assert.deepEqual([...new Set(named)].sort(), codes.sort());
});
