// The tools that a message type names, wherever a guard names or types one.
import { Chat, useChat } from '@ai-sdk/react';
import { Chat as SvelteChat } from '@ai-sdk/svelte';
import { Chat as VueChat } from '@ai-sdk/vue';
import { DefaultChatTransport, type UIMessage } from 'ai';
import {
  createApprovalGuard,
  type ApprovalGuard,
  type ApprovalGuardOptions,
  type CalledToolName,
  type CallOf,
  type CallView,
  type ExpiringCall,
  type LedgerEntry,
  type Snapshot,
  type ToolName,
} from 'tool-approval-guard';
import type { ToolApprovalQueue } from 'tool-approval-guard/element';
import { useToolApprovals } from 'tool-approval-guard/react';
import * as svelte from 'tool-approval-guard/svelte';
import * as vue from 'tool-approval-guard/vue';

import type { Anys, Equal, Expect } from './assert.js';

type Tools = {
  pay: { input: { amount: number }; output: string };
  pick_file: { input: { kind: 'image' | 'text' }; output: string };
};
type Mine = UIMessage<{ tokens: number }, { weather: string }, Tools>;
/** A type of messages that says nothing of tools. */
type Untold = UIMessage<{ tokens: number }>;

export type Names = [
  Expect<Equal<ToolName<Mine>, 'pay' | 'pick_file'>>,
  Expect<Equal<ToolName, string>>,
  Expect<Equal<ToolName<Untold>, string>>,
  Expect<Equal<CalledToolName, string>>,
  Expect<Equal<CallOf, CallView>>,
  Expect<Equal<CallOf<Untold>, CallView>>,
  Expect<Equal<Snapshot['calls'][number]['toolName'], string>>,
  Expect<Equal<LedgerEntry['toolName'], string | undefined>>,
  Expect<Equal<ExpiringCall['toolName'], string>>,
  Expect<Equal<ExpiringCall['input'], unknown>>,
];
export type NoAny = [
  Expect<Equal<Anys<ApprovalGuard<Mine>>, never>>,
  Expect<Equal<Anys<ApprovalGuardOptions<Mine>>, never>>,
  Expect<Equal<Anys<CallOf<Mine>>, never>>,
];

const guard = createApprovalGuard<Mine>({
  chatId: 'c',
  clientTools: ['pick_file'],
  tools: { pay: { dangerous: true, covers: ['amount'] } },
  omitFromWire: ['pick_file', 'client.*', '*'],
  expiresMs(call) {
    if (call.dynamic) {
      const [name, input]: [string, unknown] = [call.toolName, call.input];
      return name === 'anything' && input === undefined ? 1_000 : undefined;
    }
    if (call.toolName === 'pay') return call.input.amount * 1_000;
    const kind: 'image' | 'text' = call.input.kind;
    // @ts-expect-error no such tool
    if (call.toolName === 'refund') return 0;
    return kind === 'image' ? 60_000 : undefined;
  },
  onEvent(entry) {
    const name: CalledToolName<Mine> | undefined = entry.toolName;
    const text: string | undefined = name;
    // @ts-expect-error it may be a tool that is known only at run time
    const own: ToolName<Mine> | undefined = name;
    return void [text, own];
  },
});

// What is no tool of these messages cannot be named.
// @ts-expect-error no such tool
createApprovalGuard<Mine>({ clientTools: ['pick_files'] });
// @ts-expect-error no such tool
createApprovalGuard<Mine>({ tools: { refund: { dangerous: true } } });
// @ts-expect-error no such tool, and no pattern
createApprovalGuard<Mine>({ omitFromWire: ['pick_files'] });
createApprovalGuard<Mine>({
  // @ts-expect-error no such field
  tools: { pay: { risky: true } },
});

// Tools that are known only at run time are named by the second argument, also by a pattern, or all of them.
createApprovalGuard<Mine, 'refund' | `github_${string}`>({
  clientTools: ['pick_file', 'refund'],
  tools: { pay: { dangerous: true }, github_merge: { dangerous: true } },
  omitFromWire: ['refund', 'github_search'],
});
createApprovalGuard<Mine, 'refund'>({
  // @ts-expect-error neither a tool of the messages nor of the second argument
  clientTools: ['pick_files'],
});
createApprovalGuard<Mine, string>({ clientTools: ['whatever'], tools: { whatever: { covers: 'tool' } } });

