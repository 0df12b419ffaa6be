// The record of a chat: its entries, its figures, its storage, and its evidence.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createRecord } from 'tool-approval-guard/record';
import { createRules } from 'tool-approval-guard/rules';
import { verifyRecord } from 'tool-approval-guard/verify';

import { createApprovalGuard, GuardError, scene, until } from './support/chat.mjs';
import { gated, response, says } from './support/chunks.mjs';
import { copy, edit, reloadable, storageOf, textsOf } from './support/reload.mjs';
import { reject } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';

const SECRET = 'hunter2-very-secret';
const one = response('a1', gated('c1', 'rm', { path: '/a', token: SECRET }));
const two = response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'rm', { path: '/b' }));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A chat in which one call was allowed, one denied, and one waits. */
async function lived(sdk, options) {
  const page = reloadable(sdk, options);
  const s = await page.load({ script: [two, response('a2', gated('c3', 'rm', { path: '/a' }))] });
  await s.say();
  s.guard.decide('c1', 'allow-once');
  s.guard.decide('c2', 'deny', { reason: `because of ${SECRET}` });
  await s.settle();
  return { ...s, page, record: s.record };
}

forEachSdk((sdk) =>
  describe(`the record, ${sdk.name}`, () => {
    test('records time, kind, call, actor, outcome and waiting time of each event', async () => {
      const s = await lived(sdk);
      const entries = s.record.entries();
      assert.deepEqual(
        entries.map(({ seq }) => seq),
        entries.map((_, i) => i),
      );
      const [allowed, denied] = entries.filter(({ type }) => type === 'answered');
      assert.equal(allowed.toolCallId, 'c1');
      assert.equal(allowed.approvalId, 'ap-c1');
      assert.equal(allowed.toolName, 'rm');
      assert.equal(allowed.chatId, s.id);
      assert.equal(allowed.actor, 'person');
      assert.equal(allowed.outcome, 'allowed-once');
      assert.equal(allowed.approved, true);
      assert.match(allowed.inputHash, /^[0-9a-f]{64}$/);
      assert.ok(Math.abs(allowed.at - Date.now()) < 10_000);
      assert.ok(allowed.mono >= 0 && allowed.waitedMs >= 0);
      assert.equal(denied.outcome, 'denied');
      assert.notEqual(denied.inputHash, allowed.inputHash);
      assert.equal(s.record.hashOf('rm', { path: '/a' }), allowed.inputHash);
      assert.equal(s.record.hashOf('other', { path: '/a' }) === allowed.inputHash, false);
      const again = entries.find(({ type, toolCallId }) => type === 'asked' && toolCallId === 'c3');
      assert.equal(again.inputHash, allowed.inputHash, 'the same tool with the same input');
      const types = new Set(entries.map(({ type }) => type));
      for (const type of [
        'noticed',
        'asked',
        'drafted',
        'answered',
        'requested',
        'sent',
        'started',
        'ended',
        'settled',
      ]) {
        assert.ok(types.has(type), type);
      }
    });

    test('the metrics count the reported problems by their codes', async () => {
      const page = reloadable(sdk, {});
      const s = await page.load({ script: [one, says('done')] });
      assert.deepEqual(s.record.metrics().errors, {});
      await s.say();
      // An output over a call that asks is no answer, and is reported.
      await s.output('c1', { made: 'up' });
      assert.deepEqual(
        s.record.metrics().errors,
        Object.fromEntries(
          s.errors.map(({ code }) => [code, s.errors.filter((e) => e.code === code).length]),
        ),
      );
      assert.equal(s.record.metrics().errors['output-over-open-approval'], 1);
    });

    test('its metrics tell how long the storage takes', async () => {
      const PAUSE = 30;
      const inner = storageOf();
      const storage = {
        ...inner,
        transact: async (...args) => {
          await pause(PAUSE);
          return inner.transact(...args);
        },
      };
      const page = reloadable(sdk, { storage });
      const s = await page.load({ script: [one, says()] });
      await s.record.settled();
      const { storage: first } = s.record.metrics();
      assert.equal(first.count, 1, 'the reading of the storage');
      assert.equal(first.medianMs, first.p95Ms);
      assert.ok(first.medianMs >= PAUSE - 1 && first.medianMs < 5_000, `${first.medianMs} ms`);
      await s.say();
      await s.record.settled();
      const { count, medianMs, p95Ms } = s.record.metrics().storage;
      assert.ok(count > 1);
      assert.ok(PAUSE - 1 <= medianMs && medianMs <= p95Ms);
    });

    test('neither the record nor the stored text contains inputs, outputs or secrets', async () => {
      const page = reloadable(sdk, { record: { grants: true } });
      const s = await page.load({ script: [one, says(`done ${SECRET}`), one] });
      await s.say(`go ${SECRET}`);
      s.guard.decide('c1', 'allow-chat', { reason: 'fine' });
      await s.settle();
      await s.record.settled();
      const texts = [...textsOf(page.storage), s.record.export('jsonl'), s.record.export('csv')];
      for (const text of [...texts, JSON.stringify(s.record.metrics())]) {
        assert.doesNotMatch(text, new RegExp(SECRET));
        assert.doesNotMatch(text, /"\/a"/);
      }
      assert.doesNotMatch(s.record.export('jsonl'), /fine/, 'nor what a person said');
    });

    test('its metrics', async () => {
      const s = await lived(sdk);
      const {
        asked,
        waiting,
        allowed,
        denied,
        response: times,
        turns,
        promptsPerTurn,
        shares,
      } = s.record.metrics();
      assert.deepEqual(
        { asked, waiting, allowed, denied, turns },
        { asked: 3, waiting: 1, allowed: 1, denied: 1, turns: 1 },
      );
      assert.equal(promptsPerTurn, 3);
      assert.equal(times.count, 2);
      assert.ok(times.medianMs >= 0 && times.p95Ms >= times.medianMs);
      const third = 1 / 3;
      assert.deepEqual(shares, {
        waiting: third,
        allowed: third,
        denied: third,
        expired: 0,
        abandoned: 0,
        recovered: 0,
      });
    });

    test('lists the most frequent calls and the narrowest rule for them', async () => {
      const asks = (id, input) => response(`m-${id}`, gated(id, 'rm', input));
      const page = reloadable(sdk);
      const s = await page.load({
        script: [asks('c1', { path: '/a' }), asks('c2', { path: '/a' }), asks('c3', { path: '/b' }), says()],
      });
      await s.say();
      for (const id of ['c1', 'c2']) {
        s.guard.decide(id, 'allow-once');
        await s.settle();
      }
      const [first, second] = s.record.promptLoad();
      assert.deepEqual(first.input, { path: '/a' });
      assert.equal(first.asked, 2);
      assert.equal(first.allowed, 2);
      const config = { tools: { rm: { target: 'path', kind: 'path' } }, rules: [first.rule] };
      const rules = createRules(config);
      assert.deepEqual(rules.problems, []);
      assert.equal(rules.judge({ toolName: 'rm', input: { path: '/a' } }).effect, 'allow');
      for (const input of [{ path: '/b' }, { path: '/a', force: true }, { path: '/a/' }, {}]) {
        assert.notEqual(rules.judge({ toolName: 'rm', input }).effect, 'allow', JSON.stringify(input));
      }
      assert.equal(second.rule, undefined, 'nobody has answered it');
    });

    test('is verified, and every change is detected', async () => {
      const s = await lived(sdk);
      const text = s.record.export('jsonl');
      const { hash, entries } = s.record.head();
      const bare = verifyRecord(text);
      assert.equal(bare.type, 'intact');
      assert.equal(bare.complete, false);
      assert.match(bare.message, /not|nothing/i, 'it says what it cannot prove');
      const whole = verifyRecord(text, [hash]);
      assert.deepEqual(
        [whole.type, whole.complete, whole.entries, whole.head],
        ['intact', true, entries, hash],
      );
      const lines = text.trimEnd().split('\n');
      const changed = (make) => verifyRecord(`${make([...lines]).join('\n')}\n`, [hash]).type;
      for (let i = 0; i < lines.length; i++) {
        assert.equal(
          changed((l) => l.toSpliced(i, 1)),
          'broken',
          `without line ${i}`,
        );
        assert.equal(
          changed((l) => l.toSpliced(i, 0, l[i])),
          'broken',
          `line ${i} twice`,
        );
        assert.equal(
          changed((l) =>
            l.with(
              i,
              l[i].replace(
                /true|false|[1-8](?=[,}])/,
                (v) => ({ true: 'false', false: 'true' })[v] ?? String(Number(v) + 1),
              ),
            ),
          ),
          changed((l) => l) === 'intact' && lines[i].match(/true|false|[1-8](?=[,}])/) === null
            ? 'intact'
            : 'broken',
          `line ${i} edited`,
        );
        if (i > 0)
          assert.equal(
            changed((l) => l.with(i, l[i - 1]).with(i - 1, l[i])),
            'broken',
            `line ${i} moved`,
          );
        assert.equal(
          verifyRecord(`${lines.slice(0, i).join('\n')}\n`, [hash]).type,
          'broken',
          `cut before line ${i}`,
        );
      }
      for (const nonsense of ['', '\n', '{}', 'x', '[]', text.slice(0, -9), `${text}{}`]) {
        assert.equal(verifyRecord(nonsense).type, 'broken', nonsense.slice(0, 10));
      }
      assert.equal(verifyRecord(text, new Array(1)).type, 'broken', 'a head that is no text');
    });

    test('its head can be sent with a request', async () => {
      const page = reloadable(sdk);
      const heads = [];
      const s = await page.load({ script: [one, says()], inner: undefined });
      await s.say();
      heads.push(s.record.head().hash);
      s.guard.decide('c1', 'deny');
      await s.settle();
      heads.push(s.record.head().hash);
      const found = verifyRecord(s.record.export('jsonl'), heads);
      assert.equal(found.type, 'intact');
      assert.equal(verifyRecord(s.record.export('jsonl'), [heads[0]]).type, 'intact');
      assert.equal(verifyRecord(s.record.export('jsonl'), ['0'.repeat(63) + '1']).type, 'broken');
    });

    test('continues over a reload as one chain, with all earlier entries', async () => {
      const s = await lived(sdk);
      const before = s.record.entries();
      const head = s.record.head();
      const after = await s.page.load({ messages: copy(s.chat.messages) });
      const entries = after.record.entries();
      assert.deepEqual(entries.slice(0, before.length), before);
      const found = verifyRecord(after.record.export('jsonl'), [head.hash, after.record.head().hash]);
      assert.deepEqual([found.type, found.complete], ['intact', true]);
      const { asked, allowed, denied, waiting } = after.record.metrics();
      assert.deepEqual({ asked, allowed, denied, waiting }, { asked: 3, allowed: 1, denied: 1, waiting: 1 });
      assert.equal(s.page.storage.rows.size, 1, 'there is one document');
    });

    test('two chats on one storage know nothing of each other', async () => {
      const storage = storageOf();
      const first = reloadable(sdk, { storage });
      const second = reloadable(sdk, { storage });
      const a = await first.load({ script: [one, reject()] });
      await a.say();
      a.guard.decide('c1', 'allow-once');
      await a.settle();
      const b = await second.load({
        messages: copy(a.chat.messages).map((m) => ({
          ...m,
          parts: m.parts.map((p) =>
            p.toolCallId ? { ...p, state: 'approval-requested', approval: { id: 'ap-c1' } } : p,
          ),
        })),
      });
      assert.equal(b.call('c1').status, 'asking');
      assert.equal(
        b.record.entries().some(({ chatId }) => chatId !== b.id),
        false,
      );
      await b.record.forget();
      assert.deepEqual([...storage.rows.keys()], [a.id], 'the other chat is kept');
    });

    for (const later of [false, true]) {
      test(`a storage that answers ${later ? 'later' : 'at once'}`, async () => {
        const page = reloadable(sdk, { storage: storageOf(new Map(), { later }) });
        const s = await page.load({ script: [one, reject()] });
        await s.say();
        s.guard.decide('c1', 'deny');
        await s.settle();
        await s.record.settled();
        const after = await page.load({ messages: copy(s.chat.messages), script: [says()] });
        assert.equal(after.call('c1').decision, 'denied');
        assert.deepEqual(await after.guard.retry(), { type: 'sent' });
        assert.equal(after.wire('c1').approval.approved, false);
      });
    }
  }),
);

