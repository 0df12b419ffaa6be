// The place itself: what the other tests of this folder stand on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';
import { STATES } from './states.mjs';
import { assertWarning } from './warnings.mjs';

/** The phase in which each state leaves the batch; `asking` where it is not said. */
const PHASES = {
  empty: 'idle',
  done: 'idle',
  decided: 'decided',
  'decided-countdown': 'decided',
  'decided-early': 'decided',
  'decided-patient': 'decided',
  sending: 'sending',
  sent: 'sent',
  failed: 'failed',
  'in-doubt': 'in-doubt',
  held: 'answered',
  'held-with-allowance': 'answered',
  passed: 'idle',
  limit: 'answered',
  history: 'idle',
  'grants-alone': 'idle',
  expired: 'sent',
  superseded: 'idle',
  unattended: 'sent',
  'ruled-alone': 'idle',
};

describe('the stage', together, () => {
  const { play } = stage();

  // What a person reads in states in which little is to be seen.
  const SAYS = {
    history: [/before this page was opened, and perhaps not sent/, 'button'],
    stopped: [/Stopped/, undefined],
    'decided-early': [/rest of this step/, undefined],
    failed: [/request failed/, 'button'],
    'in-doubt': [/may have run/, 'button'],
    limit: [/too often/, 'button'],
    held: [/next message/, undefined],
    'held-with-allowance': [/not sent yet/, 'button'],
    passed: [/^Closed/, undefined],
    expired: [/Expired with no answer/, undefined],
    superseded: [/you sent a new message/, undefined],
    unattended: [/nobody was there/i, undefined],
    looping: [/Denied 3 times/, 'button'],
    ruled: [/Allowed by a rule: It only looks[^]*Denied by a rule: Files are deleted by people/, undefined],
    'broken-rules': [/could not be read in full/, undefined],
    masked: [/3 values are hidden because/, undefined],
    'not-to-be-shown': [/cannot be shown, so it can only be denied/, undefined],
  };
  it('says something in states that there are', () => {
    for (const name of [...Object.keys(SAYS), ...Object.keys(PHASES)])
      assert.ok(Object.hasOwn(STATES, name), name);
  });

  for (const name of Object.keys(STATES)) {
    const [words, button] = SAYS[name] ?? [];
    it(`the state ${name}: its phase, its warning${words ? ', what it says' : ''}${button ? ', and what can be done' : ''}`, () =>
      play(name, async (scene) => {
        assert.equal(await scene.phase(), PHASES[name] ?? 'asking');
        await assertWarning(scene, name);
        if (!words) return;
        const text = await scene.part('queue').innerText();
        assert.match(text, words);
        assert.doesNotMatch(text, /in 0 seconds/);
        if (button) assert.match(text, /Try again|Send now|Stop the assistant/);
      }));
  }

  it('refuses inline style, inline script and markup made of strings', async () => {
    await assert.rejects(
      play({ calls: [{}] }, (scene) =>
        scene.page.evaluate(() => {
          document.body.setAttribute('style', 'color: red');
        }),
      ),
      /style/,
    );
    await assert.rejects(
      play({ calls: [{}] }, (scene) =>
        scene.page.evaluate(() => {
          document.body.insertAdjacentHTML('beforeend', '<b>x</b>');
        }),
      ),
      /TrustedHTML/,
    );
  });

  it('lets an attack through at /loose, so that one would be seen', () =>
    assert.rejects(
      play(
        { calls: [{}] },
        async (scene) => {
          const asked = scene.page.waitForEvent('request');
          await scene.page.evaluate(() => {
            document.body.insertAdjacentHTML('beforeend', '<img src="/leak.png" onerror="alert(1)">');
          });
          await asked;
        },
        { loose: true },
      ),
      /leak\.png/,
    ));
});
