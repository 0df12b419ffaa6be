// The face of the claims entry.
import {
  createClaims,
  idempotencyKey,
  memoryClaims,
  type CallInDoubt,
  type Claims,
  type ClaimsOptions,
  type ClaimStore,
  type DoneCall,
  type EarlierCall,
  type RefusalCode,
  type Taken,
} from 'tool-approval-guard/claims';
import { testClaimStore } from 'tool-approval-guard/claims/testing';
import type { ApprovedCall } from 'tool-approval-guard/server';
import type { ToolSet, UIMessage } from 'ai';

import type { Anys, Equal, Expect } from './assert.js';

export type NoAny = [
  Expect<Equal<Anys<Claims>, never>>,
  Expect<Equal<Anys<ClaimsOptions>, never>>,
  Expect<Equal<Anys<ClaimStore>, never>>,
  Expect<Equal<Anys<Taken>, never>>,
];

export type Parts = [
  Expect<Equal<Taken['run'][number], ApprovedCall>>,
  Expect<Equal<DoneCall['result'], { output: unknown } | { errorText: string }>>,
  Expect<Equal<DoneCall['type'], 'approved' | 'rejected' | 'open'>>,
  Expect<Equal<Taken['running' | 'inDoubt'][number], EarlierCall>>,
  Expect<Equal<Extract<RefusalCode, 'replayed'>, 'replayed'>>,
];

const claims: Claims = createClaims({
  store: memoryClaims(),
  leaseMs: 1_000,
  clientTools: new Set(['pick']),
});
declare const tools: { rm: ToolSet[string] };
declare const body: unknown;
declare const valid: UIMessage[];

/** The wrapped tools are the tools. */
export const wrapped: typeof tools = claims.tools(tools, { chatId: 'c' });
export const key: string | undefined = idempotencyKey({ toolCallId: 'c1' });
export const tested: Promise<void> = testClaimStore(memoryClaims());

export async function face(): Promise<void> {
  await claims.asked('c', body, { user: 'ann', until: new Date() });
  const { status, error, done } = await claims.take('c', body, { user: 'ann' });
  for (const { result } of done) console.log('output' in result ? result.output : result.errorText);
  const { messages }: { messages: UIMessage[] } = await claims.take('c', valid);
  const taken: Taken = await claims.take('c', body);
  const doubts: CallInDoubt[] = await claims.inDoubt({ limit: 10 });
  for (const doubt of doubts) await claims.settle(doubt, { output: status }).then(Boolean);
  const removed: number = await claims.forget({ before: Date.now() });
  console.log(removed, error?.trim(), messages, taken.messages);
}

// @ts-expect-error a store is needed
createClaims({});
// @ts-expect-error a call ends with an output or an error
void claims.settle({ chatId: 'c', approvalId: 'a' }, {});
// @ts-expect-error the chat is needed
claims.tools(tools);
