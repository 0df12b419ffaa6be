// The sentences for developers: about the reasons of a verdict, about problems and about refusals.
import { INVALID_INPUT, UNLOADED } from './loading/sentences.js';
import type { GuardErrorCode } from './error.js';
import type { RefusalReason } from './prompt.js';
import type { Verdict } from './types/events.js';

/** The meaning of each reason, for developers. */
export const SENTENCES: Record<Verdict['reason'], string> = {
  answered: 'Every call of the last step is settled, and a new answer to an approval has not been sent yet.',
  output: 'Every call of the last step is settled, and a new output of the page has not been sent yet.',
  retry: 'retry() sends the content of a failed request again.',
  resume: 'resume() sends answers that were given before the page was loaded.',
  'no-assistant-message': 'The last message is not from the assistant.',
  'no-tool-call': 'The last step has no tool call, so there is nothing to continue.',
  waiting: 'A call of the last step is open.',
  'nothing-new': 'Nobody in this page has answered an approval or written an output in the last step.',
  'already-sent': 'The answers and outputs of the last step were already sent. The response changed nothing.',
  'asked-twice':
    'The predicate already returned true in this tick of the event loop; a second time would send twice.',
  'answered-in-text':
    'Text of the model follows the output, and may be its answer to it. To know that the text was there before, the guard must see the step while it is open (attach() or observe()), or the response (its transport).',
  failed:
    'The request that carried the answers or outputs failed, or the response broke off before they were sent. retry() sends them.',
  'in-doubt':
    'An allowed call may have run: its request broke off, or its response ended without its result. retry() sends it again.',
  history: 'The answers were there when the guard was attached. resume() sends them.',
  stopped:
    'The user stopped the chat, and nobody has answered since. retry() sends the answers that still stand.',
  'all-denied': "Everything new is a denial, and whenAllDenied is 'hold'.",
  'not-in-send-on': 'The only new answers or outputs are of a kind that the option sendOn excludes.',
  limit:
    'maxAutomaticSends is reached: there were too many automatic sends since a person acted. Continue with a message or retry().',
  unreadable: 'The messages could not be read; see onError.',
  ...UNLOADED,
};

/** The meaning of each problem, and what to do. */
export const PROBLEMS: Partial<Record<GuardErrorCode, string>> = {
  'output-over-open-approval':
    'The page wrote an output over a call that waits for approval. That is not an answer, so the call asks again. Answer it with addToolApprovalResponse.',
  'output-of-denied-call':
    'The server sent an output for a call that was denied. The tool may have run: check the server.',
  'malformed-approval':
    'The approval of a tool part has no id, or its approved is neither true nor false. An answered call counts as open. An output leaves as it came, and a server that validates refuses it.',
  'misplaced-output':
    'addToolOutput has written into an older call with the same call id, and the newer call still waits. Give each call its own id.',
  'wrong-chat':
    'This guard belongs to another chat, so the request was refused. Create one guard for each chat, with its chatId.',
  'unknown-approval':
    'There is no open approval with this id. Pass part.approval.id to addToolApprovalResponse, not part.toolCallId.',
  'unwatched-request':
    "The predicate returned true, but no request went through the guard's transport, so what was sent was not repaired. Create the chat with guard.transport(…).",
  'not-in-request':
    'The server does not get something new: a message of the user or an answer is not in the body of the request, or the server has gone on with an older message. In prepareSendMessagesRequest send guard.unsent(messages), and on the server take it with mergeAnswers(stored, sent) of tool-approval-guard/server.',
  'wasm-trapped':
    'The guard failed, and never sends from now on. Create a new guard, and please report this.',
  'unreadable-messages':
    'The messages could not be read, so nothing is sent. Pass plain UI messages to the guard.',
  'invalid-input': INVALID_INPUT,
  disposed: 'This guard was disposed of. Create a new one.',
};

/** The sentences about a refused decision, undo or revocation. */
export const REFUSALS: Record<RefusalReason, string> = {
  'unknown-id': 'No call in this chat has this approval id or call id.',
  'ambiguous-id': 'Several calls have this id. Pass the approval id, or the call from the snapshot.',
  'not-asking': 'This call needs no approval.',
  changed: 'The input of this call is no longer the one that was shown. Show it again.',
  'already-drafted':
    'This call was already decided. If a person or a grant decided it, undo() takes the decision back.',
  'already-answered': 'This call was already answered, and the first answer stands.',
  expired: 'Nobody answered this call in time, so it was denied.',
  superseded: 'The user moved on, so this call was closed.',
  gone: 'This call is not there any more: its message was edited or regenerated away, or the server asks with a new approval.',
  unreachable:
    'An answer would not be sent: this call is not in the last step of the last message, or its approval has no id.',
  'not-comparable':
    "The input of this call cannot be compared with others, or lacks the fields. Use covers: 'tool'.",
  'tool-unavailable':
    'The server no longer has this tool (unavailableTools), so its calls can only be denied.',
  'not-drafted': 'There is no decision to undo.',
  'no-deadline': 'This call does not expire.',
  'not-editable':
    'The input of this call, or one of the fields that differ, may not be changed: name the tool, or the field, in tools.<name>.editable.',
  signed:
    'The server has bound this approval to its input, by a signature or by its schema, and would run no other one. Deny the call with a reason, or let the server sign it again (signsAgain).',
  'invalid-input': 'The changed input has problems: see problems.',
  'denied-by-rule': 'The rules deny the call with this input.',
  'unknown-grant': 'There is no such grant, or it has ended.',
  unavailable: 'There is no working guard; see onError.',
};
