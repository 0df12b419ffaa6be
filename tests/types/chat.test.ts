// The guard in the places where an application puts it: a `Chat`, and `useChat`.
import { Chat, useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { createApprovalGuard, type Snapshot } from 'tool-approval-guard';

type Tools = { pay: { input: { amount: number }; output: string } };
type Mine = UIMessage<{ tokens: number }, { weather: string }, Tools>;

// A Chat of plain messages.
const plain = createApprovalGuard({ chatId: 'plain' });
const plainChat = new Chat({
  id: 'plain',
  transport: plain.transport(new DefaultChatTransport({ api: '/api/chat' })),
  sendAutomaticallyWhen: plain.sendAutomaticallyWhen,
});
export const detachPlain: () => void = plain.attach(plainChat);

// A Chat of the application's own messages.
const own = createApprovalGuard<Mine>({ chatId: 'own' });
const ownChat = new Chat<Mine>({
  id: 'own',
  transport: own.transport(new DefaultChatTransport<Mine>({ api: '/api/chat' })),
  sendAutomaticallyWhen: (options) => own.sendAutomaticallyWhen(options) && navigator.onLine,
});
export const detachOwn: () => void = own.attach(ownChat);

// The hook, as the README shows it.
export function usePlain(chatId: string): Snapshot {
  const [guard] = useState(() => createApprovalGuard({ chatId }));
  const chat = useChat({
    id: chatId,
    transport: guard.transport(new DefaultChatTransport({ api: '/api/chat' })),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
  });
  useEffect(() => guard.attach(chat));
  return useSyncExternalStore(guard.subscribe, guard.getSnapshot, guard.getSnapshot);
}

// The hook with the application's own messages.
export function useOwn(chatId: string): Mine[] {
  const [guard] = useState(() => createApprovalGuard<Mine>({ chatId, clientTools: ['pay'] }));
  const chat = useChat<Mine>({
    id: chatId,
    transport: guard.transport(new DefaultChatTransport<Mine>({ api: '/api/chat' })),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
  });
  useEffect(() => guard.attach(chat));
  return chat.messages;
}

// @ts-expect-error a chat of other messages
own.attach(plainChat);
// @ts-expect-error no chat at all
own.attach({ messages: [] });
