// The adapter for assistant-ui. That its types fit those of assistant-ui is checked with the blocks of its guide.
import { useChat } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import { createApprovalGuard, type ApprovalGuard, type CallView } from 'tool-approval-guard';
import {
  ApprovalProvider,
  exceptCancelledCalls,
  useApprovalPart,
  type ApprovalPart,
  type GuardedPart,
  type PartApprovalResponse,
} from 'tool-approval-guard/assistant-ui';
import { createApprovalGuards } from 'tool-approval-guard/threads';

import type { Anys, Equal, Expect } from './assert.js';

type Tools = { pay: { input: { amount: number }; output: string } };
type Mine = UIMessage<unknown, never, Tools>;
interface Props extends ApprovalPart {
  toolName: 'pay';
}

export type Checks = [
  Expect<Equal<Anys<ApprovalPart>, never>>,
  Expect<Equal<Anys<PartApprovalResponse>, never>>,
  Expect<Equal<GuardedPart<Props>['part'], Props>>,
  Expect<Equal<GuardedPart<Props>['call'], CallView | undefined>>,
  Expect<Equal<GuardedPart<Props>['guard'], ApprovalGuard | undefined>>,
];

const guards = createApprovalGuards<Mine>({ onError: exceptCancelledCalls(({ code }) => void code) });
const guard = createApprovalGuard<Mine>({ onError: exceptCancelledCalls() });

export function Thread() {
  const chat = useChat<Mine>();
  // @ts-expect-error: a chat is needed, even if there is none yet
  ApprovalProvider({ guards });
  return [
    ApprovalProvider({ guards, chat }),
    ApprovalProvider({ guards: guard, chat, children: null }),
    ApprovalProvider({ guards, chat: undefined }),
  ];
}

export const usePay = (props: Props): 'pay' => useApprovalPart(props).part.toolName;
// @ts-expect-error: it has nothing to respond with
export const useNothing = () => useApprovalPart({ toolCallId: 'c1' });
// @ts-expect-error: an answer needs something
export const nothing: PartApprovalResponse = { reason: 'no' };
