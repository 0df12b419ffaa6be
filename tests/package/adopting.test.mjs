// The diffs of the guide, applied to models of chats that people have: no message of the user is lost, nothing that was denied runs, and
// what was allowed runs once.
import { after, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { adopter, named } from './support/adopters.mjs';
import { forEachSdk } from './support/sdk.mjs';

/** What a user does, the files that are gone then, those that were denied, and the model that it is about; by default all. */
const SCENARIOS = [
  ['an Allow', async (s) => (await s.say('delete a'), await s.press('a', true)), ['a'], []],
  ['a Deny', async (s) => (await s.say('delete a'), await s.press('a', false)), [], ['a']],
  [
    'one denied, one allowed',
    async (s) => (await s.say('delete a b'), await s.press('a', false), await s.press('b', true)),
    ['b'],
    ['a'],
  ],
  [
    'one allowed, one denied',
    async (s) => (await s.say('delete a b'), await s.press('a', true), await s.press('b', false)),
    ['a'],
    ['b'],
  ],
  ['a message over a question', async (s) => (await s.say('delete a'), await s.say('never mind')), [], []],
  [
    'a message after a Deny',
    async (s) => (await s.say('delete a'), await s.press('a', false), await s.say('thanks')),
    [],
    ['a'],
  ],
  [
    'a message after an Allow, and another call',
    async (s) => {
      await s.say('delete a');
      await s.press('a', true);
      await s.say('delete b');
      await s.press('b', true);
    },
    ['a', 'b'],
    [],
  ],
  [
    'a Deny, a message, an Allow',
    async (s) => {
      await s.say('delete a');
      await s.press('a', false);
      await s.say('delete b');
      await s.press('b', true);
      await s.say('thanks');
    },
    ['b'],
    ['a'],
  ],
  [
    'a page that is loaded again while a call asks',
    async (s) => {
      await s.say('delete a');
      await s.reload();
      await s.press('a', true);
    },
    ['a'],
    [],
  ],
  [
    'another view while a call asks',
    async (s) => {
      await s.say('delete a b');
      await s.press('a', false);
      await s.show('settings');
      await s.show('chat');
      await s.press('b', true);
    },
    ['b'],
    ['a'],
    'store',
  ],
  [
    'another chat while a call asks',
    async (s) => {
      await s.say('delete a b');
      await s.press('a', true);
      await s.open('other');
      await s.say('delete c d');
      await s.press('c', false);
      await s.open('chat');
      await s.press('b', false);
      await s.open('other');
      await s.press('d', true);
    },
    ['a', 'd'],
    ['b', 'c'],
    'threads',
  ],
];

const models = readdirSync(fileURLToPath(new URL('./adopters/', import.meta.url)));

test('each model is in the guide, and each diff of the guide has a model', () => {
  assert.deepEqual([...named].sort(), models.sort());
});

/** What is wrong after a scenario. */
function wrong(s, gone, denied) {
  const found = [];
  if (s.lost().length > 0) found.push(`lost: ${s.lost()}`);
  if (s.ran.join() !== gone.join()) found.push(`ran: ${s.ran}`);
  if (s.errors.length > 0) found.push(`errors: ${s.errors}`);
  for (const file of denied) if (!s.wasTold(file)) found.push(`not told of the denial: ${file}`);
  return found;
}

/** The models that go wrong as they are. */
const broken = new Set();

forEachSdk((sdk) => {
  for (const name of models) {
    describe(`adopting: ${name}, ${sdk.name}`, () => {
      for (const [what, play, gone, denied, of = name] of SCENARIOS) {
        if (of !== name) continue;
        test(`as the guide makes it: ${what}`, async () => {
          const s = await adopter(sdk, name, 'after');
          await play(s);
          assert.deepEqual(wrong(s, gone, denied), []);
          const stock = await adopter(sdk, name, 'before');
          await play(stock);
          if (wrong(stock, gone, denied).length > 0) broken.add(name);
        });
      }
    });
  }
});

// A model that nothing goes wrong in shows nothing.
after(() => assert.deepEqual([...broken].sort(), models.sort()));
