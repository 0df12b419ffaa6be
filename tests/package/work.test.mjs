// The work of a guard, as far as it can be counted: how often it reads what the chat holds.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createApprovalGuard } from 'tool-approval-guard/sync';
import { asking, assistant, user } from './support/stored.mjs';

const CALLS = 20;

/** A guard whose chat shows a step of calls that ask. `watch` returns what stands in the place of a part. */
function waiting(watch) {
  const guard = createApprovalGuard({ chatId: 'chat', undoMs: Infinity });
  const parts = Array.from({ length: CALLS }, (_, i) => watch(asking(`c${i}`)));
  const chat = { id: 'chat', status: 'ready', sendMessage() {}, addToolApprovalResponse() {} };
  chat.messages = [user('u1'), assistant('a1', watch(asking('c')))];
  chat.messages.push(user('u2'), assistant('a2', ...parts));
  guard.attach(chat);
  return { guard, chat };
}

test('an undo reads no input', (t) => {
  let reads = 0;
  const counting = (part) => ({
    ...part,
    input: Object.defineProperty({}, 'path', { enumerable: true, get: () => (reads++, '/a') }),
  });
  const { guard } = waiting(counting);
  t.after(() => guard.dispose());
  assert.equal(guard.decide('c5', 'allow-once').type, 'drafted');
  assert.ok(reads >= CALLS, 'each input is read once');
  reads = 0;
  assert.equal(guard.undo('c5').type, 'undone');
  assert.equal(reads, 0);
});

test('while a call asks, the predicate reads eight fields of each part of the last step, and no other part', (t) => {
  const reads = new Map();
  const counting = (part) =>
    new Proxy(part, {
      get(of, field) {
        reads.set(of.toolCallId, (reads.get(of.toolCallId) ?? 0) + 1);
        return of[field];
      },
    });
  const { guard, chat } = waiting(counting);
  t.after(() => guard.dispose());
  assert.equal(guard.sendAutomaticallyWhen(chat), false);
  reads.clear();
  assert.equal(guard.sendAutomaticallyWhen({ messages: [...chat.messages] }), false);
  assert.deepEqual(
    [...reads.keys()],
    Array.from({ length: CALLS }, (_, i) => `c${i}`),
  );
  for (const [call, count] of reads) assert.ok(count <= 8, `${call}: ${count} reads`);
});
