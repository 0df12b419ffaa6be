// The face of decisions, grants, the snapshot and the words.
import {
  createApprovalGuard,
  type ApprovalGuard,
  type BatchView,
  type CallView,
  type Catalogue,
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
import { createWords } from 'tool-approval-guard/words';

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
    case 'counted':
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

const CHOICES: Record<Choice, MessageId> = {
  'allow-once': 'action.once',
  'allow-chat': 'action.chatTool',
  deny: 'action.deny',
  'deny-chat': 'action.denyChat',
};
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
// @ts-expect-error no such field
createApprovalGuard({ tools: { run: { risky: true } } });
// @ts-expect-error a view is not for writing
guard.getSnapshot().calls[0] = view;
