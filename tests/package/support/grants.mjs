// Chats with a grant.
import assert from 'node:assert/strict';
import { scene } from './chat.mjs';
import { chained, watch } from './decide.mjs';
import { gated, outputAvailable, outputDenied, response, says } from './chunks.mjs';

export const A = { path: '/a' };
export const B = { path: '/b' };
export const MINUTE = 60_000;
export const only = (s) => {
  const grants = s.guard.grants();
  assert.equal(grants.length, 1, `one grant, not ${JSON.stringify(grants)}`);
  return grants[0];
};

/** A chat in which `c1` was decided with a lasting choice, and which then asks for these calls. */
export async function granted(
  sdk,
  calls,
  { input = A, choice = 'allow-chat', decide, then = [says(), says()], ...options } = {},
) {
  const settled = choice.startsWith('allow') ? outputAvailable('c1') : outputDenied('c1');
  const s = scene(sdk, {
    script: [response('a1', gated('c1', 'rm', input)), chained([settled], ...calls), ...then],
    ...options,
  });
  await s.say();
  const page = watch(s);
  const result = s.guard.decide('c1', choice, decide);
  assert.equal(result.type, 'committed');
  await s.settle();
  return { s, page, result };
}

/** A batch that asks for these calls. */
export async function batchOf(sdk, calls, { then = [says(), says()], ...options } = {}) {
  const s = scene(sdk, { script: [response('a1', ...calls), ...then], ...options });
  await s.say();
  assert.equal(s.count, 1);
  return s;
}
export const three = () => [gated('c1', 'rm', A), gated('c2', 'rm', A), gated('c3', 'mv', B)];
