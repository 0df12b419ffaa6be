// What a prompt can read: calls, the batch, words. The objects stay the same until something changes.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene, until } from './support/chat.mjs';
import { broken, live, reject } from './support/scripted-transport.mjs';
import { stoppedClock } from './support/clock.mjs';
import { assertRefused, chained, holding } from './support/decide.mjs';
import { asking, assistant, user } from './support/stored.mjs';
import {
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  text,
  toolCall,
} from './support/chunks.mjs';
import { explained } from './support/explained.mjs';
import { named } from './support/named.mjs';
import { createWords } from 'tool-approval-guard/words';

const wordsOf = ({ guard }) => createWords(guard.locale);

const one = () => response('a1', gated('c1', 'rm', { path: '/a' }));
const two = () => response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'mv', { path: '/b' }));
const three = () => response('a1', gated('c1', 'rm'), gated('c2', 'mv'), gated('c3', 'cp'));
const CALL = [
  'key',
  'group',
  'toolCallId',
  'approvalId',
  'toolName',
  'label',
  'dynamic',
  'messageId',
  'title',
  'server',
  'input',
  'editable',
  'inputSchema',
  'edited',
  'changes',
  'display',
  'inputText',
  'requestReason',
  'unavailable',
  'ruling',
  'dangerous',
  'dangerousBy',
  'soundsDangerous',
  'readOnly',
  'status',
  'decision',
  'actor',
  'user',
  'source',
  'outcome',
  'grant',
  'position',
  'waiting',
  'can',
  'deadline',
  'expiring',
  'mayHaveRun',
  'defaultCovers',
  'refusals',
];
const BATCH = [
  'phase',
  'action',
  'keys',
  'total',
  'asking',
  'allowed',
  'denied',
  'inputLocked',
  'commitAt',
  'undoable',
  'allowAll',
  'looping',
  'stopped',
  'refusals',
];
const GRANT = [
  'id',
  'type',
  'toolName',
  'label',
  'server',
  'covers',
  'toolCallId',
  'status',
  'key',
  'createdAt',
  'endsAt',
  'uses',
  'lastUsedAt',
];

async function asked(sdk, response_, guard, { then = [says(), says()], ...options } = {}) {
  const s = scene(sdk, { script: [response_, ...then], guard, ...options });
  await s.say();
  return s;
}
const batch = (s) => s.guard.getSnapshot().batch;
const keys = (o) => Object.keys(o).sort();

