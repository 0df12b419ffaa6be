// In a real page, a guard with a record to which no references are left: its timer and its channel are
// released, and another guard of the chat continues.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { browser, openChat, server, startServerAndBrowser, until } from './chat-stage.mjs';

startServerAndBrowser();

test('law_15 a guard that was dropped lets go of its tab, and another one of the chat goes on', async () => {
  const context = await browser.newContext();
  try {
    const { id, backend } = await server.chat();
    const page = await openChat(context, server, id, '&undo=Infinity');
    assert.equal(await page.evaluate(() => guard.decide('c1', 'allow-once').type), 'drafted');

    await page.evaluate(() => {
      const { close } = BroadcastChannel.prototype;
      window.channelsClosed = 0;
      BroadcastChannel.prototype.close = function () {
        window.channelsClosed += 1;
        return close.call(this);
      };
      window.dropped = new WeakRef(guard);
      Object.assign(window, { guard: undefined, chat: undefined, record: undefined, detach: undefined });
    });
    await until(async () => {
      await page.requestGC();
      return (await page.evaluate(() => window.channelsClosed)) === 1;
    }, 'its channel is let go');
    assert.equal(await page.evaluate(() => window.dropped.deref()), undefined);

    await page.evaluate(() => window.begin());
    assert.equal((await page.evaluate(() => window.calls())).c1.status, 'drafted');
    assert.equal(await page.evaluate(() => guard.decide('c2', 'deny').type), 'drafted');
    await page.evaluate(() => guard.commit());
    await until(() => backend.carried === 1, 'what was decided leaves');
    assert.deepEqual(backend.answers, { 'ap-c1': true, 'ap-c2': false });
    assert.deepEqual(await page.evaluate(() => window.errors), []);
  } finally {
    await context.close();
  }
});
