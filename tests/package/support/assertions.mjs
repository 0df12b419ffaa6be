// Assertions about parts, requests and verdicts.
import assert from 'node:assert/strict';
import { STOCK } from './chat.mjs';

/** A part after JSON, which leaves out `undefined`. */
export const plain = (value) => JSON.parse(JSON.stringify(value));

const LEFTOVERS = ['output', 'errorText', 'preliminary', 'resultProviderMetadata'];

/** Checks that the part is a rejection and nothing else, with these approval fields. */
export function assertDenied(part, approval = {}, { state } = {}) {
  assert.ok(part, 'the part is there');
  const states = state ? [state] : ['approval-responded', 'output-denied'];
  assert.ok(
    states.includes(part.state),
    `a rejection has the state ${states.join(' or ')}, not ${part.state}`,
  );
  assert.equal(part.approval?.approved, false, 'the rejection says approved: false');
  for (const field of LEFTOVERS) {
    assert.equal(part[field], undefined, `a rejection carries no ${field}`);
  }
  for (const [key, value] of Object.entries(approval)) {
    assert.deepEqual(part.approval[key], value, `approval.${key} is as it came`);
  }
}

/** Checks that the part is an unchanged allowance that was not carried out yet. */
export function assertAllowed(part, approval = {}) {
  assert.equal(part?.state, 'approval-responded');
  assert.equal(part.approval.approved, true);
  for (const [key, value] of Object.entries(approval)) assert.deepEqual(part.approval[key], value);
}

/** Checks that the part asks. */
export function assertAsking(part, approvalId) {
  assert.equal(part?.state, 'approval-requested');
  assert.equal(part.approval.id, approvalId);
  assert.equal(part.approval.approved, undefined);
  assert.equal(part.output, undefined);
  assert.equal(part.errorText, undefined);
}

/** Checks that the guard does not send, for one of these reasons. The reasons of `explain()` are stable. */
export function assertHolds(scene, ...reasons) {
  if (STOCK) return;
  const verdict = scene.verdict();
  assert.equal(verdict.send, false);
  assert.ok(reasons.includes(verdict.reason), `held by ${verdict.reason}, expected ${reasons.join(' or ')}`);
  assert.equal(typeof verdict.message, 'string');
  assert.notEqual(verdict.message, '');
}

/** Checks that the guard waits for exactly these calls, given as [toolCallId, need]. */
export function assertWaitsFor(scene, ...calls) {
  assertHolds(scene, 'waiting');
  if (STOCK) return;
  assert.deepEqual(
    scene.verdict().waitingFor.map((c) => [c.toolCallId, c.need]),
    calls,
  );
}

/** The roles of a request as one word: `uau` is user, assistant, user. */
export const roles = (request) => request.messages.map((m) => m.role[0]).join('');
