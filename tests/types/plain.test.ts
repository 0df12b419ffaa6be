// The face for plain `UIMessage`s.
import type { ChatTransport, UIMessage } from 'ai';
import {
  createApprovalGuard,
  GuardError,
  type ApprovalGuard,
  type ApprovalGuardOptions,
  type CallView,
  type GuardErrorCode,
  type HoldReason,
  type LedgerEntry,
  type SendReason,
  type SendResult,
  type Snapshot,
  type Verdict,
  type WaitingCall,
} from 'tool-approval-guard';

import type { Anys, Equal, Expect, IsAny } from './assert.js';

const guard = createApprovalGuard();

export type Tests = [
  Expect<Equal<typeof guard, ApprovalGuard<UIMessage>>>,
  Expect<Equal<ApprovalGuard, ApprovalGuard<UIMessage>>>,
  Expect<Equal<ReturnType<typeof guard.explain>, Verdict>>,
  Expect<Equal<ReturnType<typeof guard.getSnapshot>, Snapshot>>,
  Expect<Equal<ReturnType<typeof guard.ledger>, readonly LedgerEntry[]>>,
  Expect<Equal<ReturnType<typeof guard.retry>, Promise<SendResult>>>,
  Expect<Equal<ReturnType<typeof guard.resume>, Promise<SendResult>>>,
  Expect<Equal<GuardError['code'], GuardErrorCode>>,
];

export type NoAny = [
  Expect<Equal<IsAny<typeof createApprovalGuard>, false>>,
  Expect<Equal<Anys<ApprovalGuard>, never>>,
  Expect<Equal<Anys<ApprovalGuardOptions>, never>>,
  Expect<Equal<Anys<CallView>, never>>,
  Expect<Equal<Anys<LedgerEntry>, never>>,
  Expect<Equal<Anys<Snapshot>, never>>,
  Expect<Equal<Anys<Verdict>, never>>,
  Expect<Equal<Anys<WaitingCall>, never>>,
  Expect<Equal<Anys<GuardError>, never>>,
];

// The members are bound and can be passed on their own.
const { sendAutomaticallyWhen, subscribe, getSnapshot, transport } = guard;
export const may: boolean = sendAutomaticallyWhen({ messages: [] });
export const leave: () => void = subscribe(() => {});
export const snapshot: Snapshot = getSnapshot();

// The transport stays what it was.
interface MyTransport extends ChatTransport<UIMessage> {
  region: string;
}
declare const mine: MyTransport;
export const wrapped: MyTransport = transport(mine);

// A verdict is told apart by `send`.
export function tell(verdict: Verdict): SendReason | HoldReason {
  if (verdict.send) {
    const reason: SendReason = verdict.reason;
    return reason;
  }
  const reason: HoldReason = verdict.reason;
  // @ts-expect-error a reason to hold is no reason to send
  const wrong: SendReason = verdict.reason;
  return wrong ?? reason;
}

// A result is told apart by `type`, and these are all of them.
export function show(result: SendResult): string {
  switch (result.type) {
    case 'sent':
    case 'not-sent':
    case 'nothing-to-send':
    case 'not-attached':
      return result.type;
    case 'waiting':
      return result.waitingFor.map((call) => call.toolName).join();
    default:
      return result satisfies never;
  }
}

export const everything: ApprovalGuard = createApprovalGuard({
  chatId: 'c',
  clientTools: ['pick_file'] as const,
  sendOn: 'approvals',
  whenUserSends: 'pass',
  whenAllDenied: 'hold',
  maxAutomaticSends: 3,
  onEvent: (entry) => void entry.seq.toFixed(),
  onError: (error) => void (error instanceof Error && error.code),
});

// @ts-expect-error no such option
createApprovalGuard({ whenDenied: 'send' });
// @ts-expect-error no such choice
createApprovalGuard({ sendOn: 'denials' });
// @ts-expect-error a name, not a number
createApprovalGuard({ clientTools: [1] });
// @ts-expect-error a snapshot is not for writing
guard.getSnapshot().calls.push();
// @ts-expect-error neither is the guard
guard.dispose = () => {};
// @ts-expect-error the messages are needed
guard.sendAutomaticallyWhen();
