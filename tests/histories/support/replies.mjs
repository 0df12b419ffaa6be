// What the server says: a reply of a history becomes the chunks of a response.

/** The tools of the chat, by what happens to their calls. */
export const TOOLS = {
  note: { asks: true, runs: true },
  copy: { asks: true, runs: true },
  mcp: { asks: true, runs: true, dynamic: true },
  read: { runs: true },
  pick: { page: true },
  sign: { asks: true, page: true },
  search: { provider: true },
  order: { asks: true, provider: true },
};
const namesOf = (has) => Object.keys(TOOLS).filter((name) => has(TOOLS[name]));
export const PAGE_TOOLS = namesOf(({ page }) => page);
export const SERVER_TOOLS = new Set(namesOf(({ runs }) => runs));

const start = (messageId) => ({ type: 'start', ...(messageId !== undefined && { messageId }) });
const startStep = { type: 'start-step' };
const finishStep = { type: 'finish-step' };
const finish = { type: 'finish' };
const textOf = (id, delta) => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta },
  { type: 'text-end', id },
];

/**
 * @param reply what a history says about this response, see `history.mjs`
 * @param judged the calls that the list of the request answers
 * @param truth where calls and questions get their names
 * @returns the chunks, and the calls that run now
 */
export function chunksOf({ sdk, reply, number, wire, judged, truth }) {
  const { form = 'step', settles = 'all', says = '', id = 'same' } = reply;
  if (form !== 'step') return { chunks: formOf(form, number), ran: [] };
  const last = wire.at(-1);
  const isContinued = last?.role === 'assistant';
  const named = id === 'none' ? undefined : isContinued ? last.id : `m${number}`;
  const { chunks: settled, ran } = settle(sdk, judged, settles, reply, truth);
  // A server that waits for an answer says nothing more.
  const asksAgain = ['again', 'repeated'].includes(settles) && judged.ran.length > 0;
  const calls = (asksAgain ? [] : (reply.calls ?? [])).map((call, i) => truth.call(sdk, call, i, number));
  const isOpen = asksAgain || calls.some(({ tool }) => TOOLS[tool].asks || TOOLS[tool].page);
  const step = [
    ...(says === 'before' ? textOf(`t${number}`, 'Let me see.') : []),
    ...(says === 'blank' ? textOf(`t${number}`, ' \n') : []),
    ...calls.flatMap((call) => inputOf(call)),
    ...calls.flatMap((call) => questionOf(sdk, call)),
    ...calls.flatMap((call) => outputOf(call, truth)),
    ...(says === 'after' ? textOf(`t${number}`, 'So.') : []),
  ].slice(0, asksAgain ? 0 : Infinity);
  const ends = says === 'end' && !isOpen ? [startStep, ...textOf(`e${number}`, 'Done.'), finishStep] : [];
  const steps = [...(step.length > 0 ? [startStep, ...step, finishStep] : []), ...ends];
  const chunks = [start(named), ...settled, ...steps, finish];
  return { chunks: reply.ends === 'break' ? chunks.slice(0, reply.keeps ?? 1) : chunks, ran };
}

/** Responses that are no step. */
function formOf(form, number) {
  if (form === 'empty') return [];
  if (form === 'data') return [start(), { type: 'data-usage', data: number }, finish];
  if (form === 'copy') return [start(`copy${number}`), finish];
  if (form === 'abort') return [start(), { type: 'abort' }];
  if (form === 'error') return [start(), { type: 'error', errorText: 'it broke' }];
  return [start(), ...textOf(`b${number}`, 'So.'), finish];
}

/**
 * What becomes of the calls that were answered: all are handled, or only the first, or none. Or the first one is asked
 * about again, with the same approval id or another one. Or all run, and the response does not say so.
 */
function settle(sdk, { ran, denied }, settles, { preliminary = false }, truth) {
  if (settles === 'none') return { chunks: [], ran: [] };
  const asksAgain = ['again', 'repeated'].includes(settles);
  const handled = settles === 'first' ? ran.slice(0, 1) : asksAgain ? ran.slice(1) : ran;
  const again = asksAgain ? ran.slice(0, 1) : [];
  if (settles === 'unsaid' && handled.length > 0) truth.saw('a run is not told');
  if (settles === 'unsaid') for (const { call, approvalId } of handled) truth.run(approvalId, call);
  const chunks = [
    ...denied.map(({ call }) => ({ type: 'tool-output-denied', toolCallId: call.toolCallId })),
    ...again.map(({ call, approvalId }) => ({
      type: 'tool-approval-request',
      toolCallId: call.toolCallId,
      ...(settles === 'repeated'
        ? truth.repeat(approvalId)
        : {
            approvalId: truth.askAgain(approvalId, call.input),
            ...(sdk.major >= 7 && { reason: 'not accepted' }),
          }),
    })),
    ...(settles === 'unsaid' ? [] : handled).flatMap(({ call, approvalId }) => {
      const run = truth.run(approvalId, call);
      const done = { type: 'tool-output-available', toolCallId: call.toolCallId, output: run.output };
      return preliminary ? [{ ...done, output: { part: run.output }, preliminary: true }, done] : [done];
    }),
  ];
  return { chunks, ran: handled };
}

/** The chunks of a call's input. */
function inputOf({ callId, tool, input, streams }) {
  const { provider, dynamic } = TOOLS[tool];
  const more = { ...(provider && { providerExecuted: true }), ...(dynamic && { dynamic: true }) };
  const named = { toolCallId: callId, toolName: tool, ...more };
  return [
    ...(streams
      ? [
          { type: 'tool-input-start', ...named },
          { type: 'tool-input-delta', toolCallId: callId, inputTextDelta: '{"' },
        ]
      : []),
    { type: 'tool-input-available', ...named, input },
  ];
}

/** The chunk that asks about a call. */
function questionOf(sdk, { callId, question }) {
  if (question === undefined) return [];
  const { approvalId, fields } = question;
  return [
    {
      type: 'tool-approval-request',
      toolCallId: callId,
      approvalId,
      ...(fields.signature !== undefined && { signature: fields.signature }),
      ...(fields.requestReason !== undefined && { reason: fields.requestReason }),
    },
  ];
}

/** The chunk with the output of a tool that does not ask. */
function outputOf(call, truth) {
  const { tool, callId, elsewhere, question } = call;
  if (elsewhere) {
    // Somebody has answered on another device.
    const { approvalId } = question;
    const { output } = truth.run(approvalId, { toolName: tool, toolCallId: callId, input: call.input });
    return [
      { type: 'tool-approval-response', approvalId, approved: true },
      { type: 'tool-output-available', toolCallId: callId, output },
    ];
  }
  if (TOOLS[tool].asks || TOOLS[tool].page || (TOOLS[tool].provider && !call.answers)) return [];
  const { output } = truth.run(undefined, { toolName: tool, toolCallId: callId, input: call.input });
  return [
    {
      type: 'tool-output-available',
      toolCallId: callId,
      output,
      ...(TOOLS[tool].provider && { providerExecuted: true }),
    },
  ];
}
