// What is measured by time: these run while nothing else does.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createApprovalGuard } from 'tool-approval-guard/sync';
import { createRecord } from 'tool-approval-guard/record';
import { createRules } from 'tool-approval-guard/rules';
import { mergeAnswers, readDecisions } from 'tool-approval-guard/server';
import { verifyRecord } from 'tool-approval-guard/verify';

import { answered, asking, assistant, step, user } from './support/stored.mjs';

test('a list of 50,000 calls takes no longer per call than a short one', () => {
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
    const [short, long] = [best(2_000), best(50_000)];
    // In quadratic time it would be 25 times as much.
    assert.ok(long < 15 * short, `${long} ms instead of ${short} ms for each call`);
  }
});

test('a call that comes a hundred thousand times in an answer takes no longer for each time', () => {
  const asks = asking('c1', 'pick');
  const stored = [user(), assistant('a1', asks)];
  const time = (count) => {
    const part = {
      type: 'tool-pick',
      toolCallId: 'c1',
      state: 'output-available',
      input: asks.input,
      output: 1,
    };
    const claimed = [assistant('a1', ...Array.from({ length: count }, () => ({ ...part })))];
    const start = performance.now();
    mergeAnswers(stored, claimed, { clientTools: ['pick'] });
    return (performance.now() - start) / count;
  };
  const best = (count) => Math.min(...Array.from({ length: 3 }, () => time(count)));
  best(4_000);
  const [short, long] = [best(4_000), best(100_000)];
  // In quadratic time it would be 25 times as much.
  assert.ok(long < 8 * short, `${long} ms instead of ${short} ms for each time`);
});

test('a place that cannot be read takes a small part of the time of a call', () => {
  const lists = {
    calls: (count) => Array.from({ length: count }, (_, i) => answered(`c${i}`, 'rm', true)),
    wrong: (count) => Array.from({ length: count }, () => 1),
  };
  const best = (kind, count) => {
    const messages = [{ id: 'a', role: 'assistant', parts: lists[kind](count) }];
    const time = () => {
      const start = process.cpuUsage();
      assert.equal(readDecisions(messages).length, count);
      const { user: own, system } = process.cpuUsage(start);
      return (own + system) / count;
    };
    return Math.min(...Array.from({ length: 4 }, time));
  };
  for (const kind of ['calls', 'wrong']) best(kind, 2_000);
  const [call, wrong] = [best('calls', 50_000), best('wrong', 50_000)];
  // In a list of 2 MB there can be a million of them.
  assert.ok(wrong < call / 4, `${wrong} µs for a place that cannot be read, ${call} µs for a call`);
});

test('an export that is broken at its second line takes no time for those after it', () => {
  const record = createRecord();
  createApprovalGuard({ chatId: 'c', record }).getSnapshot();
  const [header] = record.export('jsonl').split('\n');
  const best = (rest) => {
    const text = `${header}\n${rest}\n`;
    const time = () => {
      const start = process.cpuUsage();
      const { type, line } = verifyRecord(text);
      const { user: own, system } = process.cpuUsage(start);
      assert.deepEqual({ type, line }, { type: 'broken', line: 2 });
      return own + system;
    };
    return Math.min(...Array.from({ length: 3 }, time));
  };
  const [one, many] = [best('x'.repeat(10_000_000)), best('\n'.repeat(10_000_000))];
  assert.ok(many < one * 4, `${many} µs for ten million lines, ${one} µs for one that is as long`);
});

test('C41 equal calls are found in a time that grows with their number', () => {
  const kinds = {
    'equal calls': () => ['rm', {}],
    'other inputs': (i) => ['rm', { i }],
    'one input of many tools': (i) => [`tool_${i}`, {}],
  };
  for (const [kind, of] of Object.entries(kinds)) {
    const time = (count) => {
      const guard = createApprovalGuard({ onError: assert.fail });
      const parts = Array.from({ length: count }, (_, i) => {
        const [tool, input] = of(i);
        return { ...asking(`c${i}`, tool), input };
      });
      guard.observe([user(), assistant('a1', ...parts)]);
      const { calls } = guard.getSnapshot();
      guard.decide(calls[0], 'deny');
      const start = process.cpuUsage();
      guard.getSnapshot();
      const { user: own, system } = process.cpuUsage(start);
      guard.dispose();
      return (own + system) / count;
    };
    const best = (count) => Math.min(...Array.from({ length: 5 }, () => time(count)));
    best(500);
    const [short, long] = [best(500), best(10_000)];
    // In quadratic time it would be 20 times as much.
    assert.ok(long < 6 * short, `${kind}: ${long} µs instead of ${short} µs for each call`);
  }
});

test('of 10,000 entries, the 100 calls that wait are found in less than 100 ms', async () => {
  const record = createRecord({ keep: 10_000 });
  const guard = createApprovalGuard({ chatId: 'c', record, onError: assert.fail });
  const settled = Array.from({ length: 5_000 }, (_, i) => [step, answered(`c${i}`, 'rm', true)]).flat();
  const waiting = Array.from({ length: 100 }, (_, i) => asking(`w${i}`, 'rm'));
  guard.observe([user(), assistant('a1', ...settled, step, ...waiting)]);
  await record.settled();
  assert.ok(guard.ledger().length >= 10_000, `${guard.ledger().length} entries of the guard`);
  assert.ok(record.head().entries >= 10_000, `${record.head().entries} entries of the record`);
  for (let i = 0; i < 20; i++) assert.equal(guard.pending().length, 100);
  const { count, p95Ms } = record.metrics().pending;
  assert.equal(count, 20);
  assert.ok(p95Ms < 100, `${p95Ms} ms`);
  guard.dispose();
});

test('a ruling does not take long, whatever the input', () => {
  const rules = createRules({
    tools: {
      bash: { target: 'command', kind: 'shell' },
      fetch: { target: 'url', kind: 'url' },
      read: { target: 'path', kind: 'path' },
    },
    rules: [
      { allow: 'bash:ls *' },
      { deny: 'bash:rm *' },
      { deny: 'bash:git push*' },
      { deny: 'fetch:https://evil.com/*' },
      { deny: 'read:/etc/**' },
      { deny: 'f(z=/etc/**)' },
    ],
  });
  const fields = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`a${i}`, 'x']));
  for (const [toolName, input] of [
    ['bash', { command: `${'a'.repeat(1_500)} ${'-a '.repeat(2_800)}` }],
    ['bash', { command: `git ${'-a '.repeat(3_300)}` }],
    ['bash', { command: '\\\n'.repeat(65_000) }],
    ['bash', { command: '[x]('.repeat(65_000) }],
    ['bash', { ...fields, z: Array(30_000).fill('x=$(') }],
    ['bash', { command: 'sudo -u node '.repeat(19_000) }],
    ['bash', { command: '$a.exe -x y '.repeat(20_000) }],
    ['bash', { z: Array(60_000).fill('a') }],
    ['fetch', { z: Array.from({ length: 30_000 }, (_, i) => i) }],
    ['fetch', { z: Array.from({ length: 30_000 }, (_, i) => `a ${i}`) }],
    ['f', { z: Array.from({ length: 30_000 }, (_, i) => `a ${i}`) }],
    ['read', { path: '\u0301'.repeat(60_000) }],
  ]) {
    const start = process.cpuUsage();
    rules.judge({ toolName, input });
    const { user, system } = process.cpuUsage(start);
    const took = (user + system) / 1000;
    assert.ok(took < 1_000, `${toolName} ${JSON.stringify(input).slice(0, 60)}: ${took} ms`);
  }
});
