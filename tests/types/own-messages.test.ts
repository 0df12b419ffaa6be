// The face for an application's own message type: metadata, data parts and tools of its own.
import type { ChatTransport, UIMessage } from 'ai';
import { createApprovalGuard, type ApprovalGuard, type AttachableChat } from 'tool-approval-guard';

import type { Equal, Expect } from './assert.js';

type Metadata = { tokens: number };
type Data = { weather: { city: string } };
type Tools = {
  pay: { input: { amount: number }; output: { receipt: string } };
  pick_file: { input: { kind: 'image' | 'text' }; output: string };
};
type Mine = UIMessage<Metadata, Data, Tools>;

const guard = createApprovalGuard<Mine>({ chatId: 'c', clientTools: ['pick_file'] });
declare const mine: Mine[];
declare const transport: ChatTransport<Mine>;
declare const others: ChatTransport<UIMessage<{ other: string }>>;

export type Tests = [
  Expect<Equal<typeof guard, ApprovalGuard<Mine>>>,
  Expect<Equal<Parameters<typeof guard.sendAutomaticallyWhen>[0], { messages: Mine[] }>>,
  Expect<Equal<Parameters<typeof guard.attach>[0], AttachableChat<Mine>>>,
];

export const may: boolean = guard.sendAutomaticallyWhen({ messages: mine });
export const wrapped: ChatTransport<Mine> = guard.transport(transport);
guard.observe(mine);
guard.explain();
// @ts-expect-error it is told about messages by observe()
guard.explain(mine);

// Lists that are not for writing can be observed.
declare const frozen: readonly Mine[];
guard.observe(frozen);

// @ts-expect-error a transport of other messages
guard.transport(others);
// @ts-expect-error no messages
guard.sendAutomaticallyWhen({ messages: [{ text: 'hello' }] });
