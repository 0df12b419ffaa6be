// `clientTools` as a function: tools that the page registers at run time.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene } from './support/chat.mjs';
import { assertAllowed, assertHolds } from './support/assertions.mjs';
import { continued, gated, outputAvailable, response, says, toolCall } from './support/chunks.mjs';

forEachSdk((sdk) => {
  describe(`clientTools as a function, ${sdk.name}`, () => {
    const asks = (tool) => [response('a1', gated('c1', tool)), says()];
    const allowed = async (clientTools, script = asks('pick')) => {
      const s = scene(sdk, { script, guard: { clientTools } });
      await s.say();
      await s.approve('c1');
      return s;
    };

    test('law_1 an allowed call of a tool of the page waits for its output; that of a server is sent', async () => {
      const asked = [];
      const runsHere = (toolName) => {
        asked.push(toolName);
        return toolName === 'pick';
      };
      const s = await allowed(runsHere);
      assert.equal(s.requests.length, 1);
      assertHolds(s, 'waiting');
      await s.output('c1', 'file', 'pick');
      assert.equal(s.requests.length, 2);
      assert.deepEqual(asked, ['pick'], 'nothing is asked again about a tool of the page');
      const server = await allowed(runsHere, asks('rm'));
      assert.equal(server.requests.length, 2);
      assertAllowed(server.requests[1].messages.at(-1).parts.at(-1), { id: 'ap-c1' });
    });

    test('law_1 a tool that is registered after its call was seen', async () => {
      const registered = new Set();
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'pick'), toolCall('k1', 'pick')), says()],
        guard: { clientTools: (name) => registered.has(name) },
      });
      await s.say();
      registered.add('pick');
      await s.approve('c1');
      assert.equal(s.requests.length, 1);
      await s.output('k1', 'one', 'pick');
      assert.equal(s.requests.length, 1, 'the other one has no output yet');
      await s.output('c1', 'two', 'pick');
      assert.equal(s.requests.length, 2);
    });

    test('law_1 a tool that was once one of the page stays one', async () => {
      let isRegistered = true;
      const s = await allowed(() => isRegistered);
      isRegistered = false;
      s.guard.explain();
      assert.equal(s.chat.messages.at(-1).parts.at(-1).state, 'approval-responded');
      assertHolds(s, 'waiting');
      await s.output('c1', 'file', 'pick');
      assert.equal(s.requests.length, 2);
    });

    for (const [what, clientTools] of [
      [
        'that throws',
        () => {
          throw new Error('no registry');
        },
      ],
      ['that returns neither true nor false', () => undefined],
      ['that is asynchronous', async () => false],
    ]) {
      test(`law_11 a function ${what} is reported, and the call is held`, async () => {
        const s = await allowed(clientTools);
        assert.equal(s.requests.length, 1);
        assertHolds(s, 'waiting');
        assert.deepEqual(
          s.errors.map(({ code }) => code),
          ['listener-failed'],
        );
        await s.output('c1', 'file', 'pick');
        assert.equal(s.requests.length, 2);
      });
    }

    test('something else than a list or a function is refused', () => {
      for (const clientTools of ['pick', 1, {}, [1]]) {
        assert.throws(() => scene(sdk, { script: [], guard: { clientTools } }), {
          code: 'invalid-option',
          message: /clientTools must be an array of tool names, or a function/,
        });
      }
    });

    test('settled calls of a tool that the page does not know need no output', async () => {
      const s = await allowed(
        () => false,
        [response('a1', gated('c1', 'rm')), continued([outputAvailable('c1')])],
      );
      assert.equal(s.requests.length, 2);
      assert.deepEqual(s.errors, []);
    });
  });
});
