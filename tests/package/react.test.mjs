// `tool-approval-guard/react` with `useChat`: StrictMode, throttling, concurrent rendering, servers.
import './support/page.mjs';
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { macrotask, until } from './support/chat.mjs';
import {
  assertUntouched,
  bindingTests,
  chatOptions,
  guarded,
  listenToConsole,
  open,
  closeAll,
  edit,
  two,
  withoutWasm,
} from './support/bindings.mjs';
import { continued, gated, outputAvailable, outputDenied, response, says } from './support/chunks.mjs';
import { hanging, live } from './support/scripted-transport.mjs';
import { assertAllowed, assertDenied } from './support/assertions.mjs';

const React = await import('react');
const { createRoot, hydrateRoot } = await import('react-dom/client');
const { flushSync } = await import('react-dom');
const { renderToString } = await import('react-dom/server');
const { ApprovalCard, ApprovalQueue, useToolApprovals } = await import('tool-approval-guard/react');
const h = React.createElement;

/** The properties that were set on the elements. */
const sets = [];
for (const [name, properties] of [
  ['tool-approval-queue', ['guard', 'stop']],
  ['tool-approval-card', ['guard', 'call']],
]) {
  const kind = class extends window.HTMLElement {};
  for (const property of properties) {
    const values = new WeakMap();
    Object.defineProperty(kind.prototype, property, {
      get() {
        return values.get(this);
      },
      set(value) {
        sets.push(property);
        values.set(this, value);
      },
    });
  }
  window.customElements.define(name, kind);
}

const button = (what, onClick) => h('button', { 'data-do': what, onClick }, what);

/** What the page shows; see `open` of the shared tests. */
function Cards({ guard, messages, approvals }) {
  const { calls, batch, callOf, stop } = approvals;
  return h(
    'section',
    { 'data-phase': batch.phase, 'data-asking': batch.asking },
    calls
      .filter((call) => call.position)
      .map((call) =>
        h(
          'p',
          { key: call.approvalId, 'data-card': call.toolCallId, 'data-status': call.status },
          button('deny', () => guard.decide(call, 'deny')),
          button('allow', () => guard.decide(call, 'allow-once')),
          button('chat', () => guard.decide(call, 'allow-chat')),
          button('undo', () => guard.undo(call)),
          call.can.edit && button('edit', () => edit(guard, call)),
        ),
      ),
    messages.flatMap((message) =>
      message.parts
        .filter((part) => part.toolCallId)
        .map((part, i) =>
          h('i', {
            key: `${message.id}-${i}`,
            'data-part': part.toolCallId,
            'data-status': callOf(part, message)?.status ?? 'none',
          }),
        ),
    ),
    button('stop', stop),
  );
}

const framework = (sdk, { strict = true, throttle } = {}) => ({
  throttle,
  chat: (options) => {
    const chat = new sdk.Chat(options);
    return { chat, status: () => chat.status, messages: () => chat.messages };
  },
  mount: async (element, { guard, chat: kept }) => {
    let latest;
    let hook;
    function Page() {
      const chat = sdk.useChat({
        chat: kept,
        ...(sdk.major >= 7 ? { throttle } : { experimental_throttle: throttle }),
      });
      const approvals = useToolApprovals(guard, chat);
      latest = approvals;
      hook = chat;
      return h(Cards, { guard, messages: chat.messages, approvals });
    }
    const root = createRoot(element);
    root.render(strict ? h(React.StrictMode, null, h(Page)) : h(Page));
    await until(() => latest);
    return { latest: () => latest, hook: () => hook, unmount: () => root.unmount() };
  },
});