forEachSdk((sdk) =>
  describe(`the fields, ${sdk.name}`, () => {
    test('C97 a call that asks, with everything that a prompt needs', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, two(), {
        tools: { rm: { title: 'Delete a file', server: 'Files', dangerous: true } },
        expiresMs: 60_000,
      });
      const c1 = s.call('c1');
      assert.deepEqual(keys(c1), [...CALL].sort());
      // Without the mark by which the guard knows what a view has shown.
      assert.deepEqual(Object.fromEntries(Object.entries(c1)), {
        key: c1.key,
        group: c1.key,
        toolCallId: 'c1',
        approvalId: 'ap-c1',
        toolName: 'rm',
        label: 'Delete a file',
        dynamic: false,
        messageId: 'a1',
        title: 'Delete a file',
        server: 'Files',
        input: { path: '/a' },
        display: { value: { path: '/a' }, hidden: 0 },
        inputText: '{\n  "path": "/a"\n}',
        requestReason: undefined,
        editable: false,
        inputSchema: undefined,
        edited: undefined,
        changes: undefined,
        unavailable: false,
        ruling: undefined,
        dangerous: true,
        dangerousBy: 'application',
        soundsDangerous: false,
        readOnly: false,
        status: 'asking',
        decision: undefined,
        actor: undefined,
        user: undefined,
        source: undefined,
        outcome: undefined,
        grant: undefined,
        position: { index: 1, total: 2 },
        waiting: true,
        can: { allow: true, deny: true, undo: false, edit: false },
        deadline: clock.now() + 60_000,
        expiring: false,
        mayHaveRun: false,
        defaultCovers: 'input',
        refusals: 0,
      });
      assert.deepEqual(keys(wordsOf(s).call(c1)), [
        'changes',
        'name',
        'outcome',
        'position',
        'scope',
        'title',
        'why',
      ]);
      assert.ok(Object.values(wordsOf(s).call(c1)).every((x) => typeof x === 'string'));
      assert.deepEqual(s.call('c2').position, { index: 2, total: 2 });
      assert.deepEqual([s.call('c2').title, s.call('c2').server], [undefined, undefined]);
    });

    test('a call of a tool known only at run time says so, even if it has the name of another tool', () => {
      const { guard } = scene(sdk, {});
      const dynamic = { ...asking('c2', 'rm'), type: 'dynamic-tool', toolName: 'rm' };
      guard.observe([user(), assistant('a1', asking('c1', 'rm'), dynamic)]);
      assert.deepEqual(
        guard.getSnapshot().calls.map(({ toolName, dynamic }) => [toolName, dynamic]),
        [
          ['rm', false],
          ['rm', true],
        ],
      );
    });

    test('C85 the input is the same object as in the message', async () => {
      const s = await asked(sdk, two());
      assert.equal(s.call('c1').input, s.home('c1').input);
      s.guard.decide('c1', 'allow-once');
      assert.equal(s.call('c1').input, s.home('c1').input);
    });

    test('the title of the part, and why the server asks', async () => {
      const s = scene(sdk, {
        messages: [
          user(),
          assistant('a1', {
            ...asking('c1', 'rm', { requestReason: 'over the limit' }),
            title: 'Remove',
          }),
        ],
      });
      assert.deepEqual([s.call('c1').title, s.call('c1').requestReason], ['Remove', 'over the limit']);
    });

    test('C97 the batch, as its calls are decided', async () => {
      const s = await asked(sdk, three(), { undoMs: Infinity });
      assert.deepEqual(keys(batch(s)), [...BATCH].sort());
      const read = ({ phase, keys: ids, total, asking: waiting, allowed, denied, undoable, commitAt }) => [
        phase,
        named(s.guard, ids).join(),
        total,
        waiting,
        allowed,
        denied,
        undoable,
        commitAt,
      ];
      assert.deepEqual(read(batch(s)), ['asking', 'c1,c2,c3', 3, 3, 0, 0, false, undefined]);
      s.guard.decide('c2', 'deny');
      assert.deepEqual(read(batch(s)), ['asking', 'c1,c2,c3', 3, 2, 0, 1, true, undefined]);
      s.guard.decide('c1', 'allow-once');
      assert.deepEqual(read(batch(s)), ['asking', 'c1,c2,c3', 3, 1, 1, 1, true, undefined]);
      s.guard.decide('c3', 'allow-once');
      assert.deepEqual(read(batch(s)), ['decided', 'c1,c2,c3', 3, 0, 2, 1, true, undefined]);
      s.guard.undo('c2');
      assert.deepEqual(read(batch(s)), ['asking', 'c1,c2,c3', 3, 1, 2, 0, true, undefined]);
      assert.deepEqual([batch(s).looping, batch(s).refusals], [false, 0]);
    });

    test('an empty chat has an idle batch, and no grants', async () => {
      const s = scene(sdk, { script: [says()] });
      const look = () => {
        const { calls, batch: b, grants } = s.guard.getSnapshot();
        assert.deepEqual([calls, grants], [[], []]);
        assert.deepEqual(keys(b), [...BATCH].sort());
        assert.deepEqual(
          [b.phase, b.keys, b.total, b.asking, b.allowed, b.denied, b.inputLocked, b.commitAt],
          ['idle', [], 0, 0, 0, 0, false, undefined],
        );
        assert.deepEqual([b.undoable, b.looping, b.refusals], [false, false, 0]);
        assert.deepEqual(Object.values(wordsOf(s).batch(b)), ['', '']);
      };
      look();
      await s.say();
      look();
    });

    test('a grant', async () => {
      const s = await asked(sdk, two(), { tools: { rm: { server: 'Files' } } });
      s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      const [grant] = s.guard.getSnapshot().grants;
      assert.deepEqual(keys(grant), [...GRANT].sort());
      assert.deepEqual(
        [grant.type, grant.toolName, grant.server, grant.covers, grant.toolCallId],
        ['allow', 'rm', 'Files', 'tool', 'c1'],
      );
      assert.equal(s.guard.getSnapshot().grants, s.guard.getSnapshot().grants);
    });

    test('C31 position: only calls of the batch have one', async () => {
      const s = await asked(
        sdk,
        response('a1', gated('c1', 'rm'), toolCall('k1', 'ui'), gated('c2', 'mv')),
        { clientTools: ['ui'] },
        { then: [chained([outputAvailable('c1'), outputAvailable('c2')], gated('c3', 'cp'))] },
      );
      assert.deepEqual(
        ['c1', 'k1', 'c2'].map((id) => s.call(id).position),
        [{ index: 1, total: 2 }, undefined, { index: 2, total: 2 }],
      );
      assert.deepEqual(named(s.guard, batch(s).keys), ['c1', 'c2']);
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.output('k1');
      assert.equal(s.count, 2);
      assert.deepEqual(named(s.guard, batch(s).keys), ['c3']);
      assert.deepEqual(
        ['c1', 'c2', 'c3'].map((id) => s.call(id).position),
        [undefined, undefined, { index: 1, total: 1 }],
      );
    });

    test('C96 allowAll: of one tool, and none of them dangerous', async () => {
      const same = () => response('a1', gated('c1', 'rm', { n: 1 }), gated('c2', 'rm', { n: 2 }));
      assert.equal(batch(await asked(sdk, same())).allowAll, true);
      assert.equal(batch(await asked(sdk, two())).allowAll, false);
      const risky = await asked(sdk, same(), { tools: { rm: { dangerous: ({ n }) => n === 2 } } });
      assert.equal(batch(risky).allowAll, false);
      risky.guard.decide('c2', 'deny');
      assert.equal(batch(risky).allowAll, true, 'what waits is not dangerous');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`the same objects, ${sdk.name}`, () => {
    test('C108 the snapshot is the same object while nothing changes', async () => {
      const s = await asked(sdk, three());
      const first = s.guard.getSnapshot();
      for (const act of [
        () => s.guard.getSnapshot(),
        () => s.guard.observe(s.chat.messages),
        () => s.guard.observe([...s.chat.messages]),
        () => explained(s.guard, s.chat.messages),
        () => s.guard.sendAutomaticallyWhen({ messages: s.chat.messages }),
        () => s.guard.covered('c1', 'tool'),
        () => s.guard.grants(),
        () => s.guard.ledger(),
        () => wordsOf(s).call(first.calls[0]),
        () => assertRefused(s, () => s.guard.undo('c1'), 'not-drafted'),
        () => s.guard.commit(),
      ]) {
        act();
        assert.equal(s.guard.getSnapshot(), first, String(act));
      }
    });

    test('C108 views of other calls stay the same objects', async () => {
      const s = await asked(sdk, three());
      const before = s.guard.getSnapshot();
      s.guard.decide('c2', 'allow-once');
      const after = s.guard.getSnapshot();
      assert.notEqual(after, before);
      assert.notEqual(after.calls, before.calls);
      assert.notEqual(after.calls[1], before.calls[1]);
      assert.equal(after.calls[0], before.calls[0]);
      assert.equal(after.calls[2], before.calls[2]);
      assert.notEqual(after.batch, before.batch);
      assert.equal(after.grants, before.grants);
      assert.equal(before.calls[1].status, 'asking', 'an old view does not change');
    });

    test('C108 another message does not change the views', async () => {
      const s = await asked(sdk, one(), {}, { then: [continued([outputAvailable('c1')]), says()] });
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      const c1 = s.call('c1');
      assert.equal(c1.status, 'settled');
      await s.say('more');
      assert.equal(s.call('c1'), c1);
    });

    test('listeners are told once for each change', async () => {
      const s = await asked(sdk, three());
      let told = 0;
      s.guard.subscribe(() => {
        told += 1;
      });
      const change = async (act, times) => {
        told = 0;
        act();
        assert.equal(told, times, `${act} at once`);
        await until(() => true);
        assert.equal(told, times, `${act} later`);
      };
      await change(() => s.guard.decide('c1', 'allow-once'), 1);
      await change(() => s.guard.decide('c1', 'allow-once'), 0); // refused
      await change(() => s.guard.decide('c1', 'deny'), 1);
      await change(() => s.guard.undo('c1'), 1);
      await change(() => s.guard.decideAll(['c1', 'c2'], 'allow-once'), 1);
      await change(() => s.guard.undoAll(), 1);
      await change(() => s.guard.decide('c9', 'deny'), 0);
      await change(() => s.guard.commit(), 0);
      await change(() => s.guard.covered('c1', 'input'), 0);
    });

    test('listeners are not told when a chat without messages is attached again, as after each rendering', () => {
      const s = scene(sdk, { script: [] });
      s.guard.getSnapshot();
      let told = 0;
      s.guard.subscribe(() => told++);
      for (const list of [[], [], []]) s.guard.attach({ id: s.id, messages: list, setMessages() {} });
      s.guard.attach(s.chat);
      s.guard.observe([]);
      assert.equal(told, 0);
    });

    test('listeners are told once when a grant answers several calls', async () => {
      const s = await asked(
        sdk,
        response('a1', gated('c1', 'rm'), gated('c2', 'rm'), gated('c3', 'rm'), gated('c4', 'mv')),
      );
      let told = 0;
      s.guard.subscribe(() => {
        told += 1;
      });
      s.guard.decide('c1', 'allow-chat');
      assert.equal(told, 1);
      assert.equal(batch(s).asking, 1);
      s.guard.revoke(s.guard.grants()[0].id);
      assert.equal(told, 2);
    });

    test('a listener reads the new state', async () => {
      const s = await asked(sdk, two());
      const seen = [];
      s.guard.subscribe(() => seen.push(s.call('c1').status));
      s.guard.decide('c1', 'allow-once');
      s.guard.undo('c1');
      assert.deepEqual(seen, ['drafted', 'asking']);
    });

    test('a listener that throws does not stop anything', async () => {
      const s = await asked(sdk, two());
      s.guard.subscribe(() => {
        throw new Error('mine');
      });
      let told = 0;
      s.guard.subscribe(() => {
        told += 1;
      });
      s.guard.decide('c1', 'allow-once');
      assert.equal(told, 1);
      assert.equal(s.guard.decide('c2', 'deny').type, 'committed');
      await s.settle();
      assert.equal(s.count, 2);
      assert.ok(s.codes().every((code) => code === 'listener-failed'));
      assert.ok(s.codes().length > 0);
    });
  }),
);

forEachSdk((sdk) =>
  describe(`the phase of the batch, ${sdk.name}`, () => {
    test('C105 from the question to the response: phases, statuses and the locked input', async (t) => {
      const clock = stoppedClock(t);
      const next = live();
      const transport = holding([two(), next, says()]);
      const s = scene(sdk, { inner: transport, guard: { undoMs: 1_000 } });
      const look = () => {
        const { phase, inputLocked } = batch(s);
        return [phase, inputLocked, s.call('c1')?.status, s.call('c2')?.status];
      };
      assert.deepEqual(look(), ['idle', false, undefined, undefined]);
      await s.say();
      assert.deepEqual(look(), ['asking', true, 'asking', 'asking']);
      s.guard.decide('c1', 'allow-once');
      assert.deepEqual(look(), ['asking', true, 'drafted', 'asking']);
      s.guard.decide('c2', 'deny');
      assert.deepEqual(look(), ['decided', true, 'drafted', 'drafted']);
      const open = transport.hold();
      await clock.pass(1_005);
      await until(() => s.count === 2);
      assert.deepEqual(look(), ['sending', true, 'sent', 'sent']);
      open();
      await next.started;
      next.push(start(), startStep, text('So.'));
      await until(() => s.chat.status === 'streaming');
      assert.deepEqual(look(), ['sent', false, 'delivered', 'delivered']);
      next.push(outputAvailable('c1'), finish());
      next.close();
      await s.settle();
      assert.equal(batch(s).inputLocked, false);
      assert.equal(s.call('c1').status, 'settled');
      assert.equal(s.count, 2);
    });

    test('the input is not locked when a message was stopped that has closed a call, and an older list shows the call', async () => {
      const transport = holding([two()]);
      const s = scene(sdk, { inner: transport });
      await s.say();
      const older = structuredClone(s.chat.messages);
      const asked = new Promise((resolve) => {
        transport.sendMessages = ({ abortSignal }) => {
          resolve();
          return new Promise((_, fail) =>
            abortSignal.addEventListener('abort', () => fail(abortSignal.reason)),
          );
        };
      });
      const said = s.send('never mind');
      await asked;
      await Promise.all([said, s.chat.stop()]);
      s.guard.adopt(older);
      s.chat.messages = older;
      await s.settle();
      assert.deepEqual([s.chat.status, s.call('c1').status], ['ready', 'superseded']);
      assert.deepEqual([batch(s).phase, batch(s).inputLocked], ['idle', false]);
      assert.equal(explained(s.guard, s.chat.messages).reason, 'nothing-new', 'nobody says that it was sent');
    });

    test('the input is locked while the response that asks still streams', async () => {
      const first = live();
      const s = scene(sdk, { script: [first] });
      s.send();
      await first.started;
      first.push(start('a1'), startStep, text('Let me see.'));
      await until(() => s.chat.status === 'streaming');
      assert.equal(batch(s).inputLocked, false);
      first.push(gated('c1', 'rm'));
      await until(() => s.home('c1')?.state === 'approval-requested', { quiet: 1 });
      s.guard.observe(s.chat.messages);
      assert.equal(batch(s).inputLocked, true);
      first.push(finishStep, finish());
      first.close();
      await s.settle();
      assert.equal(batch(s).inputLocked, true);
    });

    test('C16 failed, and sending again', async () => {
      const s = await asked(sdk, one(), {}, { then: [reject(), continued([outputAvailable('c1')])] });
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(batch(s).phase, 'failed');
      assert.equal(batch(s).inputLocked, false, 'a message continues the chat');
      await s.guard.retry();
      await s.settle();
      assert.notEqual(batch(s).phase, 'failed');
      assert.equal(batch(s).inputLocked, false);
    });

    test('C105 in doubt', async () => {
      const s = await asked(sdk, one(), {}, { then: [broken([start()])] });
      s.guard.decide('c1', 'allow-once');
      await s.settle();
      assert.equal(batch(s).phase, 'in-doubt');
      assert.equal(s.call('c1').status, 'in-doubt');
    });
  }),
);

forEachSdk((sdk) =>
  describe(`words, ${sdk.name}`, () => {
    test('English by default', async () => {
      const s = await asked(
        sdk,
        response('a1', gated('c1', 'delete_file'), gated('c2', 'mv'), gated('c3', 'cp')),
        { tools: { delete_file: { server: 'Files' } } },
      );
      const title = (id) => wordsOf(s).call(s.call(id)).title;
      assert.equal(title('c1'), 'Allow delete_file from Files?');
      assert.equal(title('c2'), 'Allow mv?');
      assert.equal(wordsOf(s).call(s.call('c2')).position, '2 of 3');
      assert.equal(wordsOf(s).batch(batch(s)).summary, '3 decisions needed');
      assert.ok(wordsOf(s).call(s.call('c1')).why.length > 0);
      assert.deepEqual(
        [wordsOf(s).call(s.call('c1')).outcome, wordsOf(s).call(s.call('c1')).scope],
        ['', ''],
      );
      s.guard.decide('c2', 'deny');
      assert.equal(wordsOf(s).batch(batch(s)).summary, '2 decisions needed');
      assert.equal(wordsOf(s).call(s.call('c2')).outcome, 'Denied');
      const { grant } = s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      assert.equal(wordsOf(s).batch(batch(s)).summary, '1 decision needed');
      assert.equal(wordsOf(s).call(s.call('c1')).outcome, 'Allowed in this chat');
      assert.match(wordsOf(s).call(s.call('c1')).scope, /every delete_file call/);
      assert.equal(wordsOf(s).grant(grant), 'every delete_file call, in this chat');
      s.guard.undo('c1');
      s.guard.decide('c1', 'allow-once');
      assert.equal(wordsOf(s).call(s.call('c1')).outcome, 'Allowed once');
      assert.equal(wordsOf(s).call(s.call('c1')).scope, '');
      s.guard.undo('c1');
      s.guard.decide('c1', 'allow-chat');
      assert.equal(wordsOf(s).call(s.call('c1')).scope, 'exactly this call, in this chat');
      s.guard.decide('c3', 'allow-once');
      assert.equal(wordsOf(s).batch(batch(s)).summary, '');
      await s.settle();
      assert.equal(wordsOf(s).call(s.call('c1')).outcome, 'Allowed in this chat');
    });

    test('the only call of a batch has a position, but no text for it', async () => {
      const s = await asked(sdk, one());
      assert.deepEqual(s.call('c1').position, { index: 1, total: 1 });
      assert.equal(wordsOf(s).call(s.call('c1')).position, '');
      assert.equal(wordsOf(s).batch(batch(s)).summary, '1 decision needed');
    });

    test('from a catalogue, and in English where a text is missing', async () => {
      const s = await asked(sdk, response('a1', gated('c1', 'delete_file'), gated('c2', 'mv')), {
        tools: { delete_file: { server: 'Files' } },
        locale: {
          locale: 'de',
          messages: {
            'prompt.title': ({ tool, server }) => `${tool} von ${server} erlauben?`,
            'prompt.summary': ({ waiting }) =>
              waiting.plural({
                one: `${waiting} Entscheidung fehlt`,
                other: `${waiting} Entscheidungen fehlen`,
              }),
          },
        },
      });
      assert.equal(wordsOf(s).call(s.call('c1')).title, 'delete_file von Files erlauben?');
      assert.equal(wordsOf(s).call(s.call('c2')).title, 'Allow mv?');
      assert.equal(wordsOf(s).batch(batch(s)).summary, '2 Entscheidungen fehlen');
      s.guard.decide('c1', 'deny');
      assert.equal(wordsOf(s).batch(batch(s)).summary, '1 Entscheidung fehlt');
      assert.equal(wordsOf(s).text('prompt.count', { index: 1, total: 4 }), '1 of 4');
      assert.equal(wordsOf(s).text('prompt.title', { tool: 'rm', server: 'X' }), 'rm von X erlauben?');
    });

    test('T12 a name that is not plain ASCII cannot turn the words around it', async () => {
      const s = scene(sdk, {
        messages: [user(), assistant('a1', asking('c1', 'rm'))],
        guard: { tools: { rm: { server: 'Fi\u202eles', title: 'לִמְחוֹק' } } },
      });
      const { title } = wordsOf(s).call(s.call('c1'));
      assert.ok(
        !title.includes('\u202e') || title.includes('\u2068Fi\u202eles\u2069'),
        JSON.stringify(title),
      );
      assert.equal(s.call('c1').server, 'Fi\u202eles', 'the field is as it was given');
    });

    test('the words of a call that expired, was superseded, or was answered by a grant', async (t) => {
      const clock = stoppedClock(t);
      const s = await asked(sdk, response('a1', gated('c1', 'rm'), gated('c2', 'mv'), gated('c3', 'mv')), {
        expiresMs: ({ toolName }) => (toolName === 'rm' ? 1_000 : undefined),
      });
      await clock.pass(1_005);
      assert.equal(wordsOf(s).call(s.call('c1')).outcome, 'Expired with no answer. It was not run.');
      s.guard.decide('c2', 'allow-chat');
      assert.match(wordsOf(s).call(s.call('c3')).outcome ?? '', /^Allowed automatically/);
      const over = await asked(sdk, one());
      await over.say('something else');
      assert.equal(wordsOf(over).call(over.call('c1')).outcome, 'Not run: you sent a new message.');
    });
  }),
);
