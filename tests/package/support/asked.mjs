// Chats that have asked for some calls.
import assert from 'node:assert/strict';
import { scene } from './chat.mjs';
import { gated, response, says } from './chunks.mjs';

export const one = () => response('a1', gated('c1', 'rm', { path: '/a' }));
export const two = () => response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'mv', { path: '/b' }));
export const three = () => response('a1', gated('c1', 'rm'), gated('c2', 'mv'), gated('c3', 'cp'));

/** A chat that has asked for these calls. */
export async function asked(sdk, response_, { then = [says(), says()], ...options } = {}) {
  const s = scene(sdk, { script: [response_, ...then], ...options });
  await s.say();
  assert.equal(s.count, 1);
  return s;
}

/** Gives a call another input in a new list, as an application would. */
export const replaceInput = (s, toolCallId, input) => {
  s.chat.messages = s.chat.messages.map((m) => ({
    ...m,
    parts: m.parts.map((p) => (p.toolCallId === toolCallId ? { ...p, input } : p)),
  }));
};
