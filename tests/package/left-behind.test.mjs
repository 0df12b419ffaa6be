// Stored allowances that no request has carried, and that something follows: a server runs only the calls of the last
// step, and refuses a list in which an earlier allowance has no result.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { assertDenied } from './support/assertions.mjs';
import { backend, saysText } from './support/backend.mjs';
import { scene } from './support/chat.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, said, step, user } from './support/stored.mjs';

const gate = { needsApproval: true };
const allowed = answered('c1', 'rm', true);

const lists = {
  'in an earlier message': (last) => [
    user('u1'),
    assistant('a1', allowed),
    user('u2'),
    assistant('a2', last),
  ],
  'in an earlier step': (last) => [user('u1'), assistant('a1', allowed, step, last)],
};

forEachSdk((sdk) =>
  describe(`an allowance that something follows, ${sdk.name}`, () => {
    const play = async (messages) => {
      const server = await backend(sdk, {
        steps: [saysText('Listed.'), saysText('Sure.')],
        tools: { rm: gate, ls: gate },
      });
      return { server, s: scene(sdk, { inner: server.transport, messages }) };
    };

    for (const [where, list] of Object.entries(lists)) {
      test(`${where} is denied with an automatic send, so that the server takes this request and the next`, async () => {
        const { s, server } = await play(list(asking('c2', 'ls')));
        await s.chat.addToolApprovalResponse({ id: 'ap-c2', approved: true });
        await s.settle();
        assert.equal(s.count, 1);
        assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
        assertDenied(s.home('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
        assert.match(s.home('c1').approval.reason, /not known/, 'another page may have sent it');
        assert.equal(s.home('c2').state, 'output-available');
        await s.say('thanks');
        assert.equal(s.count, 2);
        assert.deepEqual(server.executed, ['c2']);
        assert.deepEqual(server.errors, []);
      });

      test(`${where} is denied with a bare sendMessage()`, async () => {
        const { s, server } = await play(list(said()));
        await s.chat.sendMessage();
        await s.settle();
        assert.equal(s.count, 1);
        assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
        assert.deepEqual(server.executed, []);
        assert.deepEqual(server.errors, []);
      });
    }

    test('in the last step it is sent with a bare sendMessage(), and runs', async () => {
      const { s, server } = await play([user('u1'), assistant('a1', allowed)]);
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.wire('c1').approval.approved, true);
      assert.deepEqual(server.executed, ['c1']);
      assert.deepEqual(server.errors, []);
    });
  }),
);
