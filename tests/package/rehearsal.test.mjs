// In the first idle time of a page the code of the first card runs once, so that a person does not wait for its
// compilation.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asking, assistant, user } from './support/stored.mjs';

const idle = [];
globalThis.requestIdleCallback = (task) => idle.push(task);
const { Module } = WebAssembly;
let compiled = 0;
WebAssembly.Module = function (...given) {
  compiled += 1;
  return new Module(...given);
};
WebAssembly.Module.prototype = Module.prototype;

/** The clock, which moves on by so many milliseconds whenever it is read. */
let [now, pace] = [0, 2];
performance.now = () => (now += pace);

/** Lets the page be idle until it has nothing more to do then. Returns in how many tasks. */
function rest() {
  let tasks = 0;
  for (; idle.length > 0; tasks++) idle.shift()();
  return tasks;
}

const { createApprovalGuard } = await import('tool-approval-guard/sync');

test('importing asks for no idle time', () => assert.deepEqual([idle.length, compiled], [0, 0]));

test('only the first guard of a page does, and nobody can tell that it did', () => {
  const said = [];
  const options = { onError: (error) => said.push(error), onEvent: (event) => said.push(event) };
  const [first, second] = [createApprovalGuard(options), createApprovalGuard(options)];
  assert.deepEqual([idle.length, compiled], [1, 0], 'nothing runs before the page is idle');
  assert.equal(rest(), 3, 'no step begins when two have taken 4 ms: two, two and one');
  assert.equal(compiled, 2, 'the module, and the one that reads its text');
  assert.deepEqual(said, []);
  for (const guard of [first, second]) {
    assert.deepEqual(guard.getSnapshot().calls, []);
    guard.observe([user(), assistant('a1', asking('c1', 'rm'))]);
    const [{ toolCallId, status }] = guard.getSnapshot().calls;
    assert.deepEqual([toolCallId, status], ['c1', 'asking']);
  }
  assert.equal(compiled, 2, 'the module is there');
});

test('without WebAssembly it fails in silence', async (t) => {
  const other = await import(`${import.meta.resolve('tool-approval-guard/sync')}?without`);
  const guard = other.createApprovalGuard({ onError: assert.fail });
  assert.equal(idle.length, 1);
  const { WebAssembly } = globalThis;
  t.after(() => (globalThis.WebAssembly = WebAssembly));
  delete globalThis.WebAssembly;
  rest();
  guard.dispose();
});

test('the words of a call are found once, too, and no function of a catalogue is called for it', async () => {
  const { createWords } = await import('tool-approval-guard/words');
  assert.equal(idle.length, 0);
  const messages = { 'prompt.titleNoServer': () => assert.fail() };
  createWords({ locale: 'en', messages });
  createWords();
  assert.equal(rest(), 1);
});
