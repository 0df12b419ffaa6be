// The tests that are the same for the bindings of all frameworks. The test file of a framework says how its
// page is opened; here is what must be seen there, and what must be sent.
import './page.mjs';
import { afterEach, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { readEdit } from 'tool-approval-guard/edit';
import { createRecord } from 'tool-approval-guard/record';
import { createApprovalGuard, parts, until } from './chat.mjs';
import { ScriptedTransport, hanging, live } from './scripted-transport.mjs';
import { assertAllowed, assertAsking, assertDenied, plain } from './assertions.mjs';
import { chained, entries } from './decide.mjs';
import {
  continued,
  gated,
  outputAvailable,
  outputDenied,
  response,
  says,
  start,
  startStep,
} from './chunks.mjs';

// The globals of a browser that Vue and Svelte look for.
for (const name of ['Element', 'HTMLElement', 'HTMLMediaElement', 'SVGElement', 'Node', 'Text', 'Comment']) {
  globalThis[name] ??= window[name];
}

import { answered, asking, assistant, user } from './stored.mjs';

const UNDO = 40;
let pages = 0;

/** Counts the listeners and readers of a guard, and records which chats are attached to it. */
export function counted(guard) {
  const { subscribe, attach, getSnapshot } = guard;
  const count = { listeners: 0, chats: 0, everListened: 0, everAttached: 0, snapshots: 0 };
  const counting = (method, now, ever) => (argument) => {
    const end = method(argument);
    count[now] += 1;
    count[ever] += 1;
    let over = false;
    return () => {
      assert.equal(over, false, 'it is ended once');
      over = true;
      count[now] -= 1;
      end();
    };
  };
  guard.subscribe = counting(subscribe, 'listeners', 'everListened');
  guard.attach = counting(attach, 'chats', 'everAttached');
  guard.getSnapshot = () => {
    count.snapshots += 1;
    return getSnapshot();
  };
  return count;
}

/** A guard with a transport; records errors and listeners. */
export function guarded(script, options, id = `binding-${pages++}`) {
  const transport = new ScriptedTransport(script);
  const errors = [];
  const guard = createApprovalGuard({ chatId: id, onError: (e) => errors.push(e), ...options });
  const count = counted(guard);
  return { id, transport, errors, guard, count };
}

/** The options of a `Chat` with a guard. */
export function chatOptions({ id, guard, transport }, messages = []) {
  let nextId = 0;
  return {
    id,
    messages,
    generateId: () => `g${nextId++}`,
    transport: guard.transport(transport),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    onError: () => {},
  };
}

const opened = new Set();

/** Collects the warnings and errors that a page writes to the console. */
export function listenToConsole(t) {
  const said = [];
  for (const level of ['warn', 'error']) {
    t.mock.method(console, level, (...args) => said.push(args.map(String).join(' ')));
  }
  return said;
}

/** Removes WebAssembly until the test ends: code that needs it, and has not used it before, fails. */
export function withoutWasm(t) {
  const { WebAssembly } = globalThis;
  delete globalThis.WebAssembly;
  t.after(() => {
    globalThis.WebAssembly = WebAssembly;
  });
}

/**
 * A page that shows each call of the batch as a card, and each tool part with what `callOf` says of it:
 *
 *     <section data-phase data-asking>
 *       <p data-card="c1" data-status="asking"><button data-do="deny | allow | chat | undo | stop"></p>
 *       <i data-part="c1" data-state="approval-requested" data-status="asking | none">
 *     </section>
 *
 * @param framework.chat makes a chat of `chatOptions`; answers `{ chat, status(), messages() }`
 * @param framework.mount puts the page into an element; answers `{ latest(), unmount() }`, where `latest()`
 * is what `useToolApprovals` has returned last, with plain values
 */
export async function open(framework, { script, guard: options, messages, mounts = 1 } = {}) {
  const made = guarded(script, options);
  const { guard, transport, errors, count } = made;
  const kept = framework.chat(chatOptions(made, messages), made);
  const { stop, addToolApprovalResponse } = kept.chat;
  const handles = [];
  const settle = () =>
    until(() => ['ready', 'error'].includes(kept.status()) && !transport.busy, {
      quiet: 5 + (framework.throttle ?? 0),
    });
  const mount = async () => {
    const element = document.createElement('div');
    document.body.append(element);
    const handle = await framework.mount(element, { guard, chat: kept.chat });
    handles.push({ ...handle, element });
    await settle();
  };
  for (let i = 0; i < mounts; i += 1) await mount();
  const p = {
    ...made,
    count,
    errors,
    handles,
    settle,
    mount,
    chat: kept.chat,
    methods: { stop, addToolApprovalResponse },
    messages: () => kept.messages(),
    /** Puts stored messages into the chat, as a page does when they have come. */
    load: (messages) => {
      if (p.hook.setMessages !== undefined) p.hook.setMessages(messages);
      else if (Array.isArray(p.hook.messages)) p.hook.messages = messages;
      else p.hook.messages.value = messages;
    },
    latest: (i = handles.length - 1) => handles[i].latest(),
    get hook() {
      return handles.at(-1)?.hook?.() ?? kept.chat;
    },
    get sent() {
      return transport.requests.length;
    },
    unmount: async (i = handles.length - 1) => {
      const [handle] = handles.splice(i, 1);
      await handle.unmount();
      handle.element.remove();
      await until(() => true);
    },
    close: async () => {
      opened.delete(p);
      while (handles.length > 0) await p.unmount();
      kept.end?.();
    },
    say: async (text = 'go') => {
      await p.hook.sendMessage({ text });
      await settle();
    },
    /** Presses a button of a card, or one of the page. */
    press: async (toolCallId, what, i = handles.length - 1) => {
      const within = toolCallId === undefined ? '' : `[data-card="${toolCallId}"] `;
      const button = handles[i].element.querySelector(`${within}button[data-do="${what}"]`);
      assert.ok(button, `there is a button ${what} of ${toolCallId ?? 'the page'}`);
      button.click();
      await settle();
    },
    cards: (i = handles.length - 1) =>
      Object.fromEntries(
        [...handles[i].element.querySelectorAll('[data-card]')].map(({ dataset }) => [
          dataset.card,
          dataset.status,
        ]),
      ),
    shownParts: (i = handles.length - 1) =>
      [...handles[i].element.querySelectorAll('[data-part]')].map(({ dataset }) => [
        dataset.part,
        dataset.status,
      ]),
    home: (toolCallId) => parts(kept.messages(), toolCallId).at(-1),
    wire: (toolCallId, n = transport.requests.length - 1) =>
      parts(transport.requests[n].messages, toolCallId).at(-1),
    call: (toolCallId) => guard.getSnapshot().calls.findLast((c) => c.toolCallId === toolCallId),
  };
  opened.add(p);
  return p;
}

/** Checks that this guard was not used. */
export const assertUntouched = ({ count, errors }) =>
  assert.deepEqual([count.everListened, count.everAttached, count.snapshots, errors], [0, 0, 0, []]);

export const closeAll = async () => {
  for (const p of [...opened]) await p.close();
};

export const two = () => response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'ls', { path: '/b' }));

