// Messages as an application stored them.
export const user = (id = 'u1', text = 'go') => ({ id, role: 'user', parts: [{ type: 'text', text }] });
export const assistant = (id, ...parts) => ({
  id,
  role: 'assistant',
  parts: [{ type: 'step-start' }, ...parts],
});
export const step = { type: 'step-start' };
export const said = (text = 'ok') => ({ type: 'text', text, state: 'done' });
export const call = (toolCallId, tool, state, more = {}) => ({
  type: `tool-${tool}`,
  toolCallId,
  state,
  input: {},
  ...more,
});
export const asking = (toolCallId, tool, approval = {}) =>
  call(toolCallId, tool, 'approval-requested', { approval: { id: `ap-${toolCallId}`, ...approval } });
export const answered = (toolCallId, tool, approved, approval = {}) =>
  call(toolCallId, tool, 'approval-responded', {
    approval: { id: `ap-${toolCallId}`, approved, ...approval },
  });

/** Every field that an approval has today, and one unknown field. */
export const everyField = {
  signature: 'c2lnbmF0dXJl',
  descriptor: { prompt: 'Pay?', options: [{ id: 'y' }] },
  requestReason: 'over the limit',
  isAutomatic: false,
  inputSchemaInput: { amount: '10' },
  future: { x: [1, { y: null }] },
};
