// The guards of all chats of a page, in the places where an application puts them.
import { Chat, useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import type { ApprovalGuard } from 'tool-approval-guard';
import { createRecord } from 'tool-approval-guard/record';
import { useToolApprovals } from 'tool-approval-guard/react';
import {
  createApprovalGuards,
  type ApprovalGuards,
  type ApprovalGuardsOptions,
} from 'tool-approval-guard/threads';

import type { Anys, Equal, Expect } from './assert.js';

type Tools = { pay: { input: { amount: number }; output: string } };
type Mine = UIMessage<{ tokens: number }, { weather: string }, Tools>;

export type Checks = [
  Expect<Equal<Anys<ApprovalGuards<Mine>>, never>>,
  Expect<Equal<Anys<ApprovalGuardsOptions<Mine>>, never>>,
  Expect<Equal<ReturnType<ApprovalGuards<Mine>['get']>, ApprovalGuard<Mine>>>,
  Expect<Equal<'chatId' extends keyof ApprovalGuardsOptions ? true : false, false>>,
];

const plain = createApprovalGuards();
export const plainChat = new Chat({
  transport: plain.transport(new DefaultChatTransport({ api: '/api/chat' })),
  sendAutomaticallyWhen: plain.sendAutomaticallyWhen,
});

const recordOf = (_chatId: string) => createRecord();
const guards = createApprovalGuards<Mine, 'mcp_search'>({
  tools: { pay: { dangerous: true } },
  clientTools: ['pay', 'mcp_search'],
  record: (chatId) => recordOf(chatId),
});
// @ts-expect-error: it is none of its tools
createApprovalGuards<Mine>({ clientTools: ['nothing'] });
// @ts-expect-error: each guard gets the id of its chat
createApprovalGuards({ chatId: 'a' });
// @ts-expect-error: a record belongs to one chat
createApprovalGuards({ record: createRecord() });

export function useMine(id: string): number | undefined {
  const chat = useChat<Mine>({
    id,
    transport: guards.transport(new DefaultChatTransport<Mine>({ api: '/api/chat' })),
    sendAutomaticallyWhen: (options) => guards.sendAutomaticallyWhen(options) && navigator.onLine,
  });
  const { calls } = useToolApprovals(guards.get(chat.id), chat);
  for (const call of calls) {
    if (!call.dynamic && call.toolName === 'pay' && call.status === 'asking') return call.input.amount;
  }
  return undefined;
}