forEachSdk((sdk) => {
  bindingTests(`React, ${sdk.name}, StrictMode`, framework(sdk));
  bindingTests(`React, ${sdk.name}, without StrictMode`, framework(sdk, { strict: false }));
  bindingTests(`React, ${sdk.name}, StrictMode and throttling`, framework(sdk, { throttle: 30 }));

  describe(`React, ${sdk.name}, rendering`, () => {
    test.afterEach(closeAll);

    /** Renders an element, and removes it when the test ends. */
    const rendered = async (t, element) => {
      const container = document.createElement('div');
      document.body.append(container);
      const root = createRoot(container);
      const show = async (next) => {
        root.render(next);
        await macrotask();
        await macrotask();
      };
      t.after(() => {
        root.unmount();
        container.remove();
      });
      await show(element);
      return { container, root, show };
    };

    const made = (script = [two(), says()], options) => {
      const one = guarded(script, options);
      return { ...one, chat: new sdk.Chat(chatOptions(one)) };
    };
    const settled = (one) => until(() => one.chat.status === 'ready' && !one.transport.busy);

    test('the result is the same object until something changes, and stop is always the same', async (t) => {
      const one = made();
      const seen = [];
      let again;
      function Page() {
        [, again] = React.useReducer((n) => n + 1, 0);
        seen.push(useToolApprovals(one.guard, sdk.useChat({ chat: one.chat })));
        return null;
      }
      await rendered(t, h(Page));
      await one.chat.sendMessage({ text: 'go' });
      await settled(one);
      const before = seen.at(-1);
      const renders = seen.length;
      again();
      await macrotask();
      assert.ok(seen.length > renders);
      assert.equal(seen.at(-1), before);
      one.guard.decide('c1', 'allow-once');
      await macrotask();
      assert.notEqual(seen.at(-1), before);
      assert.notEqual(seen.at(-1).callOf, before.callOf);
      assert.equal(seen.at(-1).stop, before.stop);
      assert.equal(new Set(seen.map(({ stop }) => stop)).size, 1);
    });

    test('with a selector a component renders again only when what it selects has changed', async (t) => {
      const one = made();
      const renders = { c1: 0, c2: 0, count: 0 };
      const Card = ({ id }) => {
        const call = useToolApprovals(one.guard, one.chat, ({ calls }) =>
          calls.find((c) => c.toolCallId === id),
        );
        renders[id] += 1;
        return h('i', { 'data-id': id }, call?.status);
      };
      const Count = () => {
        // A new list each time, with the same items.
        const asking = useToolApprovals(one.guard, one.chat, ({ calls }) =>
          calls.filter(({ status }) => status === 'asking').map(({ key }) => key),
        );
        renders.count += 1;
        return h('b', null, asking.length);
      };
      const { container } = await rendered(
        t,
        h(React.Fragment, null, h(Card, { id: 'c1' }), h(Card, { id: 'c2' }), h(Count)),
      );
      await one.chat.sendMessage({ text: 'go' });
      await settled(one);
      await until(() => container.textContent === 'askingasking2');
      const before = { ...renders };
      one.guard.decide('c1', 'allow-once');
      await until(() => container.textContent === 'draftedasking1');
      assert.deepEqual(renders, { c1: before.c1 + 1, c2: before.c2, count: before.count + 1 });
    });

    test('a component that waits in a transition attaches nothing, and two states are never shown', async (t) => {
      const one = made();
      const other = made([response('b1', gated('d1', 'mv')), says()]);
      const torn = [];
      const waiting = new Promise(() => {});
      let go;
      let renders = 0;
      const Reader = ({ guard, chat, name, shown }) => {
        const { calls } = useToolApprovals(guard, sdk.useChat({ chat }));
        renders += 1;
        shown[name] = calls;
        return null;
      };
      const Never = () => {
        React.use(waiting);
        return null;
      };
      function Page() {
        const [next, setNext] = React.useState(false);
        go = () => React.startTransition(() => setNext(true));
        const shown = {};
        const { guard, chat } = next ? other : one;
        const key = next ? 'other' : 'one';
        React.useEffect(() => {
          if (shown.a !== shown.b) torn.push(shown);
        });
        return h(
          React.Suspense,
          { fallback: 'later' },
          h(Reader, { key: `a-${key}`, guard, chat, name: 'a', shown }),
          h(Reader, { key: `b-${key}`, guard, chat, name: 'b', shown }),
          next ? h(Never) : h('b', null, 'here'),
        );
      }
      const { container } = await rendered(t, h(Page));
      await one.chat.sendMessage({ text: 'go' });
      await settled(one);
      await other.chat.sendMessage({ text: 'go' });
      await settled(other);
      const before = renders;
      go();
      await macrotask();
      await macrotask();
      assert.ok(renders > before, 'the transition has rendered');
      assert.equal(container.textContent, 'here', 'and was not shown');
      assert.deepEqual(
        [other.count.everListened, other.count.everAttached],
        [0, 0],
        'what was not shown has touched nothing',
      );
      assert.equal(one.count.listeners, 2);
      one.guard.decide('c1', 'allow-once');
      await macrotask();
      one.guard.decide('c2', 'deny');
      await settled(one);
      assert.equal(one.transport.requests.length, 2, 'the shown page works on');
      assert.deepEqual(torn, []);
    });

    test('a render that is interrupted by a decision shows one state', async (t) => {
      const one = made();
      let go;
      const shown = [];
      const busy = () => {
        const end = performance.now() + 8;
        while (performance.now() < end);
      };
      const Reader = () => {
        busy();
        const { batch } = useToolApprovals(one.guard, one.chat);
        return h('u', null, batch.asking);
      };
      function Page() {
        const [n, setN] = React.useState(1);
        go = () => React.startTransition(() => setN(12));
        return Array.from({ length: n }, (_, i) => h(Reader, { key: i }));
      }
      const { container } = await rendered(t, h(Page));
      await one.chat.sendMessage({ text: 'go' });
      await settled(one);
      const observer = new window.MutationObserver(() => {
        shown.push([...container.querySelectorAll('u')].map((u) => u.textContent));
      });
      observer.observe(container, { childList: true, subtree: true, characterData: true });
      go();
      await macrotask(); // React renders in slices
      one.guard.decide('c1', 'allow-once');
      await until(() => container.querySelectorAll('u').length === 12);
      observer.disconnect();
      assert.ok(shown.length > 0);
      for (const texts of shown) assert.equal(new Set(texts).size, 1, texts.join());
      assert.equal(shown.at(-1)[0], '1');
    });

    test('another guard and another chat in the next render', async (t) => {
      const one = made();
      const other = made([response('b1', gated('d1', 'mv')), says()]);
      let latest;
      function Page({ guard, chat }) {
        const hook = sdk.useChat({ chat });
        latest = useToolApprovals(guard, hook);
        return h(Cards, { guard, messages: hook.messages, approvals: latest });
      }
      const { container, show } = await rendered(t, h(React.StrictMode, null, h(Page, one)));
      await one.chat.sendMessage({ text: 'go' });
      await settled(one);
      one.guard.decide('c1', 'allow-once');
      await show(h(React.StrictMode, null, h(Page, other)));
      assert.deepEqual([one.count.listeners, one.count.chats], [0, 0]);
      assert.deepEqual([other.count.listeners, other.count.chats], [1, 1]);
      assert.equal(latest.calls.length, 0);
      await other.chat.sendMessage({ text: 'go' });
      await settled(other);
      assert.equal(container.querySelector('[data-card]').dataset.card, 'd1');
      flushSync(() => other.guard.decide(latest.calls[0], 'allow-once'));
      await settled(other);
      assert.equal(other.transport.requests.length, 2);
      assert.equal(one.transport.requests.length, 1, 'the draft of the other chat stays a draft');
      assert.deepEqual([...one.errors, ...other.errors], []);
      await show(h(React.StrictMode, null, h(Page, one)));
      assert.equal(container.querySelector('[data-card="c1"]').dataset.status, 'drafted');
    });

    test('the id of the chat changes, and the guard with it', async (t) => {
      const make = (id) => guarded([two(), says()], {}, id);
      const all = { first: make(`${sdk.name}-first`), second: make(`${sdk.name}-second`) };
      let hook;
      let latest;
      function Page({ which }) {
        const { id, guard, transport } = all[which];
        const wrapped = React.useMemo(() => guard.transport(transport), [guard, transport]);
        hook = sdk.useChat({ id, transport: wrapped, sendAutomaticallyWhen: guard.sendAutomaticallyWhen });
        latest = useToolApprovals(guard, hook);
        return null;
      }
      const { show } = await rendered(t, h(Page, { which: 'first' }));
      await hook.sendMessage({ text: 'go' });
      await until(() => hook.status === 'ready' && latest.calls.length === 2);
      await show(h(Page, { which: 'second' }));
      assert.equal(latest.calls.length, 0);
      await hook.sendMessage({ text: 'go' });
      await until(() => hook.status === 'ready' && latest.calls.length === 2);
      all.second.guard.decideAll(latest.calls, 'allow-once');
      await until(() => hook.status === 'ready' && all.second.transport.requests.length === 2);
      assert.equal(all.first.count.listeners + all.first.count.chats, 0);
      assert.deepEqual([...all.first.errors, ...all.second.errors], []);
    });

    const lists = {
      'the newest list': (chat) => chat,
      'a throttled list': (_, slow) => slow,
    };
    for (const [name, listOf] of Object.entries(lists)) {
      test(`C42 an output over a denial is repaired in a few renderings while a response is awaited, ${name}`, async (t) => {
        const said = listenToConsole(t);
        const one = made([two(), hanging()]);
        let renders = 0;
        function Page() {
          renders += 1;
          const chat = sdk.useChat({ chat: one.chat });
          const slow = sdk.useChat({ chat: one.chat, experimental_throttle: 100 });
          useToolApprovals(one.guard, listOf(chat, slow));
          const written = React.useRef(false);
          React.useEffect(() => {
            const denied = chat.messages.at(-1)?.parts.find(({ approval }) => approval?.approved === false);
            if (denied === undefined || written.current) return;
            written.current = true;
            void chat.addToolOutput({ tool: 'rm', toolCallId: 'c1', output: 'fake' });
          }, [chat]);
          return null;
        }
        await rendered(t, h(React.StrictMode, null, h(Page)));
        await one.chat.sendMessage({ text: 'go' });
        await settled(one);
        one.guard.decide('c1', 'deny');
        one.guard.decide('c2', 'allow-once');
        await until(() => one.transport.requests.length === 2);
        await new Promise((resolve) => setTimeout(resolve, 300));
        assert.ok(renders <= 60, `${renders} renderings`);
        assert.deepEqual(said, []);
        await one.chat.stop();
      });
    }

    test('C42 a server that writes an output over a denial causes a few renderings', async (t) => {
      const said = listenToConsole(t);
      const one = made([two(), continued([outputAvailable('c1'), outputDenied('c2')])]);
      let renders = 0;
      function Page() {
        renders += 1;
        useToolApprovals(one.guard, sdk.useChat({ chat: one.chat }));
        return null;
      }
      await rendered(t, h(React.StrictMode, null, h(Page)));
      await one.chat.sendMessage({ text: 'go' });
      await settled(one);
      one.guard.decideAll(one.guard.getSnapshot().calls, 'deny');
      await until(() => one.transport.requests.length === 2);
      await settled(one);
      assert.ok(renders <= 80, `${renders} renderings`);
      assert.deepEqual(said, []);
      assert.deepEqual(
        one.errors.map(({ code }) => code),
        ['output-of-denied-call'],
      );
      assertDenied(one.chat.messages.at(-1).parts.find(({ toolCallId }) => toolCallId === 'c1'));
    });

    test('components that show lists of different ages render a few times, not for ever', async (t) => {
      const answer = live();
      const one = made([response('a1', gated('c1', 'rm')), answer]);
      let renders = 0;
      const Page = ({ throttle }) => {
        renders += 1;
        assert.ok(renders <= 500, 'an end');
        useToolApprovals(
          one.guard,
          sdk.useChat({
            chat: one.chat,
            ...(sdk.major >= 7 ? { throttle } : { experimental_throttle: throttle }),
          }),
        );
        return null;
      };
      for (const throttle of [50, undefined, 80]) await rendered(t, h(Page, { throttle }));
      await one.chat.sendMessage({ text: 'go' });
      await settled(one);
      await new Promise((resolve) => setTimeout(resolve, 100));
      one.guard.decide('c1', 'deny');
      await answer.started;
      await new Promise((resolve) => setTimeout(resolve, 100));
      renders = 0;
      for (const chunk of continued([outputDenied('c1')])) {
        answer.push(chunk);
        await macrotask();
      }
      answer.close();
      await settled(one);
      assert.ok(renders <= 100, `${renders} renderings`);
    });

    for (const throttles of [
      [50, undefined],
      [undefined, 50],
      [50, undefined, 80],
    ]) {
      test(`cards of messages that the page takes out are gone once, throttled ${throttles}`, async (t) => {
        const one = made([two()]);
        let renders = 0;
        let hook;
        const Page = ({ throttle }) => {
          renders += 1;
          hook = sdk.useChat({
            chat: one.chat,
            ...(sdk.major >= 7 ? { throttle } : { experimental_throttle: throttle }),
          });
          useToolApprovals(one.guard, hook);
          return null;
        };
        for (const throttle of throttles) await rendered(t, h(Page, { throttle }));
        const published = () => new Promise((resolve) => setTimeout(resolve, 120));
        await one.chat.sendMessage({ text: 'go' });
        await settled(one);
        await published();
        const all = one.chat.messages;
        for (const rest of [[], all.slice(0, 1), []]) {
          const before = one.guard.ledger().length;
          renders = 0;
          // The first of two changes is published at once, the second one later.
          hook.setMessages((messages) => messages);
          await macrotask();
          hook.setMessages(rest);
          await published();
          assert.deepEqual(
            [one.guard.getSnapshot().calls.length, one.guard.ledger().length - before],
            [0, 2],
          );
          hook.setMessages(all);
          await published();
          assert.deepEqual(
            [one.guard.getSnapshot().calls.length, one.guard.ledger().length - before],
            [2, 4],
          );
          assert.ok(renders <= 40, `${renders} renderings`);
        }
        assert.deepEqual(one.errors, []);
      });
    }

    test('components that show a part of the list cause no endless renderings', async (t) => {
      const one = made([two()]);
      let renders = 0;
      const Shown = ({ chat }) => {
        renders += 1;
        assert.ok(renders <= 500, 'an end');
        useToolApprovals(one.guard, chat);
        return null;
      };
      let hook;
      const Page = () => {
        hook = sdk.useChat({ chat: one.chat });
        const part = { ...hook, messages: hook.messages.slice(0, 1) };
        return [part, hook, part].map((chat, key) => h(Shown, { chat, key }));
      };
      await rendered(t, h(Page));
      await one.chat.sendMessage({ text: 'go' });
      await settled(one);
      renders = 0;
      hook.setMessages((messages) => messages);
      await settled(one);
      assert.ok(renders <= 30, `${renders} renderings`);
      assert.equal(one.guard.getSnapshot().batch.asking, 2);
    });

    test('an unmount in the tick of a decision sends nothing twice', async () => {
      const p = await open(framework(sdk), { script: [two(), says()] });
      await p.say();
      p.guard.decide('c1', 'allow-once');
      p.guard.decide('c2', 'allow-once');
      await p.unmount();
      await p.settle();
      assert.equal(p.sent, 2);
      assertAllowed(p.wire('c1'), { id: 'ap-c1' });
    });
  });

  describe(`React, ${sdk.name}, servers`, () => {
    const stored = () => [
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] },
      {
        id: 'a1',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          {
            type: 'tool-rm',
            toolCallId: 'c1',
            state: 'approval-requested',
            input: {},
            approval: { id: 'ap-c1' },
          },
        ],
      },
    ];
    const app = (took = () => {}) => {
      const one = guarded([says()]);
      const chat = new sdk.Chat(chatOptions(one, stored()));
      const Page = () => {
        const hook = sdk.useChat({ chat });
        const approvals = useToolApprovals(one.guard, hook);
        took(approvals);
        return h(Cards, { guard: one.guard, messages: hook.messages, approvals });
      };
      return { ...one, chat, element: h(React.StrictMode, null, h(Page)) };
    };

    test('a server renders without WebAssembly, and a browser hydrates without a warning', async (t) => {
      const said = listenToConsole(t);
      let html;
      let empty;
      await t.test('on the server', (t) => {
        withoutWasm(t);
        const { element, count, errors } = app((approvals) => (empty = approvals));
        html = renderToString(element);
        assert.match(html, /data-phase="idle" data-asking="0"/);
        assert.match(html, /data-part="c1" data-status="none"/);
        assert.doesNotMatch(html, /data-card/);
        assertUntouched({ count, errors });
      });
      const { callOf, stop, ...snapshot } = empty;
      assert.equal(snapshot.verdict.reason, 'loading');
      const { verdict: _, ...shown } = snapshot;
      const { verdict, ...ofGuard } = guarded([]).guard.getSnapshot();
      assert.deepEqual(shown, ofGuard, 'as a guard that has seen nothing');
      assert.equal(callOf({ type: 'tool-rm', toolCallId: 'c1' }), undefined);
      assert.equal(typeof stop, 'function');
      assert.throws(() => snapshot.calls.push(1), TypeError, 'it is everybody’s');
      assert.throws(() => (snapshot.batch.keys[0] = 'x'), TypeError);
      const one = app();
      const container = document.createElement('div');
      container.innerHTML = html;
      document.body.append(container);
      const problems = [];
      // The client knows more than the server did.
      one.guard.observe(one.chat.messages);
      const root = hydrateRoot(container, one.element, { onRecoverableError: (e) => problems.push(e) });
      await until(() => container.querySelector('[data-card]'));
      assert.equal(container.querySelector('[data-part]').dataset.status, 'asking');
      assert.deepEqual(problems, []);
      assert.deepEqual(said, []);
      container.querySelector('[data-do="deny"]').click();
      await settledOf(one);
      assert.equal(one.transport.requests.length, 1);
      root.unmount();
      container.remove();
      assert.deepEqual([one.count.listeners, one.count.chats], [0, 0]);
    });

    test('the elements get their properties, also where a server has rendered them', async (t) => {
      const said = listenToConsole(t);
      sets.length = 0;
      const { guard } = guarded([]);
      const stop = () => {};
      const page = (call) =>
        h(
          'div',
          {},
          h(ApprovalQueue, { guard, stop, show: 'one' }),
          h(ApprovalCard, { guard, call, className: 'card' }),
        );
      const container = document.createElement('div');
      container.innerHTML = renderToString(page('k1'));
      document.body.append(container);
      const [queue, card] = container.firstChild.children;
      assert.deepEqual([queue.guard, card.guard], [undefined, undefined]);
      const problems = [];
      const root = hydrateRoot(container, page('k1'), { onRecoverableError: (e) => problems.push(e) });
      await until(() => queue.guard === guard);
      assert.equal(container.firstChild.children[0], queue, 'the element of the server');
      assert.deepEqual([queue.stop, queue.getAttribute('show')], [stop, 'one']);
      assert.deepEqual([card.guard, card.call, card.getAttribute('class')], [guard, 'k1', 'card']);
      root.render(page('k2'));
      await until(() => card.call === 'k2');
      assert.deepEqual(sets, ['guard', 'stop', 'guard', 'call', 'call'], 'only what changes is set');
      assert.deepEqual(problems, []);
      assert.deepEqual(said, []);
      root.unmount();
      container.remove();
    });
  });

  const settledOf = (one) =>
    until(() => one.chat.status === 'ready' && !one.transport.busy && one.transport.requests.length > 0);
});
