// What `useChat` of Vue returns, whose messages are a ref; the Vue package for `ai` 6 has no `useChat`.
import { useChat } from '@ai-sdk/vue';
import type { UIMessage } from 'ai';
import { shallowRef } from 'vue';
import { createApprovalGuard } from 'tool-approval-guard';
import { useToolApprovals, type ToolApprovals } from 'tool-approval-guard/vue';

type Mine = UIMessage<{ tokens: number }>;

const plain = createApprovalGuard({ chatId: 'c' });
const mine = createApprovalGuard<Mine>({ chatId: 'c' });

const chat = useChat<Mine>(() => ({ id: 'c', sendAutomaticallyWhen: mine.sendAutomaticallyWhen }));
export const own: ToolApprovals<Mine> = useToolApprovals(mine, chat);
export const message: Mine | undefined = chat.messages.value[0];
useToolApprovals(plain, useChat());
useToolApprovals(plain, shallowRef(useChat()));
// @ts-expect-error a chat of other messages
useToolApprovals(mine, useChat<UIMessage>());
// @ts-expect-error taken apart
useToolApprovals(mine, { messages: chat.messages.value });