/** What the pages do for _edit_: what was typed into a form is allowed in the place of the input. */
export function edit(guard, call) {
  const { input } = readEdit(call, new Map([['path', '/other']]), guard.locale);
  guard.decide(call, 'allow-once', { input });
}

/** The tests that are the same for every framework. */
export function bindingTests(name, framework) {
  const page = (options) => open(framework, options);

  describe(name, () => {
    afterEach(closeAll);

    test('cards appear, are decided, undone and decided again, and the chat sends once', async () => {
      const p = await page({
        script: [two(), continued([outputDenied('c1'), outputAvailable('c2')]), says()],
      });
      assert.deepEqual(p.cards(), {});
      assert.equal(p.latest().batch.phase, 'idle');
      await p.say();
      assert.deepEqual(p.cards(), { c1: 'asking', c2: 'asking' });
      assert.deepEqual(p.shownParts(), [
        ['c1', 'asking'],
        ['c2', 'asking'],
      ]);
      await p.press('c1', 'allow');
      assert.deepEqual(p.cards(), { c1: 'drafted', c2: 'asking' });
      await p.press('c1', 'undo');
      assert.deepEqual(p.cards(), { c1: 'asking', c2: 'asking' });
      await p.press('c2', 'allow');
      assertAsking(p.home('c1'), 'ap-c1');
      assertAsking(p.home('c2'), 'ap-c2');
      assert.equal(p.sent, 1);
      await p.press('c1', 'deny');
      assert.equal(p.sent, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' }, { state: 'approval-responded' });
      assertAllowed(p.wire('c2'), { id: 'ap-c2' });
      assertDenied(p.home('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
      assert.deepEqual(p.shownParts(), [
        ['c1', 'settled'],
        ['c2', 'settled'],
      ]);
      await p.say('and now?');
      assert.equal(p.sent, 3);
      assertDenied(p.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
      assert.deepEqual(p.errors, []);
      assert.equal(p.latest().verdict, p.guard.getSnapshot().verdict);
      assert.equal(p.latest().calls, p.guard.getSnapshot().calls);
    });

    test('a person changes an input, undoes that, and allows it changed', async () => {
      const p = await page({
        guard: { tools: { rm: { editable: ['path'] } } },
        script: [two(), continued([outputAvailable('c1'), outputDenied('c2')]), says()],
      });
      await p.say();
      const shown = () => p.latest().calls.map(({ can, changes }) => [can.edit, changes]);
      const changes = [{ field: 'path', from: '/a', to: '/other' }];
      assert.deepEqual(plain(shown()), [
        [true, null],
        [false, null],
      ]);
      await p.press('c1', 'edit');
      assert.deepEqual(plain(shown()[0]), [false, changes]);
      await p.press('c1', 'undo');
      assert.deepEqual(plain(shown()[0]), [true, null]);
      await p.press('c1', 'edit');
      await p.press('c2', 'deny');
      assert.deepEqual(
        [plain(p.wire('c1').input), p.wire('c1').approval.approved],
        [{ path: '/other' }, true],
      );
      assert.deepEqual(plain(p.home('c1').input), { path: '/other' });
      assert.deepEqual(p.errors, []);
    });

    const isDenied = async (guard) => {
      const p = await page({
        guard,
        script: [two(), continued([outputDenied('c1'), outputAvailable('c2')], 'The last word.'), says()],
      });
      await p.say();
      await p.hook.addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: 'no' });
      await p.settle();
      await p.hook.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: { denied: true } });
      await p.settle();
      await p.press('c2', 'allow');
      assert.equal(p.sent, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
      assertAllowed(p.wire('c2'), { id: 'ap-c2' });
      assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
      assert.equal(p.messages().at(-1).parts.at(-1).text, 'The last word.');
      await p.say('and now?');
      assert.equal(p.sent, 3);
      assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
      assert.deepEqual(p.errors, []);
    };

    test('C42 a denial with an output written over it is sent as a denial', () => isDenied({}));

    // With a record, the messages that a hook attaches are compared with it.
    test('C42 the same with a record', () => isDenied({ record: createRecord({ storage: 'memory' }) }));

    test('C42 the same in one turn', async () => {
      const p = await page({
        script: [two(), continued([outputDenied('c1'), outputAvailable('c2')], 'The last word.'), says()],
      });
      await p.say();
      await Promise.all([
        p.hook.addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: 'no' }),
        p.hook.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' }),
        p.hook.addToolApprovalResponse({ id: 'ap-c2', approved: true }),
      ]);
      await p.settle();
      assert.equal(p.sent, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
      assertAllowed(p.wire('c2'), { id: 'ap-c2' });
      assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'output-denied' });
      assert.equal(p.home('c2').output, 'done');
      assert.equal(p.messages().at(-1).parts.at(-1).text, 'The last word.');
    });

    test('C42 a drafted denial with an output written over it, and the whole batch at once', async () => {
      const p = await page({ script: [two(), says()] });
      await p.say();
      p.guard.decide('c1', 'deny', { reason: 'no' });
      await p.hook.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' });
      p.guard.decide('c2', 'allow-once');
      await p.settle();
      assert.equal(p.sent, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1', reason: 'no' }, { state: 'approval-responded' });
      assertAllowed(p.wire('c2'), { id: 'ap-c2' });
      assertDenied(p.home('c1'), { id: 'ap-c1', reason: 'no' });
    });

    test('C43 an output over a call that asks: nothing is sent, and its card asks', async () => {
      const p = await page({ script: [response('a1', gated('c1', 'rm')), says()] });
      await p.say();
      await p.hook.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' });
      await p.settle();
      assert.equal(p.sent, 1);
      assertAsking(p.home('c1'), 'ap-c1');
      assert.deepEqual(p.cards(), { c1: 'asking' });
      await p.press('c1', 'allow');
      assert.equal(p.sent, 2);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
    });

    test('C59 a message over open cards is kept, and the cards are closed at home', async () => {
      const p = await page({ script: [two(), says('Well then.')] });
      await p.say();
      await p.press('c2', 'allow');
      await p.say('something else');
      assert.equal(p.sent, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.wire('c2'), { id: 'ap-c2' });
      assertDenied(p.home('c1'), { id: 'ap-c1' });
      assert.deepEqual(
        p.messages().map((m) => m.role),
        ['user', 'assistant', 'user', 'assistant'],
      );
      assert.equal(p.messages()[2].parts[0].text, 'something else');
      assert.deepEqual(p.cards(), {});
    });

    test('a card of a response that still streams', async () => {
      const first = live();
      const p = await page({ script: [first, says()] });
      void p.hook.sendMessage({ text: 'go' });
      await first.started;
      first.push(start('a1'), startStep, gated('c1', 'rm'));
      await until(() => p.cards().c1 === 'asking', { quiet: 1 });
      const call = p.latest().calls[0];
      assert.equal(p.guard.decide(call, 'allow-once').type, 'drafted');
      await until(() => p.cards().c1 === 'drafted', { quiet: 1 });
      first.push(gated('c2', 'ls'));
      await until(() => p.cards().c2 === 'asking', { quiet: 1 });
      first.close();
      await p.settle();
      assert.equal(p.sent, 1);
      await p.press('c2', 'deny');
      assert.equal(p.sent, 2);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.wire('c2'), { id: 'ap-c2' });
    });

    test('C101 an unmount with drafts commits nothing, and they are there after the next mount', async () => {
      const p = await page({ script: [two(), says()] });
      await p.say();
      await p.press('c1', 'allow');
      await p.unmount();
      assert.equal(p.sent, 1);
      assertAsking(p.home('c1'), 'ap-c1');
      assert.equal(p.guard.decide('c2', 'deny').type, 'drafted', 'there is no chat to write it into');
      assert.equal(p.guard.undo('c2').type, 'undone');
      await p.mount();
      assert.deepEqual(p.cards(), { c1: 'drafted', c2: 'asking' });
      await p.press('c2', 'deny');
      assert.equal(p.sent, 2);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.wire('c2'), { id: 'ap-c2' });
    });

    test('C101 C66 a decided batch of an unmounted page waits until somebody sends it', async () => {
      const p = await page({ guard: { undoMs: UNDO }, script: [two(), says()] });
      await p.say();
      p.guard.decideAll(['c1', 'c2'], 'allow-once');
      await p.unmount();
      await wait(3 * UNDO);
      assert.equal(p.sent, 1);
      assertAsking(p.home('c2'), 'ap-c2');
      await p.mount();
      await wait(3 * UNDO);
      assert.equal(p.sent, 1, 'nobody has said so');
      assert.deepEqual(p.cards(), { c1: 'drafted', c2: 'drafted' });
      assert.equal(p.guard.commit().type, 'committed');
      await p.settle();
      assert.equal(p.sent, 2);
    });

    test('C101 a mounted page sends when the undo period is over', async () => {
      const p = await page({ guard: { undoMs: UNDO }, script: [two(), says()] });
      await p.say();
      p.guard.decideAll(['c1', 'c2'], 'allow-once');
      await until(() => p.sent === 2);
      await p.settle();
      assert.equal(p.sent, 2);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      assertAllowed(p.wire('c2'), { id: 'ap-c2' });
    });

    test('stop() withdraws unsent decisions', async () => {
      const p = await page({ guard: { undoMs: Infinity }, script: [two(), says()] });
      await p.say();
      p.guard.decideAll(['c1', 'c2'], 'allow-once');
      await p.settle();
      assert.deepEqual(p.cards(), { c1: 'drafted', c2: 'drafted' });
      await p.press(undefined, 'stop');
      assert.deepEqual(p.cards(), { c1: 'asking', c2: 'asking' });
      assert.equal(p.sent, 1);
    });

    test('stop() ends the response that streams', async () => {
      const p = await page({
        script: [hanging([start('a1'), startStep, ...gated('c1', 'rm')]), says()],
      });
      void p.hook.sendMessage({ text: 'go' });
      await until(() => p.cards().c1 === 'asking', { quiet: 1 });
      p.guard.decide('c1', 'allow-once');
      await p.press(undefined, 'stop');
      assert.deepEqual(p.cards(), { c1: 'asking' });
      assert.equal(p.sent, 1);
    });

    test('C92 a batch that a grant answers is never shown as asking', async () => {
      const p = await page({
        script: [
          response('a1', gated('c1', 'rm', { path: '/a' })),
          chained([outputAvailable('c1')], gated('n1', 'rm', { path: '/a' })),
          continued([outputAvailable('n1')]),
        ],
      });
      await p.say();
      const seen = [];
      const look = () => seen.push(...p.latest().calls.filter((c) => c.toolCallId === 'n1'));
      p.guard.subscribe(look);
      await p.press('c1', 'chat');
      look();
      assert.equal(p.sent, 3);
      assertAllowed(p.wire('n1'), { id: 'ap-n1' });
      assert.ok(seen.length > 0);
      assert.ok(!seen.some((c) => c.status === 'asking'));
      assert.equal(p.latest().grants.length, 1);
      assert.equal(p.latest().grants[0].uses, 1);
    });

    test('two components with one guard show the same, and decide together', async () => {
      const p = await page({ mounts: 2, script: [two(), says()] });
      await p.say();
      assert.deepEqual(p.cards(0), { c1: 'asking', c2: 'asking' });
      await p.press('c1', 'allow', 0);
      assert.deepEqual(p.cards(0), { c1: 'drafted', c2: 'asking' });
      assert.deepEqual(p.cards(1), p.cards(0));
      assert.equal(p.latest(0).calls, p.latest(1).calls);
      await p.press('c2', 'deny', 1);
      assert.equal(p.sent, 2);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.wire('c2'), { id: 'ap-c2' });
      assert.deepEqual(
        entries(p, 'refused'),
        [],
        'the guard does not take its own answer for one of the page',
      );
    });

    test('if one of two components unmounts, in either order, the other still decides', async () => {
      for (const gone of [0, 1]) {
        const p = await page({ mounts: 2, guard: { undoMs: Infinity }, script: [two(), says()] });
        await p.say();
        await p.unmount(gone);
        await p.press('c1', 'allow');
        await p.press(undefined, 'stop');
        assert.deepEqual(p.cards(), { c1: 'asking', c2: 'asking' });
        assert.equal(entries(p, 'stopped').length, 1, 'the stop is heard once');
        p.guard.decideAll(['c1', 'c2'], 'allow-once');
        assert.equal(p.guard.commit().type, 'committed');
        await p.settle();
        assert.equal(p.sent, 2);
      }
    });

    test('after the last unmount nothing listens and no chat is attached', async () => {
      const p = await page({ mounts: 2, script: [two(), says()] });
      await p.say();
      assert.equal(p.count.listeners, 2);
      assert.equal(p.count.chats, 2);
      await p.unmount(0);
      await p.unmount();
      await p.mount();
      await p.unmount();
      assert.equal(p.count.listeners, 0);
      assert.equal(p.count.chats, 0);
      assert.ok(p.count.everListened >= 3);
      assert.deepEqual(p.guard.commit(), { type: 'not-attached' });
      assert.equal(p.chat.stop, p.methods.stop, 'the chat has its own method again');
      assert.equal(p.chat.addToolApprovalResponse, p.methods.addToolApprovalResponse);
      const before = p.guard.ledger().length;
      await p.chat.stop();
      await p.chat.addToolApprovalResponse({ id: 'nobody', approved: true });
      assert.deepEqual(
        p.guard
          .ledger()
          .slice(before)
          .filter((e) => e.type === 'stopped'),
        [],
        'nobody hears the chat any more',
      );
    });

    test('cards of messages that the page takes out are gone, and come back with exactly the same list', async () => {
      const p = await page({ script: [two(), says()], mounts: 2 });
      await p.say();
      const list = p.messages();
      const entriesBefore = p.guard.ledger().length;
      const seen = () => [p.cards(), p.guard.getSnapshot().calls.length, p.guard.explain().reason];
      for (let i = 1; i <= 2; i += 1) {
        p.load([]);
        await p.settle();
        assert.deepEqual(seen(), [{}, 0, 'no-assistant-message'], `cleared ${i}`);
        p.load(list);
        await p.settle();
        assert.deepEqual(seen(), [{ c1: 'asking', c2: 'asking' }, 2, 'waiting'], `back ${i}`);
        assert.equal(p.guard.sendAutomaticallyWhen({ messages: p.messages() }), false);
      }
      assert.ok(p.guard.ledger().length <= entriesBefore + 8, 'two for each clearing, two for each return');
      await p.press('c1', 'deny');
      await p.press('c2', 'allow');
      assert.equal(p.sent, 2);
      assertDenied(p.wire('c1'), { id: 'ap-c1' });
      assertAllowed(p.wire('c2'), { id: 'ap-c2' });
      assert.deepEqual(p.errors, []);
    });

    test('stored messages that come after the first rendering: their answers are history, and their cards ask', async () => {
      const p = await page({ script: [continued([outputDenied('c2'), outputAvailable('c1')])] });
      const stored = [user(), assistant('a1', answered('c1', 'rm', true), asking('c2', 'ls'))];
      p.load(stored);
      await p.settle();
      assert.deepEqual(p.cards(), { c1: 'answered', c2: 'asking' });
      const actors = (type) => p.guard.ledger().flatMap((entry) => (entry.type === type ? entry.actor : []));
      assert.deepEqual([actors('noticed'), actors('answered')], [['history', 'history'], ['history']]);
      assert.equal(p.sent, 0);
      await p.press('c2', 'deny');
      assert.deepEqual(actors('answered'), ['history', 'person']);
      assert.equal(p.sent, 1);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
      assertDenied(p.wire('c2'), { id: 'ap-c2' });
      assert.deepEqual(p.errors, []);
    });

    test('callOf finds the call of a part by its approval, or by its id if there is none', async () => {
      const p = await page({
        messages: [
          {
            id: 'old',
            role: 'assistant',
            parts: [
              { type: 'step-start' },
              { type: 'tool-rm', toolCallId: 'c1', state: 'output-available', input: {}, output: 1 },
              { type: 'tool-rm', toolCallId: 'x', state: 'output-available', input: {}, output: 1 },
            ],
          },
          { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'again' }] },
        ],
        script: [two(), says()],
      });
      await p.say();
      const { callOf } = p.latest();
      const [old, , , last] = p.messages();
      const byId = (message, id) => message.parts.find((part) => part.toolCallId === id);
      const view = (messageId, toolCallId) =>
        p.latest().calls.find((c) => c.messageId === messageId && c.toolCallId === toolCallId);
      assert.ok(view('old', 'c1'));
      assert.ok(view('a1', 'c1'));
      assert.equal(callOf(byId(last, 'c1')), view('a1', 'c1'));
      assert.equal(callOf(byId(last, 'c1'), old), view('a1', 'c1'), 'the approval id says more');
      assert.equal(callOf(byId(old, 'c1'), old), view('old', 'c1'));
      assert.equal(callOf(byId(old, 'c1')), view('a1', 'c1'), 'without the message: the last one');
      assert.equal(callOf(byId(old, 'x')), view('old', 'x'));
      const part = plain(byId(last, 'c1'));
      const unseen = { ...part, approval: { id: 'ap-unseen' } };
      assert.equal(callOf(unseen, last), undefined, 'another approval of the same id');
      assert.equal(callOf({ ...part, toolCallId: 'other' }, last), undefined, 'the approval of another call');
      assert.equal(callOf({ type: 'text', text: '' }), undefined);
      assert.equal(callOf({ type: 'step-start' }), undefined);
    });
  });
}
