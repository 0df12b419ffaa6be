// The face of the server entry.
import {
  readDecisions,
  type ApprovedCall,
  type CallWithOutput,
  type FailedCall,
  type Malformed,
  type MalformedCode,
  type OpenCall,
  type ReadDecision,
  type ReadDecisionsOptions,
  type RejectedCall,
  type RequestedApproval,
} from 'tool-approval-guard/server';
import type { UIMessage } from 'ai';

import type { Anys, Equal, Expect } from './assert.js';

export type NoAny = [
  Expect<Equal<Anys<ReadDecision>, never>>,
  Expect<Equal<Anys<ReadDecisionsOptions>, never>>,
];

const requested: RequestedApproval[] = [{ approvalId: 'ap-c1', toolCallId: 'c1' }];
const options: ReadDecisionsOptions = { requested: new Set(requested), clientTools: new Set(['pick_file']) };

declare const messages: readonly UIMessage[];
declare const body: unknown;
readDecisions(messages, options);

export function kinds(): (string | undefined)[] {
  return readDecisions(body, options).map((decision) => {
    switch (decision.type) {
      case 'rejected':
        return decision.overwritten ? decision.toolCallId : decision.reason;
      case 'approved':
        return decision.approvalId.concat(decision.toolName);
      case 'output':
        return JSON.stringify(decision.output);
      case 'error':
        return decision.errorText.trim();
      case 'open':
        return decision.waitsFor satisfies 'input' | 'approval' | 'output';
      case 'malformed':
        return decision.toolCallId?.concat(decision.code);
    }
  });
}

export type ByType = [
  Expect<Equal<Extract<ReadDecision, { type: 'rejected' }>, RejectedCall>>,
  Expect<Equal<Extract<ReadDecision, { type: 'approved' }>, ApprovedCall>>,
  Expect<Equal<Extract<ReadDecision, { type: 'output' }>, CallWithOutput>>,
  Expect<Equal<Extract<ReadDecision, { type: 'error' }>, FailedCall>>,
  Expect<Equal<Extract<ReadDecision, { type: 'open' }>, OpenCall>>,
  Expect<Equal<Extract<ReadDecision, { type: 'malformed' }>, Malformed>>,
  Expect<Equal<Malformed['code'], MalformedCode>>,
];

// @ts-expect-error an approval is requested with both ids
readDecisions([], { requested: [{ approvalId: 'ap-c1' }] });
// @ts-expect-error what was decided has no name of its own for a call that nobody can name
const nameless: { toolName: string } | undefined = readDecisions([]).find((d) => d.type === 'malformed');
void nameless;
