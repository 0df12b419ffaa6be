// The bindings of the frameworks, beside the chats of each.
import { useChat } from '@ai-sdk/react';
import { Chat as VueChat } from '@ai-sdk/vue';
import { Chat as SvelteChat } from '@ai-sdk/svelte';
import type { UIMessage } from 'ai';
import { useState } from 'react';
import { computed, ref, shallowRef, type ComputedRef } from 'vue';
import {
  createApprovalGuard,
  type ApprovalGuard,
  type AttachableChat,
  type CallView,
  type Snapshot,
} from 'tool-approval-guard';
import type { CardProps, QueueProps } from 'tool-approval-guard/element';
import { useToolApprovals, type ToolApprovals } from 'tool-approval-guard/react';
import * as angular from 'tool-approval-guard/angular';
import * as react from 'tool-approval-guard/react';
import * as svelte from 'tool-approval-guard/svelte';
import * as vue from 'tool-approval-guard/vue';

import type { Anys, Equal, Expect } from './assert.js';

type Tools = { pay: { input: { amount: number }; output: string } };
type Mine = UIMessage<{ tokens: number }, { weather: string }, Tools>;

export type Tests = [
  Expect<Equal<Anys<ToolApprovals>, never>>,
  Expect<Equal<Anys<svelte.ToolApprovals<Mine>>, never>>,
  Expect<Equal<Anys<angular.ToolApprovals<Mine>>, never>>,
  Expect<Equal<Anys<vue.ToolApprovals<Mine>>, never>>,
  Expect<Equal<ToolApprovals['calls'], Snapshot['calls']>>,
  Expect<Equal<svelte.ToolApprovals['batch'], Snapshot['batch']>>,
  Expect<Equal<vue.ToolApprovals['verdict'], ComputedRef<Snapshot['verdict']>>>,
];

const plain = createApprovalGuard({ chatId: 'c' });
const mine: ApprovalGuard<Mine> = createApprovalGuard<Mine>({ chatId: 'c' });

/** What a component does with it. */
export function show(
  { calls, batch, callOf, stop }: ToolApprovals<Mine>,
  message: Mine,
): readonly CallView[] {
  const call: CallView | undefined = callOf(message.parts[0]!, message);
  const stopped: Promise<void> = stop();
  void [batch.asking, stopped];
  return call === undefined ? calls : [call];
}

export function Plain(): CallView | undefined {
  const [guard] = useState(() => createApprovalGuard({ chatId: 'c' }));
  const chat = useChat({ sendAutomaticallyWhen: guard.sendAutomaticallyWhen });
  const { callOf } = useToolApprovals(guard, chat);
  const [message] = chat.messages;
  return message && message.parts.map((part) => callOf(part, message))[0];
}

export function Own(): ToolApprovals<Mine> {
  const chat = useChat<Mine>({ id: 'c' });
  // @ts-expect-error a chat of other messages
  useToolApprovals(mine, useChat<UIMessage>());
  return useToolApprovals(mine, chat);
}

// A component that takes the guard and the chat of any message type, as in the guide.
interface Props<M extends UIMessage> {
  guard: ApprovalGuard<M>;
  chat: AttachableChat<M>;
}
function Waiting<M extends UIMessage>({ guard, chat }: Props<M>): number {
  const { callOf } = useToolApprovals(guard, chat);
  const [message] = chat.messages;
  const card: CardProps = { guard, call: message && callOf(message.parts[0]!, message) };
  const queue: QueueProps = { guard };
  void [card, queue];
  return useToolApprovals(guard, chat, ({ batch }) => batch.asking);
}
export function OfGuide(): number[] {
  const own = Waiting({ guard: mine, chat: useChat<Mine>({ id: 'c' }) });
  return [own, Waiting({ guard: plain, chat: useChat() })];
}

// Svelte: a `Chat`.
export const ofSvelte: svelte.ToolApprovals<Mine> = svelte.useToolApprovals(
  mine,
  new SvelteChat<Mine>({ id: 'c' }),
);
svelte.useToolApprovals(plain, new SvelteChat({}));
// @ts-expect-error the fields are for reading
ofSvelte.calls = [];
// @ts-expect-error no chat
svelte.useToolApprovals(plain, {});

// The guard of an id in each framework, with the options of the messages' tools.
export const followed: ApprovalGuard<Mine> = react.useApprovalGuard<Mine>('c', { undoMs: 1 });
export const inRef: { readonly value: ApprovalGuard<Mine> } = vue.useApprovalGuard<Mine>(() => 'c');
export const inCurrent: { readonly current: ApprovalGuard<Mine> } = svelte.useApprovalGuard<Mine>('c');
export const inSignal: () => ApprovalGuard<Mine> = angular.useApprovalGuard<Mine>(
  () => 'c',
  (chatId) => ({ user: { id: chatId } }),
);
svelte.useToolApprovals(inCurrent, () => new SvelteChat<Mine>({ id: 'c' }));
export const ofAngular: angular.ToolApprovals<Mine> = angular.useToolApprovals(
  inSignal,
  () => new SvelteChat<Mine>({ id: 'c' }),
);
// @ts-expect-error each guard gets the id of its chat
react.useApprovalGuard('c', { chatId: 'c' });

// Vue: a `Chat`, what `useChat` returns, and both in a ref or behind a getter.
const { calls, callOf } = vue.useToolApprovals(plain, new VueChat({}));
export const first: CallView | undefined = calls.value[0];
export const found: CallView | undefined = callOf({ type: 'text', text: '' });
export const ofVue: vue.ToolApprovals<Mine> = vue.useToolApprovals(mine, new VueChat<Mine>({ id: 'c' }));
vue.useToolApprovals(
  computed(() => plain),
  shallowRef(new VueChat({})),
);
vue.useToolApprovals(
  () => plain,
  () => new VueChat({}),
);
export const id = ref('c');
// @ts-expect-error a chat of other messages
vue.useToolApprovals(mine, new VueChat<UIMessage>({}));
// @ts-expect-error no chat
vue.useToolApprovals(plain, {});
