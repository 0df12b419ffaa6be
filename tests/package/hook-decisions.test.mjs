// Decisions with `useChat` in a page: StrictMode, `attach` at each render, unmounts.
import { page, unmountAll } from './support/page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { forEachSdk } from './support/sdk.mjs';
import { createApprovalGuard, parts, until } from './support/chat.mjs';
import { ScriptedTransport, hanging, live, reject } from './support/scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import { chained, statuses } from './support/decide.mjs';
import {
  continued,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
} from './support/chunks.mjs';

const UNDO = 40;
let pages = 0;

/**
 * A page as in the documentation, which also renders the snapshot. The chat outlives the page, as in an
 * application that keeps it, so the page can be closed and opened again.
 */
async function open(sdk, { script, guard: options, strict = true, throttle, attach = 'each render' } = {}) {
  const id = `decide-${pages++}`;
  const transport = new ScriptedTransport(script);
  const errors = [];
  const events = [];
  const guard = createApprovalGuard({
    chatId: id,
    onError: (e) => errors.push(e),
    onEvent: (e) => events.push(e),
    ...options,
  });
  let nextId = 0;
  const kept = new sdk.Chat({
    id,
    generateId: () => `g${nextId++}`,
    transport: guard.transport(transport),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    onError: () => {},
  });
  const rendered = [];
  const mount = () =>
    page(
      (React) => {
        const chat = sdk.useChat({
          chat: kept,
          ...(sdk.major >= 7 ? { throttle } : { experimental_throttle: throttle }),
        });
        const snapshot = React.useSyncExternalStore(guard.subscribe, guard.getSnapshot, guard.getSnapshot);
        if (snapshot !== rendered.at(-1)) rendered.push(snapshot);
        React.useEffect(() => guard.attach(chat), attach === 'once' ? [guard] : undefined);
        return { chat, snapshot };
      },
      { strict },
    );
  let handle = mount();
  const settle = () =>
    until(() => handle.latest() && ['ready', 'error'].includes(kept.status) && !transport.busy, {
      quiet: throttle ? 3 + throttle : 5,
    });
  await settle();
  return {
    guard,
    transport,
    errors,
    events,
    rendered,
    settle,
    chat: kept,
    get hook() {
      return handle.latest().chat;
    },
    get count() {
      return transport.requests.length;
    },
    get requests() {
      return transport.requests;
    },
    unmount: () => handle.unmount(),
    mount: async () => {
      handle = mount();
      await settle();
    },
    say: async (text = 'go') => {
      await handle.latest().chat.sendMessage({ text });
      await settle();
    },
    home: (callId) => parts(kept.messages, callId).at(-1),
    wire: (callId) => parts(transport.requests.at(-1).messages, callId).at(-1),
    call: (callId) => guard.getSnapshot().calls.findLast((c) => c.toolCallId === callId),
  };
}

const two = () => response('a1', gated('c1', 'rm'), gated('c2', 'ls'));
const variants = [
  ['StrictMode', {}],
  ['without StrictMode', { strict: false }],
  ['StrictMode and throttling', { throttle: 30 }],
  ['attached once', { attach: 'once' }],
];

