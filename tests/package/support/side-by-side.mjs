// The same chat twice: with the two stock predicates of the SDK, and with a guard.
import { scene } from './chat.mjs';
import { ScriptedTransport } from './scripted-transport.mjs';

const stockPredicates = (ai) => (question) =>
  ai.lastAssistantMessageIsCompleteWithApprovalResponses(question) ||
  ai.lastAssistantMessageIsCompleteWithToolCalls(question);

/** A chat around a transport: stock, or with a guard that it is attached to. */
export function chatOf(sdk, isGuarded, { inner = new ScriptedTransport([]), ...options }) {
  const stock = { transport: inner, sendAutomaticallyWhen: stockPredicates(sdk.ai) };
  return scene(sdk, {
    ...options,
    inner,
    ...(!isGuarded && { attach: false, chat: { ...options.chat, ...stock } }),
  });
}

/** The same around scripted responses. */
export const scripted = (sdk, isGuarded, script, options = {}) =>
  chatOf(sdk, isGuarded, { ...options, inner: new ScriptedTransport(script, options) });
