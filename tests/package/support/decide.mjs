// Assertions about decisions: refusals, misuse, the ledger, and everything that was visible.
import assert from 'node:assert/strict';
import { GuardError } from './chat.mjs';
import { ScriptedTransport } from './scripted-transport.mjs';
import { finish, finishStep, start, startStep } from './chunks.mjs';

const standing = ({ guard, chat, requests }) => ({
  snapshot: guard.getSnapshot(),
  entries: guard.ledger().length,
  messages: chat?.messages,
  count: requests?.length,
});

/** The entries of one kind about one call. */
export const entries = (s, type, toolCallId) =>
  s.guard
    .ledger()
    .filter((e) => e.type === type && (toolCallId === undefined || e.toolCallId === toolCallId));

/** The calls of the entries of one kind, in order. */
export const callsOf = (s, type) => entries(s, type).map((e) => e.toolCallId);

/**
 * Checks that the act is refused for this reason, with a sentence, and is recorded.
 *
 * @param finds whether the act makes the guard notice a change: that time is over, or another input
 */
export function assertRefused(s, act, reason, { finds = false } = {}) {
  const before = standing(s);
  const result = act();
  assert.equal(result.type, 'refused', `refused with ${reason}, got ${JSON.stringify(result)}`);
  assert.equal(result.reason, reason);
  assert.match(result.message, /^\S.*\.$/s, 'the refusal is a sentence');
  const added = s.guard.ledger().slice(before.entries);
  assert.equal(added.filter((e) => e.type === 'refused').length, 1, 'the refusal is in the ledger, once');
  if (finds) return result;
  assert.equal(added.length, 1, 'nothing else is in the ledger');
  const after = standing(s);
  assert.equal(after.snapshot, before.snapshot, 'the snapshot is the same');
  assert.equal(after.messages, before.messages, 'the messages are the same');
  assert.equal(after.count, before.count, 'nothing left');
  return result;
}

/** Checks that the act throws a `GuardError` with this code and changes nothing. */
export function assertMisuse(s, act, what, code = 'invalid-decision') {
  const before = standing(s);
  assert.throws(
    act,
    (e) => {
      assert.ok(e instanceof GuardError, `${what}: a GuardError, not ${e}`);
      assert.equal(e.code, code, what);
      assert.match(e.message, /^\S.*\.$/s, `${what}: it says what to do`);
      return true;
    },
    what,
  );
  const after = standing(s);
  assert.equal(after.snapshot, before.snapshot, `${what}: the snapshot is the same`);
  assert.equal(after.entries, before.entries, `${what}: the ledger is as long as it was`);
  assert.equal(after.messages, before.messages, `${what}: the messages are the same`);
  assert.equal(after.count, before.count, `${what}: nothing left`);
}

/**
 * Collects everything that a page could see from now on: at each notification, and at each change of the
 * messages.
 */
export function watch(s) {
  const seen = [];
  const look = () => {
    const now = s.guard.getSnapshot();
    if (now !== seen.at(-1)) seen.push(now);
  };
  s.guard.subscribe(look);
  assert.equal(typeof s.chat['~registerMessagesCallback'], 'function');
  s.chat['~registerMessagesCallback'](look);
  look();
  return {
    seen,
    /** The statuses of a call, one for each time it was seen. */
    statuses: (toolCallId) =>
      seen
        .flatMap((snapshot) => snapshot.calls)
        .filter((c) => c.toolCallId === toolCallId)
        .map((c) => c.status),
  };
}

/** The statuses of calls, by call id, in the order of the snapshot. */
export const statuses = (s) =>
  Object.fromEntries(s.guard.getSnapshot().calls.map((c) => [c.toolCallId, c.status]));

/** The rest of a response that settles calls, and asks for others in a new step of the same message. */
export const chained = (settled, ...calls) => [
  start(),
  ...settled.flat(Infinity),
  startStep,
  ...calls.flat(Infinity),
  finishStep,
  finish(),
];

/** A transport that holds its responses back: `hold()` returns the function that releases them. */
export function holding(script) {
  const transport = new ScriptedTransport(script);
  const { sendMessages } = transport;
  let gate;
  transport.sendMessages = async (options) => {
    const response = await sendMessages(options);
    await gate;
    return response;
  };
  transport.hold = () => {
    let open;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    return () => {
      gate = undefined;
      open();
    };
  };
  return transport;
}

/** Checks that no request carried an allowance of this call. */
export function assertNeverAllowed(s, toolCallId) {
  for (const [i, request] of s.requests.entries()) {
    for (const part of request.messages.flatMap((m) => m.parts)) {
      if (part.toolCallId !== toolCallId) continue;
      assert.notEqual(part.approval?.approved, true, `request ${i} allows ${toolCallId}`);
    }
  }
}
