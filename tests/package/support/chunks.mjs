// The chunks of a UI message stream, and whole responses made of them.
export const start = (messageId) => ({ type: 'start', ...(messageId && { messageId }) });
export const startStep = { type: 'start-step' };
export const finishStep = { type: 'finish-step' };
export const finish = (finishReason) => ({ type: 'finish', ...(finishReason && { finishReason }) });
export const abort = { type: 'abort' };
export const error = (errorText = 'it broke') => ({ type: 'error', errorText });
export const data = (name = 'usage', value = { n: 1 }) => ({ type: `data-${name}`, data: value });

export const toolCall = (toolCallId, toolName, input = {}, more = {}) => ({
  type: 'tool-input-available',
  toolCallId,
  toolName,
  input,
  ...more,
});
export const cutToolCall = (toolCallId, toolName) => [
  { type: 'tool-input-start', toolCallId, toolName },
  { type: 'tool-input-delta', toolCallId, inputTextDelta: '{"p":1' },
];
export const approvalRequest = (toolCallId, approvalId = `ap-${toolCallId}`, more = {}) => ({
  type: 'tool-approval-request',
  toolCallId,
  approvalId,
  ...more,
});
export const approvalResponse = (approvalId, approved, more = {}) => ({
  type: 'tool-approval-response',
  approvalId,
  approved,
  ...more,
});
export const outputAvailable = (toolCallId, output = 'done', more = {}) => ({
  type: 'tool-output-available',
  toolCallId,
  output,
  ...more,
});
export const outputDenied = (toolCallId) => ({ type: 'tool-output-denied', toolCallId });

let texts = 0;
export const text = (value, { open = false } = {}) => {
  const id = `t${texts++}`;
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: value },
    ...(open ? [] : [{ type: 'text-end', id }]),
  ];
};

/** One whole response with one step. Lists among the chunks are flattened. */
export const response = (messageId, ...chunks) => [
  start(messageId),
  startStep,
  ...chunks.flat(Infinity),
  finishStep,
  finish(),
];
/** A call with the request for its approval. */
export const gated = (toolCallId, toolName, input = {}, more = {}) => [
  toolCall(toolCallId, toolName, input, more.call),
  approvalRequest(toolCallId, undefined, more.approval),
];
/** A continuation that runs or refuses calls, and then says something. */
export const continued = (settled, says = 'All done.') => [
  start(),
  ...settled.flat(Infinity),
  startStep,
  ...text(says),
  finishStep,
  finish(),
];
/** A response with nothing but text. */
export const says = (value = 'Fine.') => [start(), startStep, ...text(value), finishStep, finish()];
/** A call that the server refused by its own policy; `ai` 6 has no response chunk for it. */
export const policyDenied = (sdk, toolCallId, toolName) => [
  toolCall(toolCallId, toolName),
  approvalRequest(toolCallId, undefined, { isAutomatic: true }),
  ...(sdk.major >= 7 ? [approvalResponse(`ap-${toolCallId}`, false, { reason: 'policy' })] : []),
  outputDenied(toolCallId),
];
