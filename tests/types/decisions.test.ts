// The face of decisions, grants, the snapshot and the words.
import {
  createApprovalGuard,
  type ApprovalGuard,
  type BatchView,
  type CallView,
  type Catalogue,
  type CompleteCatalogue,
  type Choice,
  type CommitResult,
  type Covers,
  type DecideResult,
  type ExtendResult,
  type GrantView,
  type MessageId,
  type Outcome,
  type Phase,
  type Refusal,
  type RefusalReason,
  type RevokeResult,
  type ToolInfo,
  type UndoResult,
} from 'tool-approval-guard';
import { ar } from 'tool-approval-guard/locales/ar';
import { de } from 'tool-approval-guard/locales/de';
import { createWords, type Values } from 'tool-approval-guard/words';

import type { Anys, Equal, Expect } from './assert.js';

export type NoAny = [
  Expect<Equal<Anys<BatchView>, never>>,
  Expect<Equal<Anys<CallView>, never>>,
  Expect<Equal<Anys<GrantView>, never>>,
  Expect<Equal<Anys<ToolInfo>, never>>,
  Expect<Equal<Anys<Catalogue>, never>>,
];
export type Input = Expect<Equal<CallView['input'], unknown>>;

const guard: ApprovalGuard = createApprovalGuard({
  chatId: 'c',
  tools: {
    delete_file: { title: 'Delete a file', server: 'Files', dangerous: true, covers: ['path'] },
    run: { dangerous: (input) => typeof input === 'string', covers: 'input' },
    search: { covers: 'tool' },
  },
  undoMs: Infinity,
  undoMsWhenDangerous: 10_000,
  expiresMs: ({ toolName, input }) => (toolName === 'run' && input !== undefined ? 60_000 : undefined),
  warnMs: 30_000,
  attended: true,
  locale: de,
});
createApprovalGuard({ expiresMs: 60_000, locale: ar });
createApprovalGuard({ locale: { locale: 'en', messages: { 'action.deny': 'No' } } });

// A call is named by an id, or by the view that the person saw.
declare const view: CallView;
export const results: DecideResult[] = [
  guard.decide('ap-1', 'allow-once'),
  guard.decide(view, 'deny', { reason: 'not that file' }),
  guard.decide(view, 'allow-chat', { covers: ['path'] as const, forMs: 600_000 }),
  ...guard.decideAll(['ap-1', view], 'deny', { reason: 'none of them' }),
];
export const covered: readonly string[] = guard.covered(view, 'tool');

// Equal calls have one group, and are decided and undone together.
declare const calls: readonly CallView[];
const group: readonly CallView[] = calls.filter((call) => call.group === view.key);
export const together: readonly DecideResult[] = guard.decideAll(group, 'allow-once');
export const byProgram = guard.decideAll(group, 'deny', { source: 'policy-engine' });
export const undone: UndoResult[] = [guard.undo(group), guard.undo(view), guard.undo(['ap-1', view])];
// @ts-expect-error A list has ids or calls.
export const wrong = () => guard.undo([1]);

// Each result is told apart by its type, and these are all of them.
export function show(result: DecideResult | UndoResult | CommitResult | ExtendResult | RevokeResult): string {
  switch (result.type) {
    case 'drafted':
    case 'committed':
    case 'undone':
    case 'revoked':
    case 'late-denial':
    case 'extended':
    case 'responding':
    case 'not-attached':
    case 'committing':
    case 'nothing-to-commit':
      return result.type;
    case 'waiting':
      return result.waitingFor.map(({ toolName }) => toolName).join();
    case 'refused':
      return result.message;
    default:
      return result satisfies never;
  }
}

export function explain(refusal: Refusal): RefusalReason {
  return refusal.reason;
}

const CHOICES = {
  'allow-once': 'action.once',
  'allow-chat': 'action.chatInput',
  deny: 'action.deny',
  'deny-chat': 'action.denyChat',
} as const satisfies Record<Choice, MessageId>;
export const label: string = createWords(guard.locale).text(CHOICES.deny);
export const covers: Covers = guard.grants()[0]?.covers ?? 'input';
export const phase: Phase = guard.getSnapshot().batch.phase;
export const outcome: Outcome | undefined = view.outcome;

