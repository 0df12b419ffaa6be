// The catalogue: the English texts, and the texts that an application puts in their place.
import type { Reworded, Values } from './message.js';
import { REASONS } from './model-reasons.js';
import type { EDITOR } from './editor-texts.js';
import type { QUEUE } from './queue-texts.js';

/** The messages of prompts by id. The model reads those under `reason.`, a person reads the others. */
export const ENGLISH = {
  'prompt.title': ({ tool, server }: Values<'tool' | 'server'>) => `Allow ${tool} from ${server}?`,
  'prompt.titleNoServer': ({ tool }: Values<'tool'>) => `Allow ${tool}?`,
  'prompt.name': ({ tool, server }: Values<'tool' | 'server'>) => `${tool} from ${server}`,
  'prompt.nameNoServer': ({ tool }: Values<'tool'>) => tool,
  'prompt.quotes': '“”',
  'prompt.count': ({ index, total }: Values<'index' | 'total'>) => `${index} of ${total}`,
  'prompt.times': ({ n }: Values<'n'>) => n.plural({ one: `${n} time`, other: `${n} times` }),
  'prompt.warning':
    'Content that the assistant reads, such as a web page, a file or the output of a tool, can trick it into doing harm. Read each request before you allow it.',
  'prompt.warningAgain': 'Read each request before you allow it.',
  'prompt.summary': ({ waiting }: Values<'waiting'>) =>
    waiting.plural({ one: `${waiting} decision needed`, other: `${waiting} decisions needed` }),
  'prompt.change': ({ field, asked, runs }: Values<'field' | 'asked' | 'runs'>) =>
    `${field}: ${runs} (asked for: ${asked})`,
  'prompt.changeInput': ({ asked, runs }: Values<'asked' | 'runs'>) => `${runs} (asked for: ${asked})`,

  'action.deny': 'Deny',
  'action.once': 'Allow once',
  'action.edit': 'Change the input',
  'action.onceEdited': 'Allow with changes',
  'action.denyEqual': ({ n }: Values<'n'>) =>
    n.plural({ one: 'Deny this call', other: `Deny these ${n} calls` }),
  'action.allowEqual': ({ n }: Values<'n'>) =>
    n.plural({ one: 'Allow this call', other: `Allow these ${n} calls` }),
  'action.chatTool': ({ tool }: Values<'tool'>) => `Allow for this chat: every ${tool} call`,
  'action.chatInput': 'Allow for this chat: exactly this call',
  'action.chatFields': ({ tool, fields }: Values<'tool' | 'fields'>) =>
    `Allow for this chat: every ${tool} call with the same ${fields}`,
  'action.timed': ({ action, duration }: Values<'action' | 'duration'>) =>
    `${action}, for at most ${duration}`,
  'action.denyChat': "Deny, and don't ask again in this chat",
  'action.undo': 'Undo',
  'action.undoAll': 'Undo all',
  'action.send': ({ n }: Values<'n'>) =>
    `Send ${n.plural({ one: `${n} decision`, other: `${n} decisions` })}`,
  'action.extend': 'Keep waiting',
  'action.revoke': 'Stop allowing',
  'action.revokeDeny': 'Ask again',

  'done.once': 'Allowed once',
  'done.edited': 'Allowed with changes',
  'done.chat': 'Allowed in this chat',
  'done.denied': 'Denied',
  'done.deniedChat': 'Denied in this chat',
  'done.auto': ({ why }: Values<'why'>) => `Allowed automatically: ${why}`,
  'done.autoDenied': ({ why }: Values<'why'>) => `Denied automatically: ${why}`,
  'done.expired': 'Expired with no answer. It was not run.',
  'done.unattended': 'Not run: nobody was there to answer.',
  'done.superseded': 'Not run: you sent a new message.',
  'done.supersededInDoubt': 'You sent a new message. It is not known whether this ran.',
  'done.elsewhereAllowed': 'Allowed outside this page',
  'done.elsewhereDenied': 'Denied outside this page',
  'done.tabAllowed': 'Allowed in another tab',
  'done.tabDenied': 'Denied in another tab',
  'done.external': ({ source }: Values<'source'>) => `Allowed by ${source}`,
  'done.externalDenied': ({ source }: Values<'source'>) => `Denied by ${source}`,
  'done.rule': 'Allowed by a rule',
  'done.ruleWhy': ({ note }: Values<'note'>) => `Allowed by a rule: ${note}`,
  'done.ruleDenied': 'Denied by a rule. It was not run.',
  'done.ruleDeniedWhy': ({ note }: Values<'note'>) => `Denied by a rule: ${note}`,

  'scope.input': 'exactly this call, in this chat',
  'scope.inputTimed': ({ duration }: Values<'duration'>) =>
    `exactly this call, in this chat, for ${duration}`,
  'scope.tool': ({ tool }: Values<'tool'>) => `every ${tool} call, in this chat`,
  'scope.toolTimed': ({ tool, duration }: Values<'tool' | 'duration'>) =>
    `every ${tool} call, in this chat, for ${duration}`,
  'scope.fields': ({ tool, fields }: Values<'tool' | 'fields'>) =>
    `every ${tool} call with the same ${fields}, in this chat`,
  'scope.fieldsTimed': ({ tool, fields, duration }: Values<'tool' | 'fields' | 'duration'>) =>
    `every ${tool} call with the same ${fields}, in this chat, for ${duration}`,

  'why.unavailable': 'This tool is no longer available. The call can only be denied.',
  'why.mayHaveRun': 'This has run, or may have. If you allow it again, it may run twice.',
  'why.server': 'The server asks before it runs this tool.',
  'why.reason': ({ reason }: Values<'reason'>) => `The server says: ${reason}`,
  'why.rule': 'A rule requires your approval before this tool runs.',
  'why.ruleWhy': ({ note }: Values<'note'>) => `A rule requires your approval: ${note}`,
  'why.brokenRules': 'The rules of this page could not be read in full, so they do not allow this.',
  'why.unreadable': 'Its input cannot be read, so no rule can allow it.',
  'why.hint': 'Its server says that it may destroy something.',
  'why.grant': ({ scope }: Values<'scope'>) => `you allowed ${scope}`,
  'why.grantDeny': ({ scope }: Values<'scope'>) => `you denied ${scope}`,

  'grant.covers': ({ n }: Values<'n'>) =>
    `Also covers ${n.plural({ one: `${n} waiting call`, other: `${n} waiting calls` })}`,
  'warn.expiry': ({ time }: Values<'time'>) => `Expires in ${time}. Nothing runs if it expires.`,
  'loop.note': ({ n }: Values<'n'>) =>
    `Denied ${n.plural({ one: `${n} time`, other: `${n} times` })} in this chat. Stop the assistant?`,
  'error.late': 'This request is no longer open. Nothing was run.',
  'error.send': 'The request failed. The decisions are kept. Try again.',

  ...REASONS,
} as const;

/** The messages of prompts. */
export type PromptMessages = typeof ENGLISH;

/** All messages, with those of the queue and its editor, whose English comes with them. */
type AllMessages = Reworded<PromptMessages & typeof QUEUE & typeof EDITOR>;

/** The id of a message of a prompt. */
export type MessageId = keyof PromptMessages;

/** The id of a message of the queue. */
export type QueueMessageId = keyof (typeof QUEUE & typeof EDITOR);

/** Words in one language. Missing messages are shown in English. */
export interface Catalogue {
  /** A BCP 47 tag. */
  readonly locale: string;
  /** Texts, and functions that put values into a text: each may use those of its English message. */
  readonly messages: Partial<AllMessages>;
}

/** A catalogue with every message that a person reads. What only the model reads may stay English. */
export interface CompleteCatalogue extends Catalogue {
  /** All messages but those whose ids begin with `reason.`, which may be left out. */
  readonly messages: Omit<AllMessages, `reason.${string}`> & Partial<AllMessages>;
}
