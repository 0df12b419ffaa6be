// In a hidden page timers are delayed, but the guard must not be.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';

import { scene } from './support/chat.mjs';
import { gated, response } from './support/chunks.mjs';
import { live } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';

/** Does as browsers do while a page is hidden: at most one timer a second. */
function hide(t) {
  const { setTimeout: own } = globalThis;
  globalThis.document = { visibilityState: 'hidden', addEventListener() {} };
  globalThis.setTimeout = (work, ms, ...given) => own(work, Math.max(1_000, ms ?? 0), ...given);
  t.after(() => {
    globalThis.setTimeout = own;
    delete globalThis.document;
  });
}

forEachSdk((sdk) =>
  describe(`a hidden page, ${sdk.name}`, () => {
    test('a call is reported while its response runs, without waiting for a timer', async (t) => {
      hide(t);
      const entry = live();
      const s = scene(sdk, { script: [entry] });
      const seen = [];
      s.guard.subscribe(() =>
        seen.push(
          s.guard
            .getSnapshot()
            .calls.map(({ status }) => status)
            .join(),
        ),
      );
      const sent = s.send();
      await entry.started;
      entry.push(response('a1', gated('c1', 'rm')).slice(0, -2));
      for (let i = 0; i < 20; i++) await turn();
      assert.equal(seen.at(-1), 'asking');
      entry.close();
      await sent;
    });
  }),
);

test('waiting does not keep a process alive', async () => {
  const program = `
    globalThis.document = { visibilityState: 'visible', addEventListener() {} };
    const { scene } = await import(${JSON.stringify(import.meta.resolve('./support/chat.mjs'))});
    const { gated, response } = await import(${JSON.stringify(import.meta.resolve('./support/chunks.mjs'))});
    const { sdk7 } = await import(${JSON.stringify(import.meta.resolve('./support/sdk.mjs'))});
    const s = scene(sdk7, { script: [response('a1', gated('c1', 'rm'))] });
    await s.say();
    console.log(s.call('c1').status);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program],
    // A test that hangs is killed, and so fails.
    { timeout: 60_000 },
  );
  assert.equal(stdout, 'asking\n');
});
