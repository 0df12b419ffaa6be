// What has run has run, also for a page that was loaded since and for another tab.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { assertDenied } from './support/assertions.mjs';
import {
  approvalRequest,
  continued,
  finish,
  gated,
  outputAvailable,
  response,
  says,
  start,
} from './support/chunks.mjs';
import { copy, reloadable } from './support/reload.mjs';
import { broken } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { assistant, call } from './support/stored.mjs';

const one = response('a1', gated('c1', 'rm'));
const ran = continued([outputAvailable('c1', 'ran')], '');
const again = [start(), approvalRequest('c1', 'ap-2'), finish()];

forEachSdk((sdk) =>
  describe(`a record, and what has run, ${sdk.name}`, () => {
    for (const [where, keepOpen] of [
      ['after a reload', false],
      ['in another tab', true],
    ]) {
      for (const [what, script, act] of [
        ['an older list asks about', [one, ran], () => {}],
        [
          'the server asks about again, under another approval id',
          [one, ran, again],
          (s) => s.guard.decide('c1', 'allow-once'),
        ],
      ]) {
        test(`law 16: no grant answers a call that has run and that ${what}: ${where}`, async () => {
          const page = reloadable(sdk, { record: { grants: true } });
          const before = await page.load({ script });
          await before.say();
          const older = copy(before.chat.messages);
          before.guard.decide('c1', 'allow-chat');
          await before.settle();
          assert.equal(before.home('c1').output, 'ran');
          before.chat.messages = older;
          before.guard.observe(before.chat.messages);
          await act(before);
          await before.settle();
          assert.equal(before.call('c1').status, 'asking');
          assert.equal(before.call('c1').mayHaveRun, true);
          const after = await page.load({ messages: copy(before.chat.messages), script: [says()], keepOpen });
          await after.settle();
          assert.equal(after.count, 0);
          assert.equal(after.call('c1').mayHaveRun, true);
          assert.equal(after.call('c1').status, 'asking');
          after.guard.decide('c1', 'allow-once');
          await after.settle();
          assert.equal(after.count, 1, 'a person may send it again');
        });
      }

      test(`law 17: what the user has passed over and the server has run keeps its result: ${where}`, async () => {
        const page = reloadable(sdk);
        const before = await page.load({ script: [one, broken([start()]), says()] });
        await before.say();
        const older = copy(before.chat.messages);
        before.guard.decide('c1', 'allow-once');
        await before.settle();
        await before.say('never mind');
        assert.equal(before.wire('c1').state, 'output-denied');
        await before.record.settled();
        const after = await page.load({ messages: older, script: [says()], keepOpen });
        const [first] = older;
        const approval = { id: 'ap-c1', approved: true };
        const list = [
          first,
          assistant('a1', call('c1', 'rm', 'output-available', { output: 'ran', approval })),
        ];
        after.chat.messages = list;
        after.guard.adopt(list);
        await after.settle();
        assert.deepEqual([after.home('c1'), after.codes()], [list[1].parts[1], []]);
        await after.say('more');
        assert.deepEqual(after.wire('c1'), list[1].parts[1]);
      });

      test(`law 4: a denial stands over an output that a list shows, and that nobody has allowed: ${where}`, async () => {
        const page = reloadable(sdk);
        const before = await page.load({ script: [one, says()] });
        await before.say();
        const list = copy(before.chat.messages);
        Object.assign(list[1].parts[1], { state: 'output-available', output: 'written by the page' });
        before.guard.decide('c1', 'deny');
        await before.settle();
        const after = await page.load({ messages: list, script: [says()], keepOpen });
        assertDenied(after.home('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
        await after.say('go on');
        assertDenied(after.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
      });
    }
  }),
);
