// Two chats of one step: in one a call still asks, in the other both are answered, one with a no.
const call = (toolCallId, approved) => ({
  type: 'tool-delete_file',
  toolCallId,
  state: approved === undefined ? 'approval-requested' : 'approval-responded',
  input: { path: toolCallId },
  approval: { id: `approval-${toolCallId}`, ...(approved !== undefined && { approved }) },
});

const chat = (...calls) => [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'clean up' }] },
  { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, ...calls] },
];

export const asking = () => chat(call('a', false), call('b'));
export const answered = () => chat(call('a', false), call('b', true));
/** What shared tool components do: an output over the denied call. */
export const overwritten = () => {
  const messages = answered();
  Object.assign(messages[1].parts[1], {
    state: 'output-available',
    output: { success: false, denied: true },
  });
  return messages;
};
