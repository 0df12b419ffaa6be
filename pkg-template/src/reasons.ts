import type { GuardErrorCode } from './error.js';
import type { RefusalReason } from './prompt.js';
import type { Verdict } from './types/events.js';

/** What a reason means, for developers. */
export const SENTENCES: Record<Verdict['reason'], string> = {
  answered:
    'Every call of the last step is settled, and an approval was answered that no request has carried.',
  output: 'Every call of the last step is settled, and the page wrote an output that no request has carried.',
  retry: 'retry() sends once more what a failed request carried.',
  resume: 'resume() sends what was answered before the page was loaded.',
  'no-assistant-message': 'The last message is not from the assistant.',
  'no-tool-call': 'The last step has no tool call, so there is nothing to continue.',
  waiting: 'A call of the last step is open.',
  'nothing-new': 'Nobody in this page has answered an approval or written an output in the last step.',
  'already-sent': 'What was answered or put out in the last step was sent. The response changed nothing.',
  'asked-twice': 'A yes was given in this turn of the event loop; a second one would send twice.',
  'answered-in-text':
    'Text of the model stands behind the output, and nothing shows that it was there before. For that the guard has to see the step open, by attach() or observe(), or the response, by its transport.',
  failed: 'The request that carried the answers failed. retry() sends them once more.',
  'in-doubt':
    'The request that carried the answers broke off; an allowed call may have run. retry() sends them once more.',
  history: 'The answers were there when the guard was attached. resume() sends them.',
  stopped: 'The user stopped the chat, and nobody has answered since. retry() sends what stands.',
  'all-denied': "Everything new is a denial, and whenAllDenied is 'hold'.",
  'not-in-send-on': 'The news is of a kind that the option sendOn leaves out.',
  limit:
    'maxAutomaticSends is reached: nobody has acted for too many automatic sends. A message or retry() goes on.',
  unreadable: 'The messages could not be read; see onError.',
  unavailable: 'The WebAssembly of the guard is not available; see onError.',
  disposed: 'dispose() was called.',
};

/** What a problem means, and what to do. */
export const PROBLEMS: Partial<Record<GuardErrorCode, string>> = {
  'output-over-open-approval':
    'The page wrote an output over a call that waits for an approval. That is no answer: the call asks again. Answer it with addToolApprovalResponse.',
  'output-of-denied-call':
    'The server sent an output of a call that was denied. The tool may have run: check the server.',
  'malformed-approval':
    'A tool part is approval-responded, but its approval has no id or an approved that is not true or false. It counts as open.',
  'wrong-chat':
    'This guard belongs to another chat, so the request was refused. Create one guard per chat, with its chatId.',
  waiting:
    "A call of the last step is open, so the request without a message was refused and nothing was changed. Answer the open calls (explain().waitingFor), write a message, or set whenUserSends: 'pass'.",
  'unknown-approval':
    'There is no open approval with this id. addToolApprovalResponse takes part.approval.id, not part.toolCallId.',
  'unwatched-request':
    'The predicate said yes, and no request came by the transport of the guard: what was sent was not repaired. Give the chat guard.transport(…).',
  'turn-failed':
    'The turn of this tab among the tabs of its chat could not be waited for, so that nothing was sent. retry() sends it.',
  'record-in-use':
    'A newer guard of this chat in this page has its record, so this one commits and sends nothing. Use the newer one.',
  'wasm-trapped': 'The guard failed and answers no from now on. Create a new guard; please report this.',
  'unreadable-messages':
    'The messages could not be read, so nothing is sent. Give the guard plain UI messages.',
  'invalid-input': 'The guard needs { messages } with an array of UI messages.',
  disposed: 'This guard was disposed of. Create a new one.',
};

/** Why a decision, an undo or a revocation was refused. */
export const REFUSALS: Record<RefusalReason, string> = {
  'unknown-id': 'No call in this chat has this approval id or call id.',
  'ambiguous-id': 'Several calls have this id. Give the approval id, or the call from the snapshot.',
  'not-asking': 'Nobody has to approve this call.',
  changed: 'The input of this call is not the one that was shown any more. Show it again.',
  'already-drafted': 'This call is decided already. undo() takes the decision back.',
  'already-answered': 'This call was answered already, and the first answer stands.',
  expired: 'Nobody answered this call in time, so it was denied.',
  superseded: 'The user moved on, so this call was closed.',
  gone: 'The message of this call was edited or regenerated away.',
  unreachable: 'This call is not in the last step of the last message, so an answer would not be sent.',
  'not-comparable':
    "The input of this call cannot be compared with another one, or does not have the fields. Only 'tool' can be covered.",
  'not-drafted': 'There is no decision that could be undone.',
  'no-deadline': 'This call does not expire.',
  'unknown-grant': 'There is no such grant, or it has ended.',
  unavailable: 'There is no working guard; see onError.',
};
