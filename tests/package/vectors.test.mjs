// The conformance vectors through the public interface. Remembered state is created by observing it.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { createApprovalGuard } from './support/chat.mjs';
import { plain } from './support/assertions.mjs';
import { sdk7 } from './support/sdk.mjs';
import { explained } from './support/explained.mjs';

const folder = process.env.TAG_VECTORS ?? fileURLToPath(new URL('../vectors', import.meta.url));
const load = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'));

const EMPTY_STREAM = () => new ReadableStream({ start: (c) => c.close() });
const LEFTOVERS = ['output', 'errorText', 'preliminary', 'resultProviderMetadata'];

/** The messages with another part at this place. */
const withPart = (messages, place, part) =>
  messages.map((m, i) =>
    i !== place.message ? m : { ...m, parts: m.parts.map((p, j) => (j === place.part ? part : p)) },
  );

/** The place of a decision's call: by its approval id, otherwise the last part with its call id. */
function placeOf(decision, ...lists) {
  let byCall;
  for (const messages of lists) {
    for (const [message, m] of messages.entries()) {
      for (const [part, p] of (m.parts ?? []).entries()) {
        if (p.approval?.id === decision.approvalId) return { message, part };
        if (p.toolCallId === decision.toolCallId) byCall = { message, part };
      }
    }
  }
  return byCall;
}

/** Shows the guard, in order, what a person saw and decided. */
function bringIn(guard, { messages, expect, decisions = [] }) {
  const here = [];
  const elsewhere = [];
  for (const decision of decisions) {
    const place = placeOf(decision, expect.messages ?? [], messages);
    (place ? here : elsewhere).push({ decision, place });
  }
  // A decision whose call no longer exists was made on a message that is gone.
  for (const { decision } of elsewhere) {
    const part = (state, approval) => ({
      type: 'tool-elsewhere',
      toolCallId: decision.toolCallId,
      state,
      input: { n: 1 },
      approval: { id: decision.approvalId, ...approval },
    });
    const other = (p) => [{ id: 'gone', role: 'assistant', parts: [{ type: 'step-start' }, p] }];
    guard.observe(other(part('approval-requested')));
    guard.observe(other(part('approval-responded', { approved: decision.approved })));
  }
  const asking = (list, { decision, place }) => {
    const part = { ...messages[place.message].parts[place.part], state: 'approval-requested' };
    for (const field of LEFTOVERS) delete part[field];
    part.approval = { id: decision.approvalId, ...decision.approval };
    return withPart(list, place, part);
  };
  const answered = (list, { decision, place }) => {
    const part = list[place.message].parts[place.part];
    const { approved, reason } = decision;
    return withPart(list, place, {
      ...part,
      state: 'approval-responded',
      approval: { ...part.approval, approved, ...(reason !== undefined && { reason }) },
    });
  };
  if (here.length === 0) return;
  let list = here.reduce(asking, messages);
  guard.observe(list);
  for (const entry of here) {
    list = answered(list, entry);
    guard.observe(list);
  }
}

function make(options) {
  const errors = [];
  const guard = createApprovalGuard({ chatId: 'v', onError: (e) => errors.push(e), ...options });
  return { guard, errors };
}

describe('decide.json', () => {
  for (const vector of load('decide')) {
    test(`${vector.id} ${vector.title}`, () => {
      const { guard } = make();
      bringIn(guard, vector);
      const before = plain(vector.messages);
      assert.equal(explained(guard, vector.messages).send, vector.expect.send, vector.expect.why);
      assert.equal(
        guard.sendAutomaticallyWhen({ messages: vector.messages }),
        vector.expect.send,
        vector.expect.why,
      );
      assert.deepEqual(vector.messages, before, 'the messages are only read');
      guard.dispose();
    });

    if (vector.decisions === undefined) {
      test(`${vector.id} asked first, without explain()`, () => {
        const { guard } = make();
        assert.equal(
          guard.sendAutomaticallyWhen({ messages: vector.messages }),
          vector.expect.send,
          vector.expect.why,
        );
        guard.dispose();
      });
    }
  }
});

describe('normalize.json', () => {
  for (const vector of load('normalize')) {
    test(`${vector.id} ${vector.title}`, async () => {
      const { guard } = make({ whenUserSends: 'pass' });
      bringIn(guard, vector);
      const before = structuredClone(vector.messages);
      for (const round of ['the first request', 'every later one']) {
        let sent;
        const transport = guard.transport({
          sendMessages: async (options) => {
            sent = options.messages;
            return EMPTY_STREAM();
          },
          reconnectToStream: async () => null,
        });
        const stream = await transport.sendMessages({
          trigger: 'submit-message',
          chatId: 'v',
          messageId: undefined,
          messages: vector.messages,
          abortSignal: undefined,
        });
        const { messages } = vector.expect;
        assert.deepEqual(
          plain(sent).map(settledAsAnswered),
          (round === 'the first request' ? messages : closedIn(messages)).map(settledAsAnswered),
          round,
        );
        if (round === 'the first request') {
          assert.deepEqual(
            plain(sent),
            vector.expect.messages,
            'a denial that was not delivered is answered',
          );
        }
        checkIdentity(vector, sent);
        assert.deepEqual(vector.messages, before, 'the messages of the chat are not written to');
        if (vector.expectSchemaValid) await sdk7.ai.validateUIMessages({ messages: plain(sent) });
        for await (const _ of stream) assert.fail('the response is empty');
      }
      guard.dispose();
    });
  }
});

/**
 * What every later request without a message of a person carries: an allowance that was sent and has no result is closed,
 * because a server that finds it once more runs its call again (law 16).
 */
const closedIn = (messages) =>
  messages.map((message, i) =>
    i === messages.length - 1 && message.role === 'assistant'
      ? { ...message, parts: message.parts.map((p) => (isAllowed(p) ? { ...p, approval: CLOSED(p) } : p)) }
      : message,
  );
const isAllowed = ({ state, approval }) => state === 'approval-responded' && approval?.approved === true;
const CLOSED = ({ approval }) => ({
  ...approval,
  approved: false,
  reason:
    'Not a refusal by the user: the conversation went on before the result of this call came, so it is not known whether the call ran.',
});

/** After its response has ended, a denial may be sent as settled. */
const settledAsAnswered = (message) => ({
  ...message,
  parts: message.parts.map((p) =>
    p.state === 'output-denied' && p.approval?.approved === false ? { ...p, state: 'approval-responded' } : p,
  ),
});

/** Whatever did not have to change is the same object; an input always is. */
function checkIdentity({ messages, expect }, sent) {
  assert.equal(sent.length, messages.length);
  for (const [i, message] of messages.entries()) {
    for (const [j, part] of message.parts.entries()) {
      if (
        isDeepStrictEqual(part, expect.messages[i].parts[j]) &&
        isDeepStrictEqual(plain(sent[i].parts[j]), part)
      ) {
        assert.equal(sent[i].parts[j], part, `part ${i}.${j} is the same object`);
      }
      assert.equal(sent[i].parts[j].input, part.input, `the input of ${i}.${j} is the same object`);
    }
    if (message.parts.every((p, j) => sent[i].parts[j] === p)) {
      assert.equal(sent[i], message, `message ${i} is the same object`);
    }
  }
  if (messages.every((m, i) => sent[i] === m)) assert.equal(sent, messages, 'the list is the same array');
}
