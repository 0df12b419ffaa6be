// Stored allowances that no request has carried, and that something follows: a server runs only the calls of the last
// step, and refuses a list in which an earlier allowance has no result.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { assertAllowed, assertDenied } from './support/assertions.mjs';
import { backend, saysText } from './support/backend.mjs';
import { scene } from './support/chat.mjs';
import { says } from './support/chunks.mjs';
import { copy, reloadable } from './support/reload.mjs';
import { reject } from './support/scripted-transport.mjs';
import { forEachSdk, sdk7 } from './support/sdk.mjs';
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
    const play = async (messages, guard) => {
      const server = await backend(sdk, {
        steps: [saysText('Listed.'), saysText('Sure.')],
        tools: { rm: gate, ls: gate },
      });
      return { server, s: scene(sdk, { inner: server.transport, messages, guard }) };
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

    // Law 16: the page before may have sent it, and nobody has asked for a second run. The SDK's queue continues a chat in this
    // way, too.
    for (const whenUserSends of ['deny', 'pass'])
      test(`in the last step is denied with a bare sendMessage(), too, with '${whenUserSends}'`, async () => {
        const { s, server } = await play([user('u1'), assistant('a1', allowed)], { whenUserSends });
        await s.chat.sendMessage();
        await s.settle();
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
        assert.match(s.wire('c1').approval.reason, /not known/);
        assert.deepEqual(server.executed, []);
        assert.deepEqual(server.errors, []);
      });

    const refused = async (status, chat) => {
      const error = Object.assign(new Error('It did not work.'), { statusCode: status });
      const messages = [user('u1'), assistant('a1', asking('c1', 'rm'))];
      const s = scene(sdk, { script: [reject(error), says(), says()], messages, chat });
      await s.approve('c1');
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      return s;
    };

    test('in the last step, whose request was answered with 500, is denied with a bare sendMessage(): it may have run', async () => {
      const s = await refused(500);
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.match(s.wire('c1').approval.reason, /not known/);
    });

    test('in the last step, whose request was answered with 400, is sent again with a bare sendMessage(): it has not run', async () => {
      const s = await refused(400);
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
    });

    test('in the last step, whose request was answered with 400, is closed by a message: it has not run', async () => {
      const s = await refused(400);
      await s.say('and now?');
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.doesNotMatch(s.wire('c1').approval.reason, /not known/);
    });

    if (sdk === sdk7) {
      test("in the last step, whose request was answered with 500, is not repeated by the SDK's queue", async () => {
        const s = await refused(500, { experimental_queue: true });
        await s.say('and now?');
        for (const request of s.requests.slice(1)) assertDenied(s.wire('c1', request), { id: 'ap-c1' });
        assert.equal(s.last.messages.at(-1).parts[0].text, 'and now?');
      });
    }

    for (const status of [400, 500])
      test(`in the last step, whose request was answered with ${status}, is repeated by retry()`, async () => {
        const s = await refused(status);
        assert.equal(s.guard.getSnapshot().calls[0].mayHaveRun, status === 500);
        assert.deepEqual(await s.guard.retry(), { type: 'sent' });
        await s.settle();
        assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      });

    test('in the last step is sent by resume(), and runs', async () => {
      const { s, server } = await play([user('u1'), assistant('a1', allowed)]);
      assert.deepEqual(await s.guard.resume(), { type: 'sent' });
      await s.settle();
      assert.equal(s.wire('c1').approval.approved, true);
      assert.deepEqual(server.executed, ['c1']);
      assert.deepEqual(server.errors, []);
    });

    test('in the last step is sent with a bare sendMessage() if a record knows that it never was', async () => {
      const server = await backend(sdk, { steps: [saysText('Done.')], tools: { rm: gate } });
      const page = reloadable(sdk);
      const messages = [user('u1'), assistant('a1', asking('c1', 'rm'))];
      const before = await page.load({ messages, when: () => () => false, inner: server.transport });
      await before.chat.addToolApprovalResponse({ id: 'ap-c1', approved: true });
      await before.record.settled();
      const s = await page.load({ messages: copy(before.chat.messages), inner: server.transport });
      await s.chat.sendMessage();
      await s.settle();
      assert.deepEqual(server.executed, ['c1']);
      assert.deepEqual(server.errors, []);
    });
  }),
);
