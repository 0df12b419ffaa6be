// The chats that are measured. Every part has the fields that the AI SDK gives it.

/** Fresh copies as `@ai-sdk/react` makes them of a message that it replaces: every part is spread. */
export const spread = (message) => ({ ...message, parts: message.parts.map((part) => ({ ...part })) });

/** Fresh copies in which nothing is the same object, as `ai@6` and a reload make them. */
export const deep = (message) => structuredClone(message);

const input = (call) => ({
  path: `notes/${call}.md`,
  content: 'A line of text.',
  options: { force: false, depth: 2 },
});
const approval = (call) => ({ id: `approval-${call}`, signature: `signature-of-${call}` });

export const asked = (call) => ({
  type: 'tool-write_file',
  toolCallId: call,
  state: 'approval-requested',
  input: input(call),
  approval: approval(call),
});
const answered = (call, approved) => {
  const reason = approved ? undefined : 'not now';
  return { ...asked(call), state: 'approval-responded', approval: { ...approval(call), approved, reason } };
};
export const allowed = (call) => answered(call, true);
export const denied = (call) => answered(call, false);

/** A denied part after a page wrote an output over it, as the AI SDK 7 stores it. */
export const overwritten = (call) => {
  const { approval: _, ...part } = denied(call);
  return {
    ...part,
    state: 'output-available',
    output: { success: false, denied: true },
    errorText: undefined,
  };
};

const done = (call) => ({
  type: 'tool-read_file',
  toolCallId: call,
  state: 'output-available',
  input: input(call),
  output: { text: 'A line of text.' },
});
export const user = (id) => ({ id, role: 'user', parts: [{ type: 'text', text: `What about ${id}?` }] });
export const assistant = (id, parts) => ({
  id,
  role: 'assistant',
  parts: [{ type: 'step-start' }, ...parts],
});
const says = (text) => [{ type: 'step-start' }, { type: 'text', text, state: 'done' }];

/** `length` messages, by turns of the user and of an assistant that called a tool and then spoke. */
export const history = (length) =>
  Array.from({ length }, (_, i) =>
    i % 2 === (length + 1) % 2
      ? user(`message-${i}`)
      : assistant(`message-${i}`, [done(`call-${i}`), ...says(`This is what was in file ${i}.`)]),
  );

/**
 * A chat whose last step has `calls` calls, all answered but the last.
 * `lists` are what the SDK asks about: a new array, the last message copied.
 */
export function waiting(messages, calls, copy, count) {
  const before = messages > 1 ? history(messages - 1) : [];
  const step = Array.from({ length: calls }, (_, i) => (i < calls - 1 ? allowed : asked)(`open-${i}`));
  const last = assistant('last', step);
  return { before, lists: Array.from({ length: count }, () => [...before, copy(last)]) };
}

/** One step before and after its last call is answered. */
export function answering(calls) {
  const before = history(9);
  const first = Array.from({ length: calls - 1 }, (_, i) => allowed(`open-${i}`));
  const open = [...before, assistant('last', [...first, asked('last-call')])];
  const settled = [...before, spread(assistant('last', [...first, allowed('last-call')]))];
  return { before, open, settled };
}

/** `length` messages, of which the last is the assistant's. */
export const finished = (length) => history(length + 1).slice(0, -1);

/** Every `every`th message carries a denial; for an odd number of messages it is an assistant's. */
const carriesDenial = (i, every) => i % every === every - 2;

/** A chat with denials, when they were decided and after they were overwritten. */
export function rejected(length, every) {
  const plain = finished(length - 1);
  const build = (part) =>
    plain.map((message, i) => {
      if (!carriesDenial(i, every)) return message;
      return assistant(`denied-message-${i}`, [
        part(`denied-${i}`),
        done(`call-${i}`),
        ...says('The other one ran.'),
      ]);
    });
  return { decided: build(denied), overwritten: build(overwritten) };
}
