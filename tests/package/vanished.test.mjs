// Tools that the server no longer has (C74): a server refuses a list in which a call of such a tool asks or is answered.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createRules } from 'tool-approval-guard/rules';
import { createWords } from 'tool-approval-guard/words';

import { assertRefused } from './support/decide.mjs';
import { backend, saysText } from './support/backend.mjs';
import { scene } from './support/chat.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, user } from './support/stored.mjs';

const dynamic = (part) => ({ ...part, type: 'dynamic-tool', toolName: 'gone' });

/** A stored chat with a real server, which checks each list against the tools that it has. */
async function stored(sdk, parts, guard) {
  const server = await backend(sdk, {
    tools: { ls: { needsApproval: true } },
    steps: [saysText('Fine.'), saysText('Fine.')],
    strict: true,
  });
  const s = scene(sdk, { inner: server.transport, messages: [user(), assistant('a1', ...parts)], guard });
  await s.settle();
  return { s, server };
}

forEachSdk((sdk) =>
  describe(`C74 a tool that is no longer registered, ${sdk.name}`, () => {
    for (const [kind, part] of [
      ['static', asking('c1', 'gone')],
      ['dynamic', dynamic(asking('c1', 'gone'))],
    ]) {
      test(`its denial is one that the server takes, ${kind}`, async () => {
        const { s, server } = await stored(sdk, [part], { unavailableTools: ['gone'] });
        assert.deepEqual([s.call('c1').status, s.call('c1').unavailable], ['asking', true]);
        assert.match(createWords().call(s.call('c1')).why, /no longer available/);
        s.guard.decide('c1', 'deny', { reason: 'not any more' });
        await s.settle();
        assert.equal(s.count, 1);
        assert.equal(s.chat.status, 'ready');
        for (const { state, approval, output } of [s.wire('c1'), s.home('c1')]) {
          assert.deepEqual(
            [state, approval.approved, approval.reason],
            ['output-denied', false, 'not any more'],
          );
          assert.equal(output, undefined);
        }
        assert.match(JSON.stringify(server.prompts), /not any more/, 'and the model is told');
      });
    }

    test('without the option the server refuses it, and the next message closes it', async () => {
      const { s } = await stored(sdk, [asking('c1', 'gone')]);
      assert.equal(s.call('c1').unavailable, false);
      s.guard.decide('c1', 'deny');
      await s.settle();
      assert.equal(s.chat.status, 'error');
      await s.say('go on');
      assert.equal(s.chat.status, 'ready');
      assert.equal(s.wire('c1').state, 'output-denied');
    });

    test('nobody can allow it: no person, no grant, no rule', async () => {
      const rules = createRules({ rules: [{ allow: 'gone' }, { allow: 'ls' }] });
      const { s } = await stored(sdk, [asking('c1', 'gone'), asking('c2', 'gone')], {
        unavailableTools: ['gone'],
        rules,
      });
      assert.equal(s.call('c1').ruling.effect, 'allow');
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.guard.getSnapshot().batch.allowAll, false);
      for (const choice of ['allow-once', 'allow-chat']) {
        assertRefused(s, () => s.guard.decide('c1', choice), 'tool-unavailable');
      }
      await s.approve('c1');
      await s.approve('c2');
      assert.equal(s.count, 0);
      for (const id of ['c1', 'c2'])
        assert.equal(s.home(id).state, 'approval-requested', 'also past the guard');
      s.guard.decide('c1', 'deny-chat', { covers: 'tool' });
      await s.settle();
      assert.deepEqual(
        ['c1', 'c2'].map((id) => s.wire(id).state),
        ['output-denied', 'output-denied'],
      );
      assert.equal(s.chat.status, 'ready');
    });

    test('a stored allowance of it leaves when the user goes on', async () => {
      const { s } = await stored(sdk, [answered('c1', 'gone', true)], { unavailableTools: ['gone'] });
      await s.say('go on');
      assert.equal(s.wire('c1').state, 'output-denied');
      assert.equal(s.chat.status, 'ready');
    });

    test('what is no list of names is refused', () => {
      for (const unavailableTools of ['gone', [7], {}]) {
        assert.throws(() => scene(sdk, { script: [], guard: { unavailableTools } }), {
          code: 'invalid-option',
          message: /unavailableTools/,
        });
      }
    });
  }),
);