/** Changes a stored document, and returns what a page makes of it. */
async function restored(sdk, change, { guard } = {}) {
  const page = reloadable(sdk, { record: { grants: true } });
  const s = await page.load({ script: [one, reject()] });
  await s.say();
  const asking = copy(s.chat.messages);
  s.guard.decide('c1', 'allow-chat');
  await s.settle();
  await s.record.settled();
  change(page.storage, s);
  const after = await page.load({ messages: asking, guard });
  await pause(0);
  return { after, page };
}

forEachSdk((sdk) =>
  describe(`a stored record that was changed, ${sdk.name}`, () => {
    test('an unchanged record is restored', async () => {
      const { after } = await restored(sdk, () => {});
      assert.equal(after.call('c1').decision, 'allowed');
      assert.deepEqual(after.codes(), []);
    });

    test('every flipped byte is detected, and nothing is restored', async () => {
      const page = reloadable(sdk, { record: { grants: true } });
      const s = await page.load({ script: [one, reject()] });
      await s.say();
      const asking = copy(s.chat.messages);
      s.guard.decide('c1', 'allow-chat');
      await s.settle();
      await s.record.settled();
      const [[key, row]] = page.storage.rows;
      const length = textsOf(page.storage).join('').length;
      assert.ok(length > 1_000);
      for (let i = 0; i < length; i += 1) {
        // All of the beginning, where the format stands, and a sample of the rest.
        if (i > 400 && i % 37 !== 0) continue;
        const storage = storageOf(new Map([[key, row]]));
        let at = i;
        edit(storage, (text) => {
          const own = at;
          at -= text.length;
          if (own < 0 || own >= text.length) return text;
          return text.slice(0, own) + String.fromCharCode(text.charCodeAt(own) ^ 1) + text.slice(own + 1);
        });
        const errors = [];
        const record = createRecord({ storage, grants: true });
        const guard = createApprovalGuard({ chatId: s.id, record, onError: (e) => errors.push(e.code) });
        guard.attach({ id: s.id, messages: copy(asking), sendMessage() {} });
        await record.settled();
        const [call] = guard.getSnapshot().calls;
        assert.equal(call.status, 'asking', `byte ${i}`);
        assert.equal(guard.grants().length, 0);
        assert.deepEqual(errors, ['record-unreadable'], `byte ${i}`);
        guard.dispose();
      }
    });

    const damages = {
      foreign: (storage) => edit(storage, () => 'hello'),
      'of a later version': (storage) => edit(storage, (text) => text.replace(/record 2 /, 'record 9 ')),
      'cut off': (storage) => edit(storage, (text) => text.slice(0, -1)),
      'without its last entry': ({ rows }) =>
        rows.forEach((row, chat) =>
          rows.set(chat, { ...row, length: row.length - 1, entries: row.entries.slice(0, -1) }),
        ),
      empty: (storage) => edit(storage, () => ''),
      'of another chat': ({ rows }, s) => {
        const [row] = rows.values();
        rows.set(s.id, { ...row, entries: row.entries.map((text) => text.replaceAll(s.id, 'reloaded-x')) });
      },
    };
    for (const [what, change] of Object.entries(damages)) {
      test(`one that is ${what}`, async () => {
        const { after } = await restored(sdk, change);
        assert.equal(after.call('c1').status, 'asking');
        assert.equal(after.guard.grants().length, 0);
        assert.deepEqual(after.codes(), ['record-unreadable']);
      });
    }

    const failures = {
      'storage-blocked': () => {
        throw new DOMException('no', 'SecurityError');
      },
      'storage-full': () => {
        throw new DOMException('no', 'QuotaExceededError');
      },
      'storage-failed': () => {
        throw new Error('no');
      },
    };
    for (const [code, fail] of Object.entries(failures)) {
      test(`a storage that fails with ${code}: the chat continues, and it is reported once`, async () => {
        const storage = storageOf();
        const transact = (chat, from, judge) =>
          storage.transact(chat, from, (stored) => judge(stored) === undefined || fail());
        const page = reloadable(sdk, { storage: { ...storage, transact } });
        const s = await page.load({ script: [two, says()] });
        await s.say();
        s.guard.decide('c1', 'allow-once');
        s.guard.decide('c2', 'deny');
        await s.settle();
        assert.equal(s.count, 2);
        assert.deepEqual(s.codes(), [code]);
        assert.ok(s.record.entries().length > 10, 'in memory it goes on');
      });
      test(`a storage that cannot be read, ${code}`, async () => {
        const page = reloadable(sdk, { storage: { ...storageOf(), transact: fail } });
        const s = await page.load({ script: [one, says()] });
        await s.say();
        s.guard.decide('c1', 'deny');
        await s.settle();
        assert.equal(s.count, 2);
        assert.deepEqual(s.codes(), [code]);
      });
    }

    test('misuse', async () => {
      for (const options of [
        null,
        1,
        { storage: 'disk' },
        { storage: {} },
        { keep: 1 },
        { keep: 1.5 },
        { grants: 1 },
        { kep: 9 },
      ]) {
        assert.throws(() => createRecord(options), { name: 'GuardError', code: 'invalid-option' });
      }
      assert.throws(
        () => createApprovalGuard({ record: createRecord() }),
        (e) => e instanceof GuardError && /chatId/.test(e.message),
      );
      assert.throws(() => createApprovalGuard({ chatId: 'c', record: {} }), { code: 'invalid-option' });
      const record = createRecord();
      assert.deepEqual(record.entries(), []);
      assert.equal(record.metrics(), undefined);
      assert.deepEqual(record.head(), { entries: 0, hash: '0'.repeat(64) });
      const codes = [];
      // Law 9: of two guards of one chat, the newer one gets the record. A guard of another chat does not.
      const guards = ['c', 'c', 'another'].map((chatId) =>
        createApprovalGuard({ chatId, record, onError: (e) => codes.push([chatId, e.code]) }),
      );
      for (const guard of guards) guard.observe([]);
      assert.deepEqual(codes, [['another', 'record-in-use']]);
      for (const guard of guards) guard.dispose();
    });

    test('law 8: of two pages in one process, the second one does not take over a draft of the first', async () => {
      const storage = storageOf();
      const open = async (options) => {
        const record = createRecord({ storage });
        const s = scene(sdk, {
          ...options,
          guard: { chatId: 'beside', undoMs: 200, record },
          chat: { id: 'beside' },
        });
        s.guard.getSnapshot();
        await record.settled();
        return s;
      };
      const first = await open({ script: [one, says()] });
      await first.say();
      first.guard.decide('c1', 'allow-once');
      await pause(0);
      const second = await open({ messages: copy(first.chat.messages) });
      assert.equal(second.call('c1').status, 'asking');
      assert.equal(second.guard.undo('c1').type, 'refused');
      await until(() => first.count === 2);
      for (const { guard } of [first, second]) guard.dispose();
    });

    test('lone surrogates and long ids', async () => {
      const page = reloadable(sdk);
      const bad = '\ud800x'.repeat(400);
      const s = await page.load({ script: [response('a1', gated(bad, 'rm', { path: '/a' })), reject()] });
      await s.say();
      const asking = copy(s.chat.messages);
      s.guard.decide(bad, 'deny');
      await s.settle();
      assert.deepEqual(s.codes(), []);
      const lagging = copy(asking);
      const after = await page.load({ messages: lagging });
      assert.equal(after.call(bad).decision, 'denied');
      assert.equal(verifyRecord(after.record.export('jsonl')).type, 'intact');
    });
  }),
);
