// The catalogue: the English texts, and the texts that an application puts in their place.
import { REASONS } from './model-reasons.js';

/** All messages by id. The model reads those under `reason.`, a person reads the others. */
export const ENGLISH = {
  'prompt.title': 'Allow {tool} from {server}?',
  'prompt.titleNoServer': 'Allow {tool}?',
  'prompt.name': '{tool} from {server}',
  'prompt.nameNoServer': '{tool}',
  'prompt.quotes': '“”',
  'prompt.count': '{index} of {total}',
  'prompt.times': '{n, plural, one {# time} other {# times}}',
  'prompt.warning':
    'Content that the assistant reads, such as a web page, a file or the output of a tool, can trick it into doing harm. Read each request before you allow it.',
  'prompt.warningAgain': 'Read each request before you allow it.',
  'prompt.summary': '{waiting, plural, one {# decision needed} other {# decisions needed}}',

  'action.deny': 'Deny',
  'action.once': 'Allow once',
  'action.denyEqual': '{n, plural, one {Deny this call} other {Deny these # calls}}',
  'action.allowEqual': '{n, plural, one {Allow this call} other {Allow these # calls}}',
  'action.chatTool': 'Allow for this chat: every {tool} call',
  'action.chatInput': 'Allow for this chat: exactly this call',
  'action.chatFields': 'Allow for this chat: every {tool} call with the same {fields}',
  'action.timed': '{action}, for at most {duration}',
  'action.denyChat': "Deny, and don't ask again in this chat",
  'action.undo': 'Undo',
  'action.undoAll': 'Undo all',
  'action.send': 'Send {n, plural, one {# decision} other {# decisions}}',
  'action.extend': 'Keep waiting',
  'action.revoke': 'Stop allowing',
  'action.revokeDeny': 'Ask again',

  'done.once': 'Allowed once',
  'done.chat': 'Allowed in this chat',
  'done.denied': 'Denied',
  'done.deniedChat': 'Denied in this chat',
  'done.auto': 'Allowed automatically: {why}',
  'done.autoDenied': 'Denied automatically: {why}',
  'done.expired': 'Expired with no answer. It was not run.',
  'done.unattended': 'Not run: nobody was there to answer.',
  'done.superseded': 'Not run: you sent a new message.',
  'done.supersededInDoubt': 'You sent a new message. It is not known whether this ran.',
  'done.elsewhereAllowed': 'Allowed outside this page',
  'done.elsewhereDenied': 'Denied outside this page',
  'done.tabAllowed': 'Allowed in another tab',
  'done.tabDenied': 'Denied in another tab',
  'done.external': 'Allowed by {source}',
  'done.externalDenied': 'Denied by {source}',
  'done.rule': 'Allowed by a rule',
  'done.ruleWhy': 'Allowed by a rule: {note}',
  'done.ruleDenied': 'Denied by a rule. It was not run.',
  'done.ruleDeniedWhy': 'Denied by a rule: {note}',

  'scope.input': 'exactly this call, in this chat',
  'scope.inputTimed': 'exactly this call, in this chat, for {duration}',
  'scope.tool': 'every {tool} call, in this chat',
  'scope.toolTimed': 'every {tool} call, in this chat, for {duration}',
  'scope.fields': 'every {tool} call with the same {fields}, in this chat',
  'scope.fieldsTimed': 'every {tool} call with the same {fields}, in this chat, for {duration}',

  'why.unavailable': 'This tool is no longer available. The call can only be denied.',
  'why.mayHaveRun': 'This has run, or may have. If you allow it again, it may run twice.',
  'why.server': 'The server asks before it runs this tool.',
  'why.reason': 'The server says: {reason}',
  'why.rule': 'A rule requires your approval before this tool runs.',
  'why.ruleWhy': 'A rule requires your approval: {note}',
  'why.brokenRules': 'The rules of this page could not be read in full, so they do not allow this.',
  'why.unreadable': 'Its input cannot be read, so no rule can allow it.',
  'why.hint': 'Its server says that it may destroy something.',
  'why.grant': 'you allowed {scope}',
  'why.grantDeny': 'you denied {scope}',

  'grant.covers': 'Also covers {n, plural, one {# waiting call} other {# waiting calls}}',
  'warn.expiry': 'Expires in {time}. Nothing runs if it expires.',
  'loop.note': 'Denied {n, plural, one {# time} other {# times}} in this chat. Stop the assistant?',
  'error.late': 'This request is no longer open. Nothing was run.',
  'error.send': 'The request failed. The decisions are kept. Try again.',

  ...REASONS,
} as const;

/** The id of a message. */
export type MessageId = keyof typeof ENGLISH;

/** The id of a message of the queue. The element contains its English text. */
export type QueueId = `queue.${string}`;

/** The values of a message's placeholders. */
export type MessageValues = Readonly<Record<string, string | number>>;

/** Words in one language. Missing messages are shown in English. */
export interface Catalogue {
  /** A BCP 47 tag. */
  locale: string;
  /**
   * Texts in the syntax of ICU MessageFormat: `{name}`, and for numbers `{name, plural, =0 {…} one {…} other
   * {…#…}}`. Each text can use the placeholders of its English text. The placeholders of messages whose ids
   * begin with `queue.` are not checked here: if such a text uses an unknown one, the English text is shown.
   */
  messages: Readonly<Partial<Record<MessageId | QueueId, string>>>;
}
