// The guard in assistant-ui, with its real runtimes.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import './support/page.mjs';
import { createApprovalGuard } from './support/chat.mjs';
import { assertDenied } from './support/assertions.mjs';
import { sent, serverOf, threads } from './support/assistant-ui.mjs';

describe('AISDKThreads with the transport of a guard', () => {
  /** A thread in which a denied call gets an output of the page. @param watched whether the guard's transport is used */
  async function overwritten(t, watched) {
    const codes = [];
    const guard = createApprovalGuard({ onError: ({ code }) => codes.push(code) });
    const server = serverOf();
    const transport = watched ? guard.transport(server.transport()) : server.transport();
    const app = threads({ transport, sendAutomaticallyWhen: guard.sendAutomaticallyWhen });
    t.after(app.end);
    await app.say('go');
    await app.answer('c1', false, 'no');
    await app.put('c1', 'rm', 'fake');
    await app.answer('c2', true);
    assert.equal(server.requests.length, 2);
    return { codes, guard, last: server.requests.at(-1) };
  }

  test('the clone of a thread is watched, and a denied call leaves denied', async (t) => {
    const { codes, guard, last } = await overwritten(t, true);
    assertDenied(sent(last, 'c1'), { id: 'ap-c1', reason: 'no' });
    assert.equal(guard.ledger().filter(({ type }) => type === 'ended').length, 2, 'its responses are heard');
    assert.deepEqual(codes, []);
  });

  test('without it, the transport that is not ours is reported', async (t) => {
    const { codes, last } = await overwritten(t, false);
    assert.equal(sent(last, 'c1').state, 'output-available', 'nothing has repaired it');
    assert.deepEqual(codes, ['unwatched-request']);
  });
});