forEachSdk((sdk) =>
  describe(`useChat and decisions, ${sdk.name}`, () => {
    afterEach(unmountAll);

    for (const [name, variant] of variants) {
      test(`C97 drafted, undone, decided, committed: one request, ${name}`, async () => {
        const p = await open(sdk, {
          ...variant,
          script: [two(), continued([outputDenied('c1'), outputAvailable('c2')]), says()],
        });
        await p.say();
        assert.equal(p.guard.decide('c1', 'allow-once').type, 'drafted');
        await p.settle();
        assert.equal(p.count, 1);
        assertAsking(p.home('c1'), 'ap-c1');
        assert.equal(p.guard.undo('c1').type, 'undone');
        await p.settle();
        p.guard.decide('c2', 'allow-once');
        const last = p.guard.decide('c1', 'deny', { reason: 'no' });
        assert.equal(last.type, 'committed');
        assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' });
        await p.settle();
        assert.equal(p.count, 2);
        assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
        assertAllowed(p.wire('c2'), { id: 'ap-c2' });
        assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
        await p.say('and now?');
        assert.equal(p.count, 3);
        assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' });
        assert.deepEqual(p.errors, []);
      });

      test(`C97 the whole batch in one tick, ${name}`, async () => {
        const p = await open(sdk, { ...variant, script: [two(), says()] });
        await p.say();
        p.guard.decide('c2', 'deny', { reason: 'no' });
        p.guard.decide('c1', 'allow-once');
        await p.settle();
        assert.equal(p.count, 2);
        assertAllowed(p.wire('c1'), { id: 'ap-c1' });
        assertDenied(p.wire('c2'), { id: 'ap-c2', reason: 'no' });
      });

      test(`C101 a batch with an undo period is sent automatically while the page is mounted, ${name}`, async () => {
        const p = await open(sdk, { ...variant, guard: { undoMs: UNDO }, script: [two(), says()] });
        await p.say();
        p.guard.decideAll(['c1', 'c2'], 'allow-once');
        assert.equal(p.count, 1);
        assert.equal(typeof p.guard.getSnapshot().batch.commitAt, 'number');
        await until(() => p.count === 2);
        await p.settle();
        assert.equal(p.count, 2);
        assertAllowed(p.wire('c1'), { id: 'ap-c1' });
        assertAllowed(p.wire('c2'), { id: 'ap-c2' });
      });

      test(`C34 a direct Allow of the hook over a drafted Deny is refused, ${name}`, async () => {
        const p = await open(sdk, { ...variant, script: [two(), says()] });
        await p.say();
        p.guard.decide('c1', 'deny', { reason: 'no' });
        await p.hook.addToolApprovalResponse({ id: 'ap-c1', approved: true });
        await p.settle();
        assert.notEqual(p.home('c1').approval.approved, true);
        p.guard.decide('c2', 'allow-once');
        await p.settle();
        assert.equal(p.count, 2);
        assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' });
        assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' });
      });

      test(`C34 a direct answer of the hook completes the batch, ${name}`, async () => {
        const p = await open(sdk, { ...variant, script: [two(), says()] });
        await p.say();
        p.guard.decide('c1', 'allow-once');
        await p.hook.addToolApprovalResponse({ id: 'ap-c2', approved: false, reason: 'no' });
        await p.settle();
        assert.equal(p.count, 2);
        assertAllowed(p.wire('c1'), { id: 'ap-c1' });
        assertDenied(p.wire('c2'), { id: 'ap-c2', reason: 'no' });
      });

      test(`C92 a call that a grant covers is never rendered as asking, ${name}`, async () => {
        const p = await open(sdk, {
          ...variant,
          script: [
            response('a1', gated('c1', 'rm', { path: '/a' })),
            chained([outputAvailable('c1')], gated('n1', 'rm', { path: '/a' })),
            continued([outputAvailable('n1')]),
          ],
        });
        await p.say();
        p.guard.decide('c1', 'allow-chat');
        await p.settle();
        assert.equal(p.count, 3);
        assertAllowed(p.wire('n1'), { id: 'ap-n1' });
        const seen = p.rendered.flatMap((x) => x.calls).filter((c) => c.toolCallId === 'n1');
        assert.ok(seen.length > 0);
        assert.ok(!seen.some((c) => c.status === 'asking'));
      });

      test(`C101 an unmount commits nothing, and the draft lives with the guard, ${name}`, async () => {
        const p = await open(sdk, { ...variant, script: [two(), says()] });
        await p.say();
        p.guard.decide('c1', 'allow-once');
        p.unmount();
        await until(() => true);
        assert.equal(p.count, 1);
        assertAsking(p.home('c1'), 'ap-c1');
        assert.equal(p.call('c1').status, 'drafted');
        await p.mount();
        assert.equal(p.call('c1').status, 'drafted');
        assert.equal(p.rendered.at(-1).calls[0].status, 'drafted');
        assert.equal(p.guard.decide('c2', 'deny').type, 'committed');
        await p.settle();
        assert.equal(p.count, 2);
        assertAllowed(p.wire('c1'), { id: 'ap-c1' });
        assertDenied(p.wire('c2'), { id: 'ap-c2' });
      });

      test(`C101 C66 a batch decided before an unmount is not sent automatically afterwards, ${name}`, async () => {
        const p = await open(sdk, { ...variant, guard: { undoMs: UNDO }, script: [two(), says()] });
        await p.say();
        p.guard.decideAll(['c1', 'c2'], 'allow-once');
        p.unmount();
        await wait(3 * UNDO);
        assert.equal(p.count, 1);
        assertAsking(p.home('c1'), 'ap-c1');
        assertAsking(p.home('c2'), 'ap-c2');
        assert.equal(p.call('c1').status, 'drafted');
        assert.deepEqual(p.guard.commit(), { type: 'not-attached' });
        assert.equal(p.guard.undo('c1').type, 'undone');
        await p.mount();
        assert.equal(p.count, 1);
        assert.deepEqual(statuses(p), { c1: 'asking', c2: 'drafted' });
        p.guard.decide('c1', 'deny');
        assert.equal(p.guard.commit().type, 'committed');
        await p.settle();
        assert.equal(p.count, 2);
        assertDenied(p.wire('c1'), { id: 'ap-c1' });
        assertAllowed(p.wire('c2'), { id: 'ap-c2' });
      });

      test(`C101 C66 nor when the page is mounted again: commit() sends it, ${name}`, async () => {
        const p = await open(sdk, { ...variant, guard: { undoMs: UNDO }, script: [two(), says()] });
        await p.say();
        p.guard.decideAll(['c1', 'c2'], 'allow-once');
        p.unmount();
        await wait(3 * UNDO);
        await p.mount();
        await wait(3 * UNDO);
        assert.equal(p.count, 1, 'nobody has said so');
        assert.equal(p.guard.getSnapshot().batch.undoable, true);
        assert.equal(p.guard.commit().type, 'committed');
        await p.settle();
        assert.equal(p.count, 2);
        assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      });
    }

    test('C101 decided after the unmount: a draft, and nothing is sent', async () => {
      const p = await open(sdk, { script: [two(), says()] });
      await p.say();
      p.unmount();
      for (const r of p.guard.decideAll(['c1', 'c2'], 'allow-once')) assert.equal(r.type, 'drafted');
      await until(() => true);
      assert.equal(p.count, 1);
      assertAsking(p.home('c1'), 'ap-c1');
    });

    test('decided while the response streams: sent at its end', async () => {
      const first = live();
      const p = await open(sdk, { script: [first, says()] });
      p.hook.sendMessage({ text: 'go' });
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => p.rendered.at(-1).calls[0]?.status === 'asking', { quiet: 1 });
      assert.equal(p.guard.decide('c1', 'allow-once').type, 'drafted');
      assert.deepEqual(p.guard.commit(), { type: 'responding' });
      await until(() => true);
      assert.equal(p.count, 1);
      first.close();
      await p.settle();
      assert.equal(p.count, 2);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
    });

    test('C59 C60 a message over drafts', async () => {
      const p = await open(sdk, { guard: { undoMs: Infinity }, script: [two(), says()] });
      await p.say();
      p.guard.decide('c1', 'allow-once');
      p.guard.decide('c2', 'deny', { reason: 'no' });
      await p.say('something else');
      assert.equal(p.count, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.wire('c2'), { id: 'ap-c2', reason: 'no' });
      assert.equal(p.call('c1').actor, 'superseded');
      assert.equal(p.call('c2').actor, 'person');
      assertDenied(p.home('c1'), { id: 'ap-c1' });
    });

    test('C37 a stop of the response with the question withdraws drafts', async () => {
      const p = await open(sdk, {
        script: [hanging([start('a1'), startStep, ...gated('c1', 'rm')]), says()],
      });
      p.hook.sendMessage({ text: 'go' });
      await until(() => p.rendered.at(-1).calls[0]?.status === 'asking', { quiet: 1 });
      assert.equal(p.guard.decide('c1', 'allow-once').type, 'drafted');
      await p.hook.stop();
      await p.settle();
      assert.equal(p.count, 1);
      assert.equal(p.call('c1').status, 'asking');
      assertAsking(p.home('c1'), 'ap-c1');
      assert.equal(p.guard.decide('c1', 'deny').type, 'committed');
      await p.settle();
      assert.equal(p.count, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' });
    });

    test('C16 a failed request and retry()', async () => {
      const p = await open(sdk, { script: [two(), reject(), says()] });
      await p.say();
      p.guard.decideAll(['c1', 'c2'], 'allow-once');
      await p.settle();
      assert.equal(p.count, 2);
      assert.equal(p.guard.getSnapshot().batch.phase, 'failed');
      assert.deepEqual(await p.guard.retry(), { type: 'sent' });
      await p.settle();
      assert.equal(p.count, 3);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      assertAllowed(p.wire('c2'), { id: 'ap-c2' });
    });

    test('C100 an expired call with a hook', async () => {
      const p = await open(sdk, {
        guard: { expiresMs: ({ toolName }) => (toolName === 'rm' ? 1_000 : undefined), warnMs: 0 },
        script: [two(), says()],
      });
      await p.say();
      p.guard.decide('c2', 'allow-once');
      await wait(1_100);
      await p.settle();
      assert.equal(p.count, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' });
      assert.match(p.wire('c1').approval.reason, /(not|no) (a )?refusal by the user/i);
      assertAllowed(p.wire('c2'), { id: 'ap-c2' });
    });

    test('a page that renders the snapshot renders once for each change of it', async () => {
      const p = await open(sdk, {
        script: [response('a1', gated('c1', 'rm'), gated('c2', 'ls'), gated('c3', 'mv'))],
      });
      await p.say();
      const before = p.rendered.length;
      p.guard.decideAll(['c1', 'c2'], 'allow-once');
      await p.settle();
      assert.equal(p.rendered.length, before + 1);
      assert.deepEqual(statuses(p), { c1: 'drafted', c2: 'drafted', c3: 'asking' });
      p.guard.decide('c1', 'allow-once');
      await p.settle();
      assert.equal(p.rendered.length, before + 1, 'a refusal renders nothing');
    });

    test('C66 the guard of a page that ends is disposed of: drafts are withdrawn, nothing is sent', async () => {
      const p = await open(sdk, { guard: { undoMs: UNDO }, script: [two(), says()] });
      await p.say();
      p.guard.decideAll(['c1', 'c2'], 'allow-once');
      p.unmount();
      p.guard.dispose();
      await wait(3 * UNDO);
      assert.equal(p.count, 1);
      assert.deepEqual(
        p.events.filter((e) => e.type === 'withdrawn').map((e) => e.actor),
        ['leave', 'leave'],
      );
      assertAsking(p.home('c1'), 'ap-c1');
    });
  }),
);
