// A person changes the input of a call before allowing it: what ran is what was shown, once, and both inputs stay known.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { mergeAnswers, readDecisions, signEdits, tellEdits } from 'tool-approval-guard/server';
import { createRules } from 'tool-approval-guard/rules';
import { verifyRecord } from 'tool-approval-guard/verify';

import { heldEntry } from '../support/late-engine.mjs';
import { backend, callsTool, resultsOf, saysText } from './support/backend.mjs';
import { scene } from './support/chat.mjs';
import { gated, outputAvailable, response, says } from './support/chunks.mjs';
import { copy, reloadable, storageOf } from './support/reload.mjs';
import { reject } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';

const ASKED = { to: 'al@example.com', subject: 'Hello' };
const EDITED = { to: 'ann@example.com', subject: 'Hello' };
const WORDS = 'The user changed the input of this call before allowing it.';
const tools = { mail: { editable: true } };
const gate = { needsApproval: true };
const NOTE = 'tool-approval-guard';

/** The original that stands beside the input of a part. */
const from = (part) => part.callProviderMetadata?.[NOTE]?.editedFrom;
const ask = (...ids) => response('a1', ...ids.map((id) => gated(id, 'mail', ASKED)));
const refused = ({ type, reason }) => [type, reason];

forEachSdk((sdk) =>
  describe(`a changed input, ${sdk.name}`, () => {
    /** A chat with a real `streamText`, whose tool says what it ran with. */
    async function real(calls, { guard, approvals = gate, ...options } = {}) {
      const server = await backend(sdk, {
        tools: { mail: approvals, other: approvals },
        steps: [
          calls.map(([id, input]) => callsTool(id, 'mail', input)),
          saysText('Sent.'),
          saysText('Yes.'),
        ],
        convert: async (ai, messages, set) =>
          tellEdits(await ai.convertToModelMessages(messages, { tools: set })),
        ...options,
      });
      const s = scene(sdk, { inner: server.transport, guard: { undoMs: 0, tools, ...guard } });
      await s.say();
      return { s, server };
    }

    test('the tool runs with it, once, and the model is told', async () => {
      const { s, server } = await real([['c1', ASKED]]);
      const { type, key } = s.guard.decide('c1', 'allow-once', { input: EDITED });
      assert.equal(type, 'committed');
      await s.settle();
      assert.deepEqual(server.executed, ['c1']);
      assert.deepEqual(s.home('c1').output, { ran: 'mail', input: EDITED });
      for (const part of [s.wire('c1', server.requests[1]), s.home('c1')]) {
        assert.deepEqual([part.input, from(part)], [EDITED, ASKED]);
        assert.equal(part.approval.reason, WORDS);
      }
      const [told] = server.prompts[1].filter(({ role }) => role === 'assistant');
      assert.deepEqual(
        told.content.map((part) => part.text ?? part.input),
        [`[${WORDS} ${JSON.stringify({ askedFor: ASKED })}]`, EDITED],
      );
      const view = s.guard.getSnapshot().calls.find((call) => call.key === key);
      assert.deepEqual(view.edited, { from: ASKED, to: EDITED });
      await s.say('and now?');
      assert.deepEqual(s.wire('c1').input, EDITED, 'also in later requests');
      assert.deepEqual([server.executed, server.errors, s.codes()], [['c1'], [], []]);
    });

    test('the model is told so, also if the answer has a reason of its own', async () => {
      const { s, server } = await real([['c1', ASKED]]);
      s.guard.decide('c1', 'allow-once', { input: EDITED, reason: 'Ann has moved.' });
      await s.settle();
      const [told] = server.prompts[1].filter(({ role }) => role === 'assistant');
      assert.equal(told.content[0].text, `[${WORDS} Ann has moved. ${JSON.stringify({ askedFor: ASKED })}]`);
    });

    test('it stands in the chat before the chat gets the answer, because the response goes on with a copy', async () => {
      const s = scene(sdk, { script: [ask('c1'), says()], guard: { undoMs: 0, tools }, attach: false });
      const { addToolApprovalResponse: answer } = s.chat;
      const stood = [];
      s.chat.addToolApprovalResponse = (given) => {
        stood.push(s.home('c1').input);
        return answer.call(s.chat, given);
      };
      s.guard.attach(s.chat);
      await s.say();
      s.guard.decide('c1', 'allow-once', { input: EDITED });
      await s.settle();
      assert.deepEqual(stood, [EDITED]);
    });

    test('beside other answers, each call runs with its own input', async () => {
      const inputs = ['a', 'b', 'c'].map((to) => ({ to, subject: 's' }));
      const { s, server } = await real(inputs.map((input, i) => [`c${i + 1}`, input]));
      const other = { to: 'x', subject: 's' };
      s.guard.decide('c1', 'allow-once', { input: other });
      s.guard.decide('c2', 'deny');
      s.guard.decide('c3', 'allow-once');
      await s.settle();
      assert.deepEqual(server.executed, ['c1', 'c3']);
      assert.deepEqual(
        ['c1', 'c3'].map((id) => s.home(id).output.input),
        [other, inputs[2]],
      );
      assert.deepEqual([from(s.home('c2')), from(s.home('c3'))], [undefined, undefined]);
      assert.deepEqual(resultsOf(server, 'c3').length, 1);
    });

    test('readDecisions says both inputs of the request', async () => {
      const { s, server } = await real([['c1', ASKED]]);
      s.guard.decide('c1', 'allow-once', { input: EDITED });
      await s.settle();
      const [decision] = readDecisions(server.requests[1].messages);
      assert.deepEqual([decision.type, decision.edited], ['approved', { from: ASKED, to: EDITED }]);
    });

    /** A server that signs approvals, and signs a changed input again. */
    const secret = 'a secret of the server';
    const signing = (options) => ({
      settings: { experimental_toolApprovalSecret: secret },
      convert: async (ai, messages, set) => {
        const signed = await signEdits(messages, { secret, editable: ['mail'], ...options });
        return tellEdits(await ai.convertToModelMessages(signed, { tools: set }));
      },
    });
    const again = { tools: { mail: { editable: true, signsAgain: true } } };

    test('a server that signs approvals signs it again, and runs it once', async () => {
      const { s, server } = await real([['c1', ASKED]], { guard: again, ...signing() });
      const { signature } = s.home('c1').approval;
      assert.equal(typeof signature, 'string');
      assert.equal(s.call('c1').editable, true, 'a card offers it');
      assert.equal(s.guard.decide('c1', 'allow-once', { input: EDITED }).type, 'committed');
      await s.settle();
      assert.deepEqual([server.executed, server.errors], [['c1'], []]);
      assert.deepEqual(s.home('c1').output, { ran: 'mail', input: EDITED });
      const sent = s.wire('c1', server.requests[1]);
      assert.equal(sent.approval.signature, signature, 'law 4: the page sends the field as it came');
      // Also from the stored list, and with the same secret as bytes.
      const [asked] = server.requests[1].messages;
      const question = {
        ...sent,
        state: 'approval-requested',
        input: ASKED,
        callProviderMetadata: undefined,
      };
      question.approval = { id: sent.approval.id, signature };
      const stored = [asked, { ...server.requests[1].messages[1], parts: [question] }];
      const merge = (options) => mergeAnswers(stored, server.requests[1].messages, options);
      assert.deepEqual(
        merge({ editable: ['mail'] }).refused.map(({ code }) => code),
        ['not-editable'],
      );
      const { messages, refused } = merge({ editable: ['mail'], signsAgain: true });
      assert.deepEqual([refused, messages[1].parts[0].input], [[], EDITED]);
      for (const other of [{ approved: false }, { inputSchemaInput: ASKED }]) {
        const [part] = messages[1].parts;
        const list = [{ ...messages[1], parts: [{ ...part, approval: { ...part.approval, ...other } }] }];
        const left = await signEdits(list, { secret, editable: ['mail'] });
        assert.equal(left, list, 'only an allowance of what was signed itself is signed again');
      }
      const bytes = new TextEncoder().encode(secret);
      const [, signed] = await signEdits(messages, { secret: bytes, editable: ['mail'] });
      assert.notEqual(signed.parts[0].approval.signature, signature);
      const signedList = [messages[0], signed];
      assert.equal(
        await signEdits(signedList, { secret, editable: ['mail'] }),
        signedList,
        'what is signed stays as it is',
      );
    });

    test('nothing is signed but a change of what was signed, for a tool that the server names', async () => {
      const cases = [
        [{ editable: ['other'] }, undefined],
        [{ secret: 'another secret' }, undefined],
        // A page that says that the model has asked for something else.
        [
          {},
          (part) => (part.callProviderMetadata[NOTE].editedFrom = { to: 'eve@example.com', subject: 's' }),
        ],
        [{}, (part) => (part.approval.signature = 'AAAA')],
      ];
      for (const [options, forge] of cases) {
        const convert = signing(options).convert;
        const { s, server } = await real([['c1', ASKED]], {
          guard: again,
          ...signing(),
          convert: (ai, messages, set) => {
            const part = messages.at(-1).parts?.find(({ toolCallId }) => toolCallId === 'c1');
            if (part?.state === 'approval-responded') forge?.(part);
            return convert(ai, messages, set);
          },
        });
        s.guard.decide('c1', 'allow-once', { input: EDITED });
        await s.settle();
        assert.deepEqual(server.executed, []);
        assert.match(String(server.errors[0]), /signature/);
      }
      const messages = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }];
      assert.equal(await signEdits(messages, { secret, editable: [] }), messages);
      for (const options of [
        {},
        { secret: '', editable: [] },
        { secret, editable: 1 },
        { secret, editable: [], x: 1 },
      ])
        await assert.rejects(signEdits(messages, options), { code: 'invalid-option' });
    });

    test('a draft with it is undone, replaced and denied like any other', async () => {
      const s = scene(sdk, { script: [ask('c1', 'c2'), says()], guard: { tools } });
      await s.say();
      const view = () => s.call('c1');
      assert.equal(s.guard.decide('c1', 'allow-once', { input: EDITED }).type, 'drafted');
      assert.deepEqual([view().edited, s.home('c1').input], [{ from: ASKED, to: EDITED }, ASKED]);
      assert.deepEqual(refused(s.guard.decide('c1', 'allow-once')), ['refused', 'already-drafted']);
      assert.equal(s.guard.undo('c1').type, 'undone');
      assert.equal(view().edited, undefined);
      assert.equal(
        s.guard.decide('c1', 'allow-once', { input: { ...EDITED, subject: 'Other' } }).type,
        'drafted',
      );
      assert.equal(s.guard.decide('c1', 'deny').type, 'drafted', 'a denial wins');
      assert.equal(view().edited, undefined);
      s.guard.decide('c2', 'deny');
      s.guard.commit();
      await s.settle();
      assert.deepEqual([s.wire('c1').input, s.wire('c1').approval.approved], [ASKED, false]);
      assert.equal(from(s.wire('c1')), undefined);
    });

    test('what was undone and allowed as it was leaves as it was', async () => {
      const s = scene(sdk, { script: [ask('c1'), says()], guard: { tools, undoMs: 60_000 } });
      await s.say();
      s.guard.decide('c1', 'allow-once', { input: EDITED });
      s.guard.undo('c1');
      s.guard.decide('c1', 'allow-once');
      s.guard.commit();
      await s.settle();
      const part = s.wire('c1');
      assert.deepEqual([part.input, from(part), part.approval.reason], [ASKED, undefined, undefined]);
    });

    test('equal calls are no longer equal to it', async () => {
      const s = scene(sdk, { script: [ask('c1', 'c2', 'c3'), says()], guard: { tools } });
      await s.say();
      const groups = () => new Set(['c1', 'c2', 'c3'].map((id) => s.call(id).group)).size;
      assert.equal(groups(), 1);
      s.guard.decide('c2', 'allow-once', { input: EDITED });
      assert.equal(groups(), 2);
      assert.deepEqual([s.call('c1').status, s.call('c3').status], ['asking', 'asking']);
    });

    test('to allow what the model asked for is no change', async () => {
      const s = scene(sdk, { script: [ask('c1'), says()], guard: { tools, undoMs: 0 } });
      await s.say();
      s.guard.decide('c1', 'allow-once', { input: { subject: 'Hello', to: 'al@example.com' } });
      await s.settle();
      assert.deepEqual([from(s.wire('c1')), s.wire('c1').approval.reason], [undefined, undefined]);
    });

    test('what may not be changed is refused with a code, and stays open', async () => {
      const fields = { mail: { editable: ['to'] } };
      const checked = {
        mail: {
          editable: ({ to }) => (to.includes('@') ? [] : [{ field: 'to', message: 'No address.' }]),
        },
      };
      const throws = {
        mail: {
          editable: () => {
            throw new Error('broken');
          },
        },
      };
      const cases = [
        [{}, EDITED, 'not-editable'],
        [{ tools: { mail: { editable: false } } }, EDITED, 'not-editable'],
        [{ tools: fields }, { ...EDITED, subject: 'Other' }, 'not-editable'],
        [{ tools: fields }, { ...EDITED, bcc: 'x' }, 'not-editable'],
        [{ tools: fields }, { to: 'ann@example.com' }, 'not-editable'],
        [{ tools: fields }, 'text', 'not-editable'],
        [{ tools: checked }, { to: 'ann', subject: 's' }, 'invalid-input'],
        [{ tools: throws }, EDITED, 'invalid-input'],
      ];
      for (const [guard, input, reason] of cases) {
        const s = scene(sdk, { script: [ask('c1')], guard });
        await s.say();
        const result = s.guard.decide('c1', 'allow-once', { input });
        assert.deepEqual(refused(result), ['refused', reason], JSON.stringify(input));
        assert.equal(s.call('c1').status, 'asking');
        assert.equal(s.guard.ledger().at(-1).type, 'refused');
        if (guard.tools === checked)
          assert.deepEqual(result.problems, [{ field: 'to', message: 'No address.' }]);
      }
      const s = scene(sdk, { script: [ask('c1'), says()], guard: { tools: fields } });
      await s.say();
      assert.equal(s.guard.decide('c1', 'allow-once', { input: EDITED }).type, 'committed');
    });

    test('a lasting choice, a denial and an input that is no JSON are misuse', async () => {
      const s = scene(sdk, { script: [ask('c1')], guard: { tools } });
      await s.say();
      const loop = {};
      loop.loop = loop;
      for (const [choice, input] of [
        ['allow-chat', EDITED],
        ['deny', EDITED],
        ['deny-chat', EDITED],
        ['allow-once', loop],
        ['allow-once', { at: new Date() }],
        ['allow-once', () => {}],
        ['allow-once', { to: '\ud800' }],
      ]) {
        assert.throws(() => s.guard.decide('c1', choice, { input }), { code: 'invalid-decision' });
      }
      assert.equal(s.call('c1').status, 'asking');
    });

    test('an approval that is bound to its input takes no other one', async () => {
      for (const approval of [{ signature: 'sig' }, { inputSchemaInput: ASKED }]) {
        const script = [response('a1', gated('c1', 'mail', ASKED, { approval }))];
        const s = scene(sdk, { script, guard: { tools } });
        await s.say();
        // A stream of an older version of the SDK may not pass it on.
        const part = s.home('c1');
        s.chat.messages = [
          ...s.chat.messages.slice(0, -1),
          {
            ...s.chat.messages.at(-1),
            parts: s.chat.messages
              .at(-1)
              .parts.map((it) =>
                it.toolCallId === 'c1' ? { ...it, approval: { ...part.approval, ...approval } } : it,
              ),
          },
        ];
        s.guard.observe(s.chat.messages);
        assert.deepEqual(refused(s.guard.decide('c1', 'allow-once', { input: EDITED })), [
          'refused',
          'signed',
        ]);
        assert.equal(s.guard.decide('c1', 'allow-once').type, 'committed');
      }
    });

    test('the call says whether it can be changed, and how', async () => {
      const schema = { type: 'object', properties: { to: { type: 'string' } } };
      const cases = [
        [{}, {}, false],
        [{ mail: { editable: false, inputSchema: schema } }, {}, false],
        [{ mail: { editable: true, inputSchema: schema } }, {}, true],
        [{ mail: { editable: ['to'] } }, {}, true],
        [{ mail: { editable: () => [] } }, {}, true],
        [{ mail: { editable: true } }, { signature: 'sig' }, false],
        [{ mail: { editable: true } }, { inputSchemaInput: ASKED }, false],
        [{ mail: { editable: true, signsAgain: true } }, { signature: 'sig' }, true],
        [{ mail: { editable: true, signsAgain: true } }, { inputSchemaInput: ASKED }, false],
      ];
      for (const [known, approval, edit] of cases) {
        const s = scene(sdk, {
          script: [response('a1', gated('c1', 'mail', ASKED), gated('c2', 'mail', ASKED))],
          guard: { tools: known },
        });
        await s.say();
        // A stream of an older version of the SDK may not pass on the fields of the approval.
        s.chat.messages = s.chat.messages.map((message) => ({
          ...message,
          parts: message.parts.map((part) =>
            part.toolCallId === 'c1' ? { ...part, approval: { ...part.approval, ...approval } } : part,
          ),
        }));
        s.guard.observe(s.chat.messages);
        const why = JSON.stringify([known, approval]);
        const view = s.call('c1');
        assert.equal(view.can.edit, edit, why);
        assert.equal(view.can.edit, view.can.allow && view.editable !== false, why);
        assert.equal(view.inputSchema, known.mail?.inputSchema, why);
        s.guard.decide('c1', 'allow-once');
        assert.equal(s.call('c1').can.edit, false, 'a draft is undone first');
      }
    });

    test('what has changed is shown field by field, with masks in place of secrets', async () => {
      const { redact } = await import('tool-approval-guard/redact');
      const input = { to: 'al@example.com', password: 'hunter2', keep: [1] };
      const s = scene(sdk, {
        script: [response('a1', gated('c1', 'mail', input), gated('c2', 'mail', input)), says()],
        guard: { tools, redact, undoMs: 60_000 },
      });
      await s.say();
      assert.equal(s.call('c1').changes, undefined);
      s.guard.decide('c1', 'allow-once', {
        input: { keep: [1], to: 'ann@example.com', password: 'hunter3', cc: 'x' },
      });
      const { changes } = s.call('c1');
      assert.deepEqual(
        changes.map(({ field }) => field),
        ['to', 'password', 'cc'],
      );
      assert.deepEqual(changes[0], { field: 'to', from: 'al@example.com', to: 'ann@example.com' });
      assert.deepEqual(changes[2], { field: 'cc', from: undefined, to: 'x' });
      assert.doesNotMatch(JSON.stringify(changes), /hunter/);
      s.guard.decide('c2', 'deny');
      assert.equal(s.call('c1').changes, changes, 'the same object until something in it changes');
      s.guard.undo('c1');
      s.guard.unmask('c1');
      s.guard.decide('c1', 'allow-once', { input: { ...input, password: 'hunter3' } });
      assert.deepEqual(s.call('c1').changes, [{ field: 'password', from: 'hunter2', to: 'hunter3' }]);
      s.guard.commit();
      await s.settle();
      assert.deepEqual(s.call('c1').changes, [{ field: 'password', from: 'hunter2', to: 'hunter3' }]);
    });

    test('an input that is no object is one change, and the words say what was changed', async () => {
      const { createWords } = await import('tool-approval-guard/words');
      const s = scene(sdk, { script: [response('a1', gated('c1', 'mail', 'al'))], guard: { tools } });
      await s.say();
      const words = () => createWords().call(s.call('c1'));
      assert.equal(words().changes, '');
      s.guard.decide('c1', 'allow-once', { input: 'ann' });
      assert.deepEqual(s.call('c1').changes, [{ field: undefined, from: 'al', to: 'ann' }]);
      assert.equal(words().outcome, 'Allowed with changes');
      assert.equal(words().changes, 'ann (asked for: al)');
    });

    test('a changed text of several lines reads as in the input that is shown', async () => {
      const { createWords } = await import('tool-approval-guard/words');
      const s = scene(sdk, { script: [response('a1', gated('c1', 'mail', 'two\nlines'))], guard: { tools } });
      await s.say();
      s.guard.decide('c1', 'allow-once', { input: 'ann' });
      assert.equal(createWords().call(s.call('c1')).changes, 'ann (asked for: "two\\nlines")');
    });

    test('rules see it, and an input that they would deny cannot be sent', async () => {
      const rules = {
        judge: ({ input }) => ({
          effect: input.to === 'ann@example.com' ? 'deny' : 'ask',
          always: false,
          dangerous: false,
          ruleId: 'r1',
          why: 'not Ann',
        }),
      };
      const s = scene(sdk, { script: [ask('c1'), says()], guard: { tools, rules, undoMs: 0 } });
      await s.say();
      assert.deepEqual(refused(s.guard.decide('c1', 'allow-once', { input: EDITED })), [
        'refused',
        'denied-by-rule',
      ]);
      const other = { ...EDITED, to: 'bob@example.com' };
      assert.equal(s.guard.decide('c1', 'allow-once', { input: other }).type, 'committed');
      await s.settle();
      assert.deepEqual(s.wire('c1').input, other);
    });

    const noAnn = { deny: 'mail(to=ann@example.com, subject=*)', id: 'no-ann' };

    test('a rule that comes between the draft and the sending denies it', async () => {
      const rules = createRules({ rules: [{ ask: 'mail' }] });
      const s = scene(sdk, { script: [ask('c1'), says()], guard: { tools, rules, undoMs: 60_000 } });
      await s.say();
      assert.equal(s.guard.decide('c1', 'allow-once', { input: EDITED }).type, 'drafted');
      assert.deepEqual(rules.tighten([noAnn]), []);
      assert.deepEqual([s.call('c1').outcome, s.call('c1').edited], ['denied-by-rule', undefined]);
      s.guard.commit();
      await s.settle();
      const part = s.wire('c1');
      assert.deepEqual([part.approval.approved, part.input, from(part)], [false, ASKED, undefined]);
    });

    test('a page whose rules deny it does not restore it', async () => {
      for (const isSent of [false, true]) {
        const page = reloadable(sdk, { storage: storageOf(), guard: { tools, undoMs: 60_000 } });
        const before = await page.load({ script: [ask('c1'), reject(new TypeError('fetch failed'))] });
        await before.say();
        const messages = copy(before.chat.messages);
        before.guard.decide('c1', 'allow-once', { input: EDITED });
        if (isSent) before.guard.commit();
        await new Promise((resolve) => setTimeout(resolve, 20));
        const rules = createRules({ rules: [noAnn, { ask: 'mail' }] });
        const later = await page.load({ script: [says()], messages, guard: { rules } });
        const { status, edited } = later.call('c1');
        // What may have run is told as it was.
        const expected = isSent ? ['in-doubt', { from: ASKED, to: EDITED }] : ['asking', undefined];
        assert.deepEqual([status, edited], expected);
        if (!isSent) assert.deepEqual(later.chat.messages, messages);
      }
    });

    test('an engine that comes late decides nothing before', async () => {
      const { createApprovalGuard, load } = await heldEntry();
      const guard = createApprovalGuard({ tools });
      const result = guard.decide('c1', 'allow-once', { input: EDITED });
      assert.deepEqual(refused(result), ['refused', 'unavailable']);
      load();
      await guard.ready;
      guard.dispose();
    });

    test('what the caller changes later is not sent', async () => {
      const s = scene(sdk, { script: [ask('c1'), says()], guard: { tools, undoMs: 60_000 } });
      await s.say();
      const input = { ...EDITED };
      s.guard.decide('c1', 'allow-once', { input });
      input.to = 'eve@example.com';
      s.guard.commit();
      await s.settle();
      assert.deepEqual(s.wire('c1').input, EDITED);
    });

    test('an older list does not bring the old input back', async () => {
      const s = scene(sdk, {
        script: [ask('c1'), response(undefined, outputAvailable('c1')), says(), says()],
        guard: { tools, undoMs: 60_000 },
      });
      await s.say();
      const older = copy(s.chat.messages);
      s.guard.decide('c1', 'allow-once', { input: EDITED });
      s.guard.commit();
      await s.settle();
      assert.deepEqual([s.home('c1').input, s.home('c1').state], [EDITED, 'output-available']);
      // The page sets the list from before, with the question and without the output.
      s.chat.messages = older;
      s.guard.observe(s.chat.messages);
      await s.say('and?');
      assert.notDeepEqual([s.wire('c1').state, s.wire('c1').input], ['approval-responded', ASKED]);
      if (s.wire('c1').state.startsWith('output-av')) assert.deepEqual(s.wire('c1').input, EDITED);
    });

    test('what is closed has its own input, unless it may have run with the changed one', async () => {
      const refusal = Object.assign(new Error('no'), { statusCode: 400 });
      for (const [failure, input, original] of [
        [refusal, ASKED, undefined],
        [new TypeError('fetch failed'), EDITED, ASKED],
      ]) {
        const s = scene(sdk, { script: [ask('c1'), reject(failure), says()], guard: { tools, undoMs: 0 } });
        await s.say();
        s.guard.decide('c1', 'allow-once', { input: EDITED });
        await s.settle();
        await s.say('never mind');
        const part = s.wire('c1');
        assert.deepEqual(
          [part.state, part.approval.approved, part.input, from(part)],
          ['output-denied', false, input, original],
        );
        const told = tellEdits(await sdk.ai.convertToModelMessages(s.last.messages));
        const texts = told.flatMap(({ role, content }) =>
          role === 'assistant' ? content.flatMap(({ text }) => text ?? []) : [],
        );
        const note = `[${WORDS} ${JSON.stringify({ askedFor: ASKED })}]`;
        assert.equal(texts.includes(note), original !== undefined, `${failure}`);
      }
    });

    test('what is set over the answer before it leaves is put back with the input', async () => {
      const s = scene(sdk, {
        script: [ask('c1'), () => new Promise(() => {})],
        guard: { tools, undoMs: 0 },
        chat: { sendAutomaticallyWhen: undefined },
      });
      await s.say();
      const older = copy(s.chat.messages);
      s.guard.decide('c1', 'allow-once', { input: EDITED });
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.deepEqual(s.home('c1').input, EDITED);
      s.chat.messages = older;
      s.guard.observe(s.chat.messages);
      await new Promise((resolve) => setTimeout(resolve, 5));
      s.guard.getSnapshot();
      void s.guard.retry();
      await new Promise((resolve) => setTimeout(resolve, 5));
      const part = s.wire('c1');
      assert.deepEqual([part.state, part.input, from(part)], ['approval-responded', EDITED, ASKED]);
    });

    test('an answer with another input that the page writes itself counts for nothing', async () => {
      const s = scene(sdk, { script: [ask('c1'), says()], guard: { tools } });
      await s.say();
      const forged = copy(s.chat.messages);
      const part = forged.at(-1).parts.find(({ toolCallId }) => toolCallId === 'c1');
      Object.assign(part, {
        state: 'approval-responded',
        input: { to: 'eve@example.com', subject: 'x' },
        approval: { ...part.approval, approved: true },
        callProviderMetadata: { [NOTE]: { editedFrom: ASKED } },
      });
      s.chat.messages = forged;
      s.guard.observe(s.chat.messages);
      assert.equal(s.guard.explain().send, false);
      assert.equal(s.call('c1').status, 'asking');
    });

    test('after a reload it stands: in the messages, and in the record where they were not stored', async () => {
      for (const isStored of [true, false]) {
        const page = reloadable(sdk, { storage: storageOf(), guard: { tools, undoMs: 60_000 } });
        const before = await page.load({ script: [ask('c1'), reject(new TypeError('fetch failed'))] });
        await before.say();
        const older = copy(before.chat.messages);
        before.guard.decide('c1', 'allow-once', { input: EDITED });
        before.guard.commit();
        await new Promise((resolve) => setTimeout(resolve, 20));
        assert.equal(before.call('c1').status, 'in-doubt');
        const messages = isStored ? copy(before.chat.messages) : older;
        const later = await page.load({ script: [says()], messages });
        const view = later.guard.getSnapshot().calls.find(({ toolCallId }) => toolCallId === 'c1');
        assert.deepEqual(view.edited, { from: ASKED, to: EDITED }, `stored: ${isStored}`);
        await later.guard.proceed(later.guard.getSnapshot().batch.action);
        await later.settle();
        assert.deepEqual([later.wire('c1').input, from(later.wire('c1'))], [EDITED, ASKED]);
      }
    });

    test('a page that was loaded with what has run says both inputs, and so does its server to the model', async () => {
      const { s, server } = await real([['c1', ASKED]]);
      s.guard.decide('c1', 'allow-once', { input: EDITED });
      await s.settle();
      const page = reloadable(sdk, { guard: { tools } });
      const later = await page.load({ inner: server.transport, messages: copy(s.chat.messages) });
      assert.deepEqual(later.call('c1').edited, { from: ASKED, to: EDITED });
      await later.say('and?');
      assert.deepEqual([later.wire('c1').input, from(later.wire('c1'))], [EDITED, ASKED]);
      const told = server.prompts
        .at(-1)
        .flatMap(({ role, content }) => (role === 'assistant' ? content : []));
      assert.deepEqual(
        told.slice(0, 2).map((part) => part.text ?? part.input),
        [`[${WORDS} ${JSON.stringify({ askedFor: ASKED })}]`, EDITED],
      );
      assert.deepEqual(server.executed, ['c1']);
    });

    test('a question about the changed input is one of its own, also where the chat answers it', async () => {
      for (const approved of [true, false]) {
        // It settles a call of the last step, and begins no other one.
        const asksAgain = [
          { type: 'start' },
          { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'again' },
          { type: 'finish' },
        ];
        const s = scene(sdk, {
          script: [ask('c1'), asksAgain, says()],
          guard: { tools, undoMs: 0 },
        });
        await s.say();
        s.guard.decide('c1', 'allow-once', { input: EDITED });
        await s.settle();
        const part = s.home('c1');
        assert.deepEqual([part.state, part.approval.id, part.input], ['approval-requested', 'again', EDITED]);
        await s.chat.addToolApprovalResponse({ id: 'again', approved });
        await s.settle();
        assert.equal(s.guard.ledger().filter(({ type }) => type === 'voided').length, 0);
        assert.deepEqual([s.wire('c1').approval.approved, s.wire('c1').input], [approved, EDITED]);
      }
    });

    for (const [title, beside] of [
      ['alone', []],
      ['beside another call', ['c2']],
    ])
      test(`a question that the server repeats is about what the model asked for: ${title}`, async () => {
        const repeats = [
          { type: 'start' },
          { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'ap-c1' },
          ...beside.map((id) => outputAvailable(id)),
          { type: 'finish' },
        ];
        const s = scene(sdk, {
          script: [ask('c1', ...beside), repeats, says()],
          guard: { tools, undoMs: 0 },
        });
        await s.say();
        s.guard.decide('c1', 'allow-once', { input: EDITED });
        for (const id of beside) s.guard.decide(id, 'allow-once');
        await s.settle();
        assert.deepEqual([s.home('c1').state, s.home('c1').input], ['approval-requested', ASKED]);
        const next = { ...ASKED, to: 'bo@example.com' };
        s.guard.decide('c1', 'allow-once', { input: next });
        await s.settle();
        assert.deepEqual([s.wire('c1').input, from(s.wire('c1'))], [next, ASKED]);
        assert.deepEqual(s.call('c1').edited, { from: ASKED, to: next });
      });

    test('a list of the server that says that something else has run is believed', async () => {
      const s = scene(sdk, {
        script: [ask('c1'), reject(Object.assign(new Error('no'), { statusCode: 400 })), says(), says()],
        guard: { tools, undoMs: 0 },
      });
      await s.say();
      s.guard.decide('c1', 'allow-once', { input: EDITED });
      await s.settle();
      assert.deepEqual(s.home('c1').input, EDITED);
      const stored = copy(s.chat.messages);
      const part = stored.at(-1).parts.find(({ toolCallId }) => toolCallId === 'c1');
      Object.assign(part, { state: 'output-available', input: ASKED, output: 'sent' });
      delete part.callProviderMetadata;
      s.chat.messages = stored;
      s.guard.adopt(stored);
      await s.settle();
      assert.equal(s.call('c1').edited, undefined);
      await s.say('and?');
      assert.deepEqual([s.wire('c1').input, from(s.wire('c1'))], [ASKED, undefined]);
    });

    const OTHER = { to: 'bob@example.com', subject: 'Hello' };
    /** What two tabs say at the same time. */
    const races = [
      [{ input: EDITED }, { input: OTHER }],
      [{ input: EDITED }, {}],
      [{}, { input: EDITED }],
      [{ input: EDITED }, 'deny'],
      ['deny', { input: EDITED }],
    ];

    test('two tabs with one record: one input runs, once, and both show that one', async () => {
      for (const race of races) {
        for (const later of [false, true]) {
          const server = await backend(sdk, {
            tools: { mail: gate },
            steps: [[callsTool('c1', 'mail', ASKED)], saysText('Sent.'), saysText('Yes.'), saysText('Yes.')],
          });
          const page = reloadable(sdk, {
            storage: storageOf(new Map(), { later }),
            inner: server.transport,
            guard: { tools, undoMs: 0 },
          });
          const one = await page.load();
          await one.say();
          const two = await page.load({ messages: copy(one.chat.messages), keepOpen: true });
          const tabs = [one, two];
          const words = tabs.map((tab, i) =>
            race[i] === 'deny'
              ? tab.guard.decide('c1', 'deny')
              : tab.guard.decide('c1', 'allow-once', race[i]),
          );
          await new Promise((resolve) => setTimeout(resolve, 60));
          await Promise.all(tabs.map((tab) => tab.settle()));
          const name = JSON.stringify([race, later, words.map(({ type }) => type)]);
          assert.ok(server.executed.length <= 1, name);
          const answers = server.requests.slice(1).map((request) => one.wire('c1', request));
          const told = new Set(
            answers.map(({ input, approval }) => JSON.stringify([input, approval.approved])),
          );
          assert.equal(told.size, 1, `${name} ${[...told]}`);
          const [{ input, approval }] = answers;
          // It is what one of them has said, as it was shown there.
          const shown = race.map((said) => (said === 'deny' ? false : (said.input ?? ASKED)));
          assert.ok(
            shown.some((said) =>
              said === false ? !approval.approved : JSON.stringify(said) === JSON.stringify(input),
            ),
            name,
          );
          assert.deepEqual(server.executed, approval.approved ? ['c1'] : [], name);
          const edited = approval.approved && input.to !== ASKED.to ? { from: ASKED, to: input } : undefined;
          for (const tab of tabs) {
            const view = tab.call('c1');
            const isLost = view.status === 'elsewhere';
            assert.deepEqual(view.edited, edited, `${name} ${view.status} ${isLost}`);
          }
          // The one that came second is told, and its words are on record.
          const isOther = shown.findIndex((said) =>
            said === false ? approval.approved : JSON.stringify(said) !== JSON.stringify(input),
          );
          const loser = tabs[isOther];
          assert.ok(
            loser.guard
              .ledger()
              .some(({ type }) => ['refused', 'undone', 'elsewhere', 'recalled'].includes(type)),
            name,
          );
        }
      }
    });

    test('the ledger, the record and its export say that it was changed, by whom, and to what', async () => {
      const page = reloadable(sdk, { guard: { tools, undoMs: 0, user: { id: 'u1', name: 'Ann' } } });
      const s = await page.load({ script: [ask('c1'), says()] });
      await s.say();
      s.guard.decide('c1', 'allow-once', { input: EDITED });
      await s.settle();
      const answered = s.record.entries().find(({ type }) => type === 'answered');
      const { edited, editHash, inputHash, user } = answered;
      assert.deepEqual([edited, user], [true, 'u1']);
      assert.equal(inputHash, s.record.hashOf('mail', ASKED));
      assert.equal(editHash, s.record.hashOf('mail', EDITED));
      const exported = s.record.export('jsonl');
      assert.ok(exported.includes(`"editHash":"${editHash}","edited":true`));
      assert.equal(verifyRecord(exported).type, 'intact');
    });
  }),
);