// The members are bound and can be passed on their own.
const { undo, undoAll, commit, extend, revoke, revokeAll, grants } = guard;
const { call: wordsOf, batch: batchWords, grant: scopeOf, text } = createWords(de);
export const bound = [undo, undoAll, commit, extend, revoke, revokeAll, grants];
export const words = [wordsOf, batchWords, scopeOf, text];

// @ts-expect-error no such choice
guard.decide(view, 'allow-always');
// @ts-expect-error many calls at once give no grant
guard.decideAll([view], 'allow-chat');
// @ts-expect-error a number names no call
guard.decide(1, 'deny');
// @ts-expect-error no such word
guard.decide(view, 'allow-chat', { covers: 'everything' });
// @ts-expect-error no such message
createWords().text('action.maybe');
// @ts-expect-error no such message
createApprovalGuard({ locale: { locale: 'en', messages: { 'action.maybe': 'Maybe' } } });

// A catalogue replaces single messages: texts, and functions of what the English message speaks of.
export const some: Catalogue = {
  locale: 'en',
  messages: {
    'prompt.title': ({ tool, server }) => `Run ${tool} of ${server}?`,
    'prompt.summary': ({ waiting }) => waiting.plural({ one: 'one', other: `${waiting} of them` }),
    'queue.uses': ({ n }) => (n.value === 0 ? 'never' : `${n} times`),
    'queue.sent': 'Gone',
  },
};
// @ts-expect-error a misspelled message of the queue
export const misspelled: Catalogue = { locale: 'en', messages: { 'queue.sentt': 'Gone' } };
export const unknown: Catalogue = {
  locale: 'en',
  // @ts-expect-error no such value
  messages: { 'prompt.title': ({ tol }) => tol },
};
export const plural: Catalogue = {
  locale: 'en',
  // @ts-expect-error a plural needs the form that every number has
  messages: { 'action.send': ({ n }) => n.plural({ one: '1' }) },
};
// @ts-expect-error a message is a text
export const none: Catalogue = { locale: 'en', messages: { 'action.undo': 7 } };

// A complete one lacks nothing that a person reads.
export const complete: CompleteCatalogue = {
  locale: 'de-AT',
  messages: { ...de.messages, 'action.undo': 'Zurück' },
};
const { 'action.undo': left, ...others } = de.messages;
export const leftOut = left;
// @ts-expect-error a message is missing
export const missing: CompleteCatalogue = { locale: 'de-AT', messages: others };

// What a message speaks of is passed with its id.
const said = createWords(some);
export const sentences: string[] = [
  said.text('action.undo'),
  said.text('prompt.title', { tool: 'rm', server: 'Files' }),
  said.text('action.timed', { action: 'Allow', duration: 60_000 }),
  said.text('warn.expiry', { time: '1 minute' }),
];
// @ts-expect-error a value is missing
said.text('prompt.title', { tool: 'rm' });
// @ts-expect-error no values
said.text('prompt.title');
// @ts-expect-error a number is no text
said.text('prompt.titleNoServer', { tool: 7 });
// @ts-expect-error a text is no number
said.text('action.send', { n: '2' });
// @ts-expect-error no such value
said.text('prompt.titleNoServer', { tool: 'rm', server: 'Files' });
// @ts-expect-error only an element brings the texts of the queue
said.text('queue.sent');

// Messages of an application's own.
const own = createWords(de, {
  'app.hello': ({ name }: Values<'name'>) => `Hello, ${name}`,
  'app.files': ({ n }: Values<'n'>) => n.plural({ one: '1 file', other: `${n} files` }),
});
export const hello: string[] = [
  own.text('app.hello', { name: 'Ada' }),
  own.text('app.files', { n: 2 }),
  own.text('action.undo'),
];
// @ts-expect-error no such message
own.text('app.helo', { name: 'Ada' });
// @ts-expect-error a value is missing
own.text('app.hello', {});
// @ts-expect-error no such field
createApprovalGuard({ tools: { run: { risky: true } } });
// @ts-expect-error a view is not for writing
guard.getSnapshot().calls[0] = view;
