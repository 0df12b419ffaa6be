// Does not compile if a public union differs from the vocabulary of the core. Nothing imports this file.
import type * as abi from '../generated/abi.js';
import type { BatchAction, CallStatus, Choice, Phase, RefusalReason } from '../prompt.js';
import type { Actor, LedgerEventType, Need, Outcome, SendReason, Verdict } from './events.js';
import type { KnownCall } from './record.js';
import type { Effect } from './rules.js';
import type { Ending } from '../claims/tools.js';
import type { ApprovalGuardOptions } from '../types.js';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Names<List extends readonly string[]> = List[number];

/** The reasons and refusals of the shell itself, for when there is no working core. */
type OfTheShell = 'unreadable' | 'loading' | 'unavailable' | 'disposed';
type RefusedByTheShell = 'unknown-id' | 'ambiguous-id' | 'changed' | 'unavailable';

export const agree: readonly [
  Same<CallStatus, Names<typeof abi.statusNames>>,
  Same<Choice, Names<typeof abi.choiceNames>>,
  Same<Phase, Names<typeof abi.phaseNames>>,
  Same<BatchAction, Names<typeof abi.actionNames>>,
  Same<Exclude<RefusalReason, RefusedByTheShell>, Exclude<Names<typeof abi.refusalNames>, RefusedByTheShell>>,
  Same<Actor, Names<typeof abi.actorNames>>,
  // Only a record has entries of this kind.
  Same<LedgerEventType | 'absorbed', Names<typeof abi.eventKindNames>>,
  Same<Need, Names<typeof abi.needNames>>,
  Same<Outcome, Names<typeof abi.outcomeNames>>,
  Same<Exclude<Verdict['reason'], OfTheShell>, Names<typeof abi.reasonNames>>,
  Same<SendReason, Names<typeof abi.sendingReasons>>,
  Same<KnownCall['reach'], Names<typeof abi.reachNames>>,
  Same<Effect, Names<typeof abi.effectNames>>,
  Same<Ending, abi.Ending>,
  Same<Pick<ApprovalGuardOptions, Names<typeof abi.policyNames>>, abi.PolicyOptions>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true];
