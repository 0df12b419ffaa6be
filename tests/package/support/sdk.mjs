// Both majors of the AI SDK, each with its `Chat` and `useChat`.
import { createRequire } from 'node:module';
import assert from 'node:assert/strict';
import * as ai7 from 'ai';
import * as ai6 from 'ai6';
import * as react7 from '@ai-sdk/react';
import * as react6 from 'react6';

import { isBroad } from '../../support/breadth.mjs';

const require = createRequire(import.meta.url);

const all = [
  {
    name: 'ai@7',
    major: 7,
    ai: ai7,
    Chat: react7.Chat,
    useChat: react7.useChat,
    test: () => import('ai/test'),
  },
  {
    name: 'ai@6',
    major: 6,
    ai: ai6,
    Chat: react6.Chat,
    useChat: react6.useChat,
    test: () => import('ai6/test'),
  },
];

export const [sdk7, sdk6] = all;

/** Calls `body` once for each SDK. */
export function forEachSdk(body) {
  for (const sdk of all) body(sdk);
}

/** For slow tests of what no SDK takes part in, such as memory: `npm test` plays them with the newest one. */
export const forEachSdkByBreadth = (body) => (isBroad ? forEachSdk(body) : body(sdk7));

// The aliases must match, or one major would be tested twice.
const major = (name) => require(`${name}/package.json`).version.split('.')[0];
assert.equal(major('ai'), '7');
assert.equal(major('ai6'), '6');
assert.equal(major('@ai-sdk/react'), '4');
assert.equal(major('react6'), '3');
const nested = createRequire(require.resolve('react6/package.json'));
assert.equal(nested('ai/package.json').version.split('.')[0], '6', 'react6 must use ai 6');
