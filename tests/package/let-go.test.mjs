// A guard that nothing holds is freed, without any call to it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { forEachSdkByBreadth } from './support/sdk.mjs';

/** The results of a separate process, in which nothing else holds a guard. */
async function found(sdk, what, program = 'dropping') {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    fileURLToPath(new URL(`./support/${program}.mjs`, import.meta.url)),
    String(sdk.major),
    what,
  ]);
  return JSON.parse(stdout);
}

forEachSdkByBreadth((sdk) =>
  describe(`let go, ${sdk.name}`, () => {
    test('law_15 a guard that nothing holds is freed, and none of its timers is left', async () => {
      const all = Object.entries(await found(sdk, 'dropped'));
      assert.ok(all.length > 0);
      assert.deepEqual(
        all,
        all.map(([name]) => [name, { held: 0, timers: 0 }]),
      );
    });

    test('law_15 the guard of a thread lives as long as its chat, and no longer', async () => {
      assert.deepEqual(await found(sdk, 'threads'), {
        dropped: 0,
        kept: Array(6).fill(true),
        knows: Array(6).fill('denied'),
      });
    });

    test('a guard lives while its transport, its predicate, an unsubscribe function or its chat is held', async () => {
      assert.deepEqual(await found(sdk, 'holding'), {
        transport: { lives: true },
        predicate: { lives: true },
        unsubscribe: { lives: true },
        chat: { lives: true, expired: true },
      });
    });

    test('a message that waits for the engine leaves, also if nothing else holds its chat and its guard', async () => {
      assert.deepEqual(await found(sdk, '', 'forgetting'), [1]);
    });
  }),
);

test('law_15 the memory of the modules does not grow with guards that nothing holds', async () => {
  const sizes = await found({ major: 7 }, 'rounds');
  assert.equal(sizes.at(-1), sizes[1], `${sizes}`);
});
