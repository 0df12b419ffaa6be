// What is measured by time: these run while nothing else does.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readDecisions } from 'tool-approval-guard/server';

import { answered, step } from './support/stored.mjs';

test('a list of 100,000 calls takes no longer per call than a short one', () => {
  const list = (count, approval) => [
    {
      id: 'a',
      role: 'assistant',
      parts: Array.from({ length: count }, (_, i) => [step, answered(`c${i}`, 'rm', true, approval)]).flat(),
    },
  ];
  for (const approval of [{}, { id: 'one for all' }]) {
    const time = (count) => {
      const messages = list(count, approval);
      const start = performance.now();
      assert.equal(readDecisions(messages).length, count);
      return (performance.now() - start) / count;
    };
    const best = (count) => Math.min(...Array.from({ length: 4 }, () => time(count)));
    best(2_000);
    const [short, long] = [best(2_000), best(100_000)];
    // In quadratic time it would be 50 times as much.
    assert.ok(long < 15 * short, `${long} ms instead of ${short} ms for each call`);
  }
});
