// A call has a key: its name towards the page, in results, in the batch and in lists of calls.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { forEachSdk } from './support/sdk.mjs';
import { scene } from './support/chat.mjs';
import { asked, three, two } from './support/asked.mjs';
import { continued, gated, response, says } from './support/chunks.mjs';
import { asking, assistant, user } from './support/stored.mjs';

const keysOf = (s) => s.guard.getSnapshot().calls.map(({ key }) => key);

forEachSdk((sdk) =>
  describe(`keys, ${sdk.name}`, () => {
    test('C21 two calls with the same call id have two keys, and each names its own call', () => {
      const s = scene(sdk, {
        messages: [
          user(),
          assistant('a1', asking('c1', 'rm')),
          user(),
          assistant('a2', asking('c1', 'rm', { id: 'ap-second' })),
        ],
      });
      const [first, second] = keysOf(s);
      assert.notEqual(first, second);
      assert.equal(s.guard.decide('c1', 'allow-once').reason, 'ambiguous-id');
      assert.equal(s.guard.decide(second, 'deny').key, second);
      assert.equal(s.guard.getSnapshot().calls.at(0).decision, undefined);
    });

    test('a key stays the same from the question to the result', async () => {
      const s = await asked(sdk, two(), { then: [continued([]), says()], guard: { undoMs: Infinity } });
      const before = keysOf(s);
      assert.equal(new Set(before).size, 2);
      s.guard.decide('c1', 'allow-once');
      s.guard.undo('c1');
      s.guard.decideAll(before, 'deny');
      assert.deepEqual(keysOf(s), before);
      s.guard.commit();
      await s.settle();
      assert.deepEqual(keysOf(s), before);
    });

    test('every act takes a key, and every result names calls by it', async () => {
      const s = await asked(sdk, three(), {
        guard: { undoMs: Infinity, expiresMs: 60_000, redact: (value) => ({ value, hidden: [] }) },
      });
      const { guard } = s;
      const [a, b, c] = keysOf(s);
      assert.deepEqual(
        guard.pending().map(({ key }) => key),
        [a, b, c],
      );
      assert.deepEqual(
        guard.explain().waitingFor.map(({ key }) => key),
        [a, b, c],
      );
      assert.equal(guard.extend(a).type, 'extended');
      assert.equal(guard.unmask(a).type, 'unmasked');
      assert.deepEqual(guard.covered(a, 'input'), [a]);
      assert.equal(guard.decide(a, 'allow-chat').key, a);
      assert.equal(guard.grants()[0].key, a);
      assert.deepEqual(guard.undo(a), { type: 'undone', keys: [a] });
      assert.deepEqual(
        guard.decideAll([c, b], 'deny').map(({ key }) => key),
        [c, b],
      );
      assert.deepEqual(guard.undoAll(), { type: 'undone', keys: [b, c] });
      guard.decideAll([a, b, c], 'allow-once');
      assert.deepEqual(guard.commit(), { type: 'committed', keys: [a, b, c] });
      assert.deepEqual(guard.getSnapshot().batch.keys, [a, b, c]);
    });

    test('law_9 the key of a call of another chat, and its view, name no call here', async () => {
      const s = await asked(sdk, two());
      const other = await asked(sdk, two());
      for (const target of [keysOf(other)[0], other.call('c1'), { ...other.call('c1') }]) {
        const { type, reason } = s.guard.decide(target, 'allow-once');
        assert.deepEqual([type, reason], ['refused', 'unknown-id']);
      }
      assert.deepEqual(
        s.guard.getSnapshot().calls.map(({ status }) => status),
        ['asking', 'asking'],
      );
    });

    test('an id that a server made like a key names its own call', async () => {
      const s = await asked(sdk, response('a1', gated('call-1', 'rm'), gated('call-x-2', 'mv')));
      const [first] = keysOf(s);
      const like = first.replace(/\d+$/, '99');
      assert.equal(s.guard.decide('call-1', 'deny').key, first);
      assert.equal(s.guard.decide(like, 'deny').reason, 'unknown-id');
    });

    test('a copy of a view names its call, and tells which input the page showed', async () => {
      const s = await asked(sdk, two());
      const copy = JSON.parse(JSON.stringify(s.call('c1')));
      assert.equal(s.guard.decide({ ...copy, input: { path: '/other' } }, 'allow-once').reason, 'changed');
      assert.equal(s.guard.decide(copy, 'allow-once').type, 'drafted');
    });

    const KEPT = {
      'the view itself': (view) => view,
      'a copy': (view) => ({ ...view }),
      'a proxy': (view) => new Proxy(view, {}),
      'a proxy whose members are proxies': function deep(view) {
        const get = (of, name) => {
          const value = Reflect.get(of, name);
          return typeof value === 'object' && value !== null ? deep(value) : value;
        };
        return new Proxy(view, { get });
      },
    };
    for (const [what, keep] of Object.entries(KEPT)) {
      test(`an input that changes in place after it was shown is another one: ${what}`, async () => {
        const s = await asked(sdk, two());
        const kept = keep(s.call('c1'));
        s.home('c1').input.path = '/everything';
        const { type, reason } = s.guard.decide(kept, 'allow-once');
        assert.deepEqual([type, reason], ['refused', 'changed']);
        assert.equal(s.guard.decide(keep(s.call('c1')), 'allow-once').type, 'drafted');
      });
    }
  }),
);
