// A real `Chat` with a guard, connected as in an application.
//
// With TAG_STOCK=1 the guard is left out and the stock predicates of the SDK decide: this run shows which of
// the tests can fail.
import { ScriptedTransport } from './scripted-transport.mjs';
import { explained } from './explained.mjs';

export const STOCK = process.env.TAG_STOCK === '1';

export const { createApprovalGuard, GuardError } = STOCK
  ? { createApprovalGuard: () => stockGuard, GuardError: class extends Error {} }
  : await import('tool-approval-guard/sync');

const nothing = async () => ({ type: 'nothing-to-send' });
const stockVerdict = { send: false, reason: 'stock', waitingFor: [], message: '' };
const stockSnapshot = { calls: [], verdict: stockVerdict };
const stockGuard = {
  transport: (inner) => inner,
  sendAutomaticallyWhen: () => false,
  attach: () => () => {},
  observe: () => {},
  explain: () => stockVerdict,
  getSnapshot: () => stockSnapshot,
  subscribe: () => () => {},
  retry: nothing,
  resume: nothing,
  ledger: () => [],
  dispose: () => {},
};

export const macrotask = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Waits until `done` holds for some macrotasks in a row. */
export async function until(done, { quiet = 4, limit = 2_000 } = {}) {
  for (let seen = 0, i = 0; seen < quiet; i += 1) {
    if (i > limit) throw new Error('it did not settle');
    await macrotask();
    seen = done() ? seen + 1 : 0;
  }
}

let chats = 0;

/**
 * @param sdk one of `./sdk.mjs`
 * @param options.script the responses, see `./scripted-transport.mjs`
 * @param options.messages the initial messages of the chat
 * @param options.guard options for the guard
 * @param options.chat options for the `Chat`
 * @param options.attach `false`: the guard is not attached to the chat
 * @param options.when makes the chat's predicate from the guard's
 */
export function scene(
  sdk,
  {
    script,
    messages = [],
    guard: guardOptions,
    chat: chatOptions,
    attach = true,
    when = (own) => own,
    replays,
    replaying,
    cap,
    inner,
  } = {},
) {
  const id = `chat-${chats++}`;
  const transport = inner ?? new ScriptedTransport(script, { replays, replaying, cap });
  const errors = [];
  const events = [];
  const guard = createApprovalGuard({
    chatId: id,
    onError: (e) => errors.push(e),
    onEvent: (e) => events.push(e),
    ...guardOptions,
  });
  const stock = (o) =>
    sdk.ai.lastAssistantMessageIsCompleteWithApprovalResponses(o) ||
    sdk.ai.lastAssistantMessageIsCompleteWithToolCalls(o);
  let nextId = 0;
  const chat = new sdk.Chat({
    id,
    messages,
    generateId: () => `g${nextId++}`,
    transport: guard.transport(transport),
    sendAutomaticallyWhen: when(STOCK ? stock : guard.sendAutomaticallyWhen),
    onError: () => {},
    ...chatOptions,
  });
  const detach = attach ? guard.attach(chat) : () => {};

  const settle = () => until(() => (chat.status === 'ready' || chat.status === 'error') && !transport.busy);
  const then = async (act) => {
    await act;
    await settle();
  };

  return {
    sdk,
    id,
    chat,
    guard,
    transport,
    errors,
    events,
    detach,
    settle,
    get requests() {
      return transport.requests;
    },
    get count() {
      return transport.requests.length;
    },
    get last() {
      return transport.requests.at(-1);
    },
    codes: () => errors.map((e) => e.code),
    // Acts, with and without waiting for what follows.
    send: (text = 'go') => chat.sendMessage({ text }),
    answer: (callId, approved, reason) =>
      chat.addToolApprovalResponse({ id: `ap-${callId}`, approved, reason }),
    put: (toolCallId, output = 'shown', tool = 'ui') => chat.addToolOutput({ tool, toolCallId, output }),
    putError: (toolCallId, errorText = 'no', tool = 'ui') =>
      chat.addToolOutput({ tool, toolCallId, state: 'output-error', errorText }),
    say: (text = 'go') => then(chat.sendMessage({ text })),
    approve: (callId, reason) =>
      then(chat.addToolApprovalResponse({ id: `ap-${callId}`, approved: true, reason })),
    deny: (callId, reason) =>
      then(chat.addToolApprovalResponse({ id: `ap-${callId}`, approved: false, reason })),
    output: (toolCallId, output = 'shown', tool = 'ui') =>
      then(chat.addToolOutput({ tool, toolCallId, output })),
    outputError: (toolCallId, errorText = 'no', tool = 'ui') =>
      then(chat.addToolOutput({ tool, toolCallId, state: 'output-error', errorText })),
    // The parts and requests by place.
    home: (toolCallId) => parts(chat.messages, toolCallId).at(-1),
    wire: (toolCallId, request = transport.requests.at(-1)) => parts(request.messages, toolCallId).at(-1),
    call: (toolCallId) =>
      guard
        .getSnapshot()
        .calls.filter((c) => c.toolCallId === toolCallId)
        .at(-1),
    verdict: () => explained(guard, chat.messages),
  };
}

/** All parts with this call id, oldest first. */
export const parts = (messages, toolCallId) =>
  messages.flatMap((m) => m.parts).filter((p) => p.toolCallId === toolCallId);