// Without tools in the type every name will do.
createApprovalGuard({ clientTools: ['whatever'], tools: { whatever: {} }, omitFromWire: ['whatever'] });
createApprovalGuard<Untold>({ clientTools: ['whatever'], tools: { whatever: {} } });
declare const known: Readonly<Record<string, { title: string }>>;
createApprovalGuard({ tools: known });

// A call is told apart by `dynamic`, its name and its status.
export function show(call: CallOf<Mine>): number {
  if (call.dynamic) {
    const input: unknown = call.input;
    const name: string = call.toolName;
    return [input, name].length;
  }
  const name: 'pay' | 'pick_file' = call.toolName;
  // @ts-expect-error no such tool
  if (call.toolName === 'refund') return 0;
  if (call.toolName !== 'pay') return name.length;
  if (call.status === 'asking' || call.status === 'drafted') {
    // @ts-expect-error the input of another tool
    void call.input.kind;
    return call.input.amount;
  }
  // @ts-expect-error it may be incomplete, or missing
  return call.input.amount;
}
export function untold(call: CallOf<Mine>): number {
  // @ts-expect-error a call that is `dynamic` may have this name, and any input
  if (call.toolName === 'pay' && call.status === 'asking') return call.input.amount;
  return 0;
}
// The names of the tools, and any other for one that is known only at run time.
export const names: readonly CalledToolName<Mine>[] = [
  ...guard.pending().map((call) => call.toolName),
  ...guard.grants().map((grant) => grant.toolName),
  ...guard.explain().waitingFor.map((call) => call.toolName),
];

// A call of the snapshot is what the guard takes.
for (const call of guard.getSnapshot().calls) {
  guard.decide(call, 'allow-once');
  guard.decideAll([call], 'deny');
  guard.undo(call);
  guard.extend(call);
  guard.unmask(call);
  guard.covered(call, 'tool');
  const view: CallView = call;
  void view;
}

// A guard of these messages is a guard.
export function anyGuard(guard: ApprovalGuard): Snapshot {
  guard.observe([]);
  return guard.getSnapshot();
}
anyGuard(guard);
anyGuard(createApprovalGuard<Untold>());
export function guardOfOthers(guard: ApprovalGuard<UIMessage<{ other: string }>>): void {
  guard.observe([]);
}
// @ts-expect-error a guard of other messages
guardOfOthers(guard);
const plain = createApprovalGuard();
export const guards: ApprovalGuard[] = [guard, plain, createApprovalGuard<Untold>()];
// @ts-expect-error a guard of any messages does not know these tools
export const back: ApprovalGuard<Mine> = plain;

// It stays what an application puts beside its chat.
const transport = guard.transport(new DefaultChatTransport<Mine>({ api: '/api/chat' }));
export const sent: DefaultChatTransport<Mine> = transport;
const chat = new Chat<Mine>({ transport, sendAutomaticallyWhen: guard.sendAutomaticallyWhen });
guard.attach(chat);
export function Component(): CallOf<Mine> | undefined {
  const chat = useChat<Mine>({ transport, sendAutomaticallyWhen: guard.sendAutomaticallyWhen });
  const { calls, callOf } = useToolApprovals(guard, chat);
  const [message] = chat.messages;
  const [part] = message?.parts ?? [];
  if (part?.type === 'tool-pay' && part.state === 'input-available') part.input.amount.toFixed();
  return message && part ? callOf(part, message) : calls[0];
}
const ofSvelte = svelte.useToolApprovals(guard, new SvelteChat<Mine>({}));
const ofVue = vue.useToolApprovals(() => guard, new VueChat<Mine>({}));
export const first: (CallOf<Mine> | undefined)[] = [ofSvelte.calls[0], ofVue.calls.value[0]];
// @ts-expect-error a chat of messages that name no tools
useToolApprovals(guard, new Chat<UIMessage>({}));
// @ts-expect-error a chat of messages that name no tools
guard.attach(new Chat<UIMessage>({}));

declare const queue: ToolApprovalQueue;
queue.guard = guard;
export const element = (
  react: React.JSX.IntrinsicElements['tool-approval-queue'],
): React.JSX.IntrinsicElements['tool-approval-queue'] => ({ ...react, guard });

// Options that were made for any messages do for these, where any name will.
declare const loose: ApprovalGuardOptions;
createApprovalGuard<Mine, string>(loose);
// @ts-expect-error they may name what is no tool of these messages
createApprovalGuard<Mine>(loose);
