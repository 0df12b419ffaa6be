// Two things under way at once: responses that overlap, a message while a request is on its way, an output in the tick of
// an answer, a list that comes back.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createRecord } from 'tool-approval-guard/record';
import { assertDenied } from './support/assertions.mjs';
import { asked, one } from './support/asked.mjs';
import { backend, callsTool, saysText } from './support/backend.mjs';
import { macrotask, parts, scene } from './support/chat.mjs';
import {
  approvalRequest,
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';
import { reloadable, storageOf } from './support/reload.mjs';
import { hanging, live, reject } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';
import { answered, asking, assistant, call, user } from './support/stored.mjs';

const types = (s) => s.guard.ledger().map(({ type }) => type);
/** All parts of a request with this call id. */
const wires = (s, toolCallId, request = s.last) => parts(request.messages, toolCallId);

forEachSdk((sdk) =>
  describe(`what is under way at once, ${sdk.name}`, () => {
    describe('two responses with the same call id', () => {
      /** Two requests are on their way before a response says anything. */
      const two = async () => {
        const [first, second] = [live(), live()];
        const s = scene(sdk, { script: [first, second, says(), says()] });
        s.send();
        await first.started;
        s.send('and this');
        await second.started;
        return { s, first, second };
      };
      const reads = [start('a1'), startStep, toolCall('call_0', 'read', { path: '/a' })];
      const asks = response('a2', toolCall('call_0', 'run', { of: 1 }), approvalRequest('call_0', 'a2'));
      const output = outputAvailable('call_0', 'text');
      const end = [finishStep, finish()];
      const orders = {
        'the output before the question': [[...reads, output], asks, end],
        'the output between call and question': [reads, asks.slice(0, 3), [output], asks.slice(3), end],
        'the output after the question': [reads, asks, [output, ...end]],
        'the question before the call': [asks, [...reads, output, ...end]],
      };
      const waits = { 'read one by one': macrotask, 'read at once': () => {} };

      for (const [order, pushes] of Object.entries(orders)) {
        for (const [how, wait] of Object.entries(waits)) {
          test(`a denial is put on the call that was denied: ${order}, ${how}`, async () => {
            const { s, first, second } = await two();
            for (const chunks of pushes) {
              (asks.includes(chunks[0]) ? second : first).push(chunks);
              await wait();
            }
            first.close();
            second.close();
            await s.settle();
            await s.chat.addToolApprovalResponse({ id: 'a2', approved: false, reason: 'no' });
            await s.settle();
            const at = (list, tool) => list.find((part) => part.type === `tool-${tool}`);
            await s.say('on');
            for (const list of [parts(s.chat.messages, 'call_0'), wires(s, 'call_0')]) {
              const read = at(list, 'read');
              assert.equal(read.state, 'output-available');
              assert.equal(read.output, 'text');
              assert.equal(read.approval, undefined);
              assertDenied(at(list, 'run'), { id: 'a2', reason: 'no' });
            }
            assert.deepEqual(s.codes(), []);
          });
        }
      }
    });

    describe('an allowance that a message has overtaken', () => {
      const overtaken = async (ends, then = []) => {
        const first = live();
        const s = scene(sdk, { script: [one(), first, says('Sure.'), says(), says(), ...then] });
        await s.say();
        s.answer('c1', true);
        await first.started;
        await s.send('never mind');
        assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
        ends(first);
        await s.settle();
        return s;
      };
      const ends = {
        'ends without a result': (first) => {
          first.push(start(), startStep, finishStep, finish());
          first.close();
        },
        'ends before it begins': (first) => first.close(),
        breaks: (first) => first.fail(new Error('connection lost')),
        'is refused': (first) => first.fail(Object.assign(new Error('400'), { statusCode: 400 })),
      };

      for (const [how, end] of Object.entries(ends)) {
        test(`stays closed if its response ${how}`, async () => {
          const s = await overtaken(end);
          for (const text of ['and now', 'again']) {
            await s.say(text);
            assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
            assert.match(s.wire('c1').approval.reason, /not known/);
            assertDenied(s.home('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
          }
        });
      }

      test('shows what the server says happened, if it says so later', async () => {
        const s = await overtaken((first) => {
          first.push(start(), outputAvailable('c1', 'removed'), startStep, finishStep, finish());
          first.close();
        });
        await s.say('and now');
        for (const part of [s.wire('c1'), s.home('c1')]) {
          assert.equal(part.state, 'output-available');
          assert.equal(part.output, 'removed');
          assert.equal(part.approval.approved, true);
        }
      });

      test('stays closed behind the step that follows it, in a request that the guard sends', async () => {
        const s = await asked(
          sdk,
          response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'mv', { path: '/b' })),
          {
            then: [
              // The server runs one of the two, and its model asks for another call.
              [
                start(),
                outputAvailable('c2', 'moved'),
                startStep,
                ...gated('c3', 'cp'),
                finishStep,
                finish(),
              ],
              continued([outputAvailable('c3', 'copied')]),
              says(),
            ],
          },
        );
        await s.approve('c1');
        await s.approve('c2');
        assert.equal(s.count, 2);
        await s.approve('c3');
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
        await s.say('thanks');
        assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
        assertDenied(s.home('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
      });
    });

    /** The errors of a real `streamText` that gets these messages. */
    const refusals = async (messages) => {
      const gate = { needsApproval: true };
      const server = await backend(sdk, { steps: [saysText('Fine.')], tools: { rm: gate, mcp: gate } });
      const stream = await server.transport.sendMessages({ messages, trigger: 'submit-message' });
      for await (const chunk of stream) assert.notEqual(chunk.type, 'tool-output-available');
      return server.errors;
    };

    describe('a message while an answer is on its way', () => {
      const [call, ask] = gated('c1', 'mcp');
      const opens = {
        'of the server': one(),
        'of the provider': response('a1', { ...call, providerExecuted: true }, ask),
      };
      for (const [whose, opening] of Object.entries(opens)) {
        for (const approved of [true, false]) {
          test(`closes ${approved ? 'an allowed' : 'a denied'} call ${whose}, so that the server takes it`, async () => {
            const [first, second] = [live(), live()];
            const s = await asked(sdk, opening, { then: [first, second, says()] });
            s.answer('c1', approved);
            await first.started;
            s.send('and this');
            await second.started;
            assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
            assert.deepEqual(await refusals(s.last.messages), []);
            for (const response_ of [first, second]) {
              response_.push(says());
              response_.close();
            }
            await s.settle();
            await s.say('go on');
            assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
            assert.deepEqual(await refusals(s.last.messages), []);
          });
        }
      }
    });

    describe('an output in a tab, of a call that another tab has allowed and sent', () => {
      for (const denies of [true, false]) {
        test(`is none${denies ? ', with a late Deny' : ''}`, async () => {
          const page = reloadable(sdk);
          const messages = [user('u1'), assistant('a1', asking('c1', 'rm'))];
          const other = await page.load({ messages, script: [hanging([start()])], keepOpen: true });
          const s = await page.load({ messages, script: [says()], keepOpen: true });
          await other.answer('c1', true);
          if (denies) await s.answer('c1', false);
          else assert.equal((await s.guard.retry()).type, 'nothing-to-send', 'it hears of the other tab');
          await macrotask();
          await s.put('c1', { denied: true }, 'rm');
          await macrotask();
          assert.equal(s.count, 0, 'nothing is sent by itself');
          assert.equal(s.home('c1').output, undefined);
          assert.deepEqual([s.call('c1').status, s.call('c1').outcome], ['elsewhere', 'allowed-elsewhere']);
          await s.say('go on');
          assertDenied(s.wire('c1'), { id: 'ap-c1' });
          assert.match(s.wire('c1').approval.reason, /not known/);
        });
      }
    });

    describe('what an earlier message asks, and nobody can answer any more', () => {
      const tools = { rm: { needsApproval: true }, ui: { server: false } };
      const guard = { clientTools: ['ui'] };
      const asks = [callsTool('c1', 'rm')];
      /** How the person makes two responses that overlap. */
      const twice = {
        'two messages': (s) => [s.send('one'), s.send('two')],
        'two regenerations': (s) => [s.chat.regenerate(), s.chat.regenerate()],
      };

      for (const [how, act] of Object.entries(twice)) {
        for (const [what, first] of Object.entries({
          'a question': asks,
          'a client tool': [callsTool('c1', 'ui')],
        })) {
          test(`${what}, after ${how} in quick succession, is closed in the request that the guard sends`, async () => {
            const server = await backend(sdk, {
              steps: [
                saysText('Hello.'),
                first,
                [callsTool('c2', 'rm')],
                saysText('Done.'),
                saysText('Yes.'),
              ],
              tools,
            });
            const s = scene(sdk, { inner: server.transport, guard });
            await s.say();
            await Promise.all(act(s));
            await s.settle();
            const { approval } = s.home('c2');
            await s.chat.addToolApprovalResponse({ id: approval.id, approved: true });
            await s.settle();
            assert.deepEqual(server.errors, []);
            assert.deepEqual(server.executed, ['c2']);
            for (const part of [s.wire('c1'), s.home('c1')]) {
              if (what === 'a question') assertDenied(part, {}, { state: 'output-denied' });
              else assert.equal(part.state, 'output-error');
            }
            assert.equal(s.call('c1')?.status ?? 'superseded', 'superseded');
            await s.say('thanks');
            assert.deepEqual(server.errors, []);
          });
        }
      }

      test('a question that comes when its message is the last one no more is seen, and its card is there', async () => {
        const [first, second] = [live(), live()];
        const s = scene(sdk, { script: [first, second, says(), says()] });
        s.send();
        await first.started;
        first.push(start('a1'), startStep, toolCall('c1', 'rm'));
        await macrotask();
        s.send('and this');
        await second.started;
        second.push(response('a2', gated('c2', 'mv')));
        await macrotask();
        first.push(approvalRequest('c1'));
        await macrotask();
        await macrotask();
        assert.equal(s.call('c1')?.status, 'asking');
        s.put('c1', 'made up', 'rm');
        first.push(finishStep, finish());
        first.close();
        second.close();
        await s.settle();
        assert.deepEqual(s.codes(), ['output-over-open-approval']);
        await s.approve('c2');
        assertDenied(s.wire('c1'), { id: 'ap-c1' }, { state: 'output-denied' });
      });
    });

    describe('an output in the tick of an allowance', () => {
      /** An output that was written over the question is told of and does not leave. Any other one leaves with its allowance. */
      const assertApproved = (s) => {
        assert.equal(s.count, 2);
        const sent = s.wire('c1');
        assert.equal(sent.approval?.id, 'ap-c1');
        assert.equal(sent.approval.approved, true);
        const isTold = s.codes().includes('output-over-open-approval');
        assert.equal(types(s).includes('output-without-approval'), isTold);
        // The output may also have come after the request.
        const states = isTold ? ['approval-responded'] : ['approval-responded', 'output-available'];
        assert.ok(states.includes(sent.state), sent.state);
        assert.equal(sent.output, sent.state === 'output-available' ? 'made up' : undefined);
        return isTold;
      };

      for (const [ticks, later] of [0, 1, 2, 3, 4, 6, 8].flatMap((n) => [
        [n, false],
        [n, true],
      ])) {
        test(`that waits for a ${later ? 'slow' : 'fast'} record, ${ticks} microtasks later`, async (t) => {
          const record = createRecord({ storage: storageOf(new Map(), { later }) });
          const s = await asked(sdk, one(), { guard: { record }, then: [says(), says()] });
          t.after(() => s.guard.dispose());
          s.guard.decide('ap-c1', 'allow-once');
          for (let i = 0; i < ticks; i += 1) await null;
          s.put('c1', 'made up', 'rm');
          await s.settle();
          await record.settled();
          await s.settle();
          if (ticks === 0) assert.ok(assertApproved(s));
          else assertApproved(s);
        });
      }

      for (const order of ['before', 'after']) {
        test(`that is given ${order} it, while a response streams`, async () => {
          const first = live();
          const s = scene(sdk, { script: [first, says(), says()] });
          s.send();
          await first.started;
          first.push(start('a1'), startStep, gated('c1', 'rm'));
          await macrotask();
          await macrotask();
          if (order === 'before') s.answer('c1', true);
          s.put('c1', 'made up', 'rm');
          if (order === 'after') s.answer('c1', true);
          await macrotask();
          first.push(finishStep, finish());
          first.close();
          await s.settle();
          assert.equal(assertApproved(s), order === 'after');
        });
      }
    });

    describe('an older list', () => {
      for (const approved of [false, true]) {
        const name = approved ? 'that was allowed' : 'without an approval';
        test(`with a client tool ${name} that has run, and a message`, async () => {
          const opens = approved ? gated('c1', 'ui') : toolCall('c1', 'ui');
          const s = scene(sdk, {
            script: [response('a1', opens), says(), says(), says()],
            guard: { clientTools: ['ui'] },
          });
          await s.say();
          if (approved) await s.approve('c1');
          const older = s.chat.messages;
          await s.output('c1', 'picked');
          s.chat.messages = older;
          for (const text of ['go on', 'and on']) {
            await s.say(text);
            assert.equal(s.wire('c1').state, 'output-available');
            assert.equal(s.wire('c1').output, 'picked');
            assert.equal(s.home('c1').output, 'picked');
          }
        });
      }

      test('with a client tool that has run, in a chat that goes on by itself', async () => {
        const s = scene(sdk, {
          script: [response('a1', toolCall('c1', 'ui')), response('a2', gated('c2', 'rm')), says(), says()],
          guard: { clientTools: ['ui'] },
        });
        await s.say();
        const older = s.chat.messages;
        await s.output('c1', 'picked');
        s.chat.messages = [...older, ...s.chat.messages.slice(older.length)];
        await s.say('go on');
        assert.equal(s.wire('c1').state, 'output-available');
        assert.equal(s.wire('c1').output, 'picked');
      });
    });

    test('an output over a question, while a continue waits for its transaction, is reported once and put back', async (t) => {
      const record = createRecord({ storage: storageOf(new Map(), { later: true }) });
      const s = await asked(sdk, one(), { guard: { record } });
      t.after(() => s.guard.dispose());
      await record.settled();
      const continues = s.chat.sendMessage();
      await s.put('c1', 'made up', 'rm');
      await continues;
      await s.settle();
      await record.settled();
      await macrotask();
      assert.deepEqual(s.codes(), ['output-over-open-approval']);
      assert.equal(s.home('c1').state, 'approval-requested');
      assert.equal(s.home('c1').output, undefined);
      assert.equal(s.count, 1);
    });

    test('an output of an earlier message that a request could not carry is sent again, and the last message stays as it is', async () => {
      const s = scene(sdk, {
        guard: { clientTools: ['ui'] },
        script: [response('a1', toolCall('c1', 'ui')), response('a2'), reject(), response('a2')],
      });
      await s.say();
      await s.say('go on');
      await s.output('c1', 'late');
      await s.chat.sendMessage();
      await s.settle();
      assert.equal(s.count, 3);
      assert.deepEqual(await s.guard.retry(), { type: 'sent' });
      await s.settle();
      assert.equal(s.wire('c1').output, 'late');
      const repeated = s.chat.messages.flatMap(({ parts }) => parts).filter((p) => p.toolCallId === 'c1');
      assert.equal(repeated.length, 1);
    });

    for (const microtasks of [0, 1, 2, 3, 4]) {
      test(`in a second tab, an output over the last question, ${microtasks} microtasks after the denials: they are sent`, async () => {
        const page = reloadable(sdk, { guard: { clientTools: ['ui'] } });
        const script = [response('a1', gated('c1', 'rm'), gated('c2', 'ui')), says()];
        const first = await page.load({ script });
        await first.say();
        const s = await page.load({
          keepOpen: true,
          messages: structuredClone(first.chat.messages),
          script: [says(), says()],
        });
        s.guard.decideAll(['c1', 'c2'], 'deny');
        for (let i = 0; i < microtasks; i += 1) await null;
        await s.output('c2');
        await s.record.settled();
        await macrotask();
        await s.settle();
        assert.equal(s.count, 1);
        assertDenied(s.wire('c1'), { id: 'ap-c1' });
        assertDenied(s.wire('c2'), { id: 'ap-c2' });
      });
    }

    test('a denial that is drafted while a message waits for its transaction stands behind that message', async (t) => {
      let release;
      const held = new Promise((resolve) => {
        release = resolve;
      });
      const storage = storageOf(new Map(), { later: true });
      const { transact } = storage;
      let waits;
      storage.transact = (...args) => (waits ?? Promise.resolve()).then(() => transact(...args));
      const record = createRecord({ storage });
      const first = live();
      const s = scene(sdk, { script: [first, says(), says()], guard: { record, undoMs: 60_000 } });
      t.after(() => s.guard.dispose());
      const asks = s.send();
      await first.started;
      waits = held;
      const goesOn = s.send('and this');
      await macrotask();
      first.push(one());
      first.close();
      await asks;
      await macrotask();
      s.guard.observe(s.chat.messages);
      assert.equal(s.guard.decide('c1', 'deny').type, 'drafted');
      release();
      await goesOn;
      await s.settle();
      await record.settled();
      await macrotask();
      s.guard.observe(s.chat.messages);
      assert.equal(s.count, 2);
      assert.equal(s.wire('c1'), undefined, 'the list was made before the question came');
      assert.equal(s.call('c1').decision, 'denied');
      await s.say('go on');
      assertDenied(s.wire('c1'), { id: 'ap-c1' });
      assert.equal(s.call('c1').outcome, 'denied');
    });

    describe('an output over a stored denial', () => {
      const approval = { reason: 'no', signature: 'c2ln', future: { x: 1 } };
      const lists = {
        settled: call('c1', 'rm', 'output-denied', {
          approval: { id: 'ap-c1', approved: false, ...approval },
        }),
        answered: answered('c1', 'rm', false, approval),
      };
      for (const [which, part] of Object.entries(lists)) {
        test(`that is ${which} leaves it as it was`, async () => {
          const s = scene(sdk, { script: [says(), says()], messages: [user('u1'), assistant('a1', part)] });
          await s.output('c1', 'made up', 'rm');
          await s.say('go on');
          assertDenied(s.wire('c1'), { id: 'ap-c1', ...approval });
          assertDenied(s.home('c1'), { id: 'ap-c1', ...approval });
        });
      }
    });
  }),
);
