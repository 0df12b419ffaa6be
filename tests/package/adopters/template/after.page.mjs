// A page that sends the last message, or all of them once an answer is among them.
import { createApprovalGuard } from 'tool-approval-guard';

export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const guard = createApprovalGuard({ chatId: id });
  const chat = new Chat({
    id,
    messages,
    transport: guard.transport(new ai.DefaultChatTransport({
      api: '/api/chat',
      fetch,
      prepareSendMessagesRequest: ({ id, messages }) => ({
        body: { id, messages: guard.unsent(messages) },
      }),
    })),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    onError,
  });
  guard.attach(chat);

  return {
    chat,
    decide(part, allowed) {
      return guard.decide(part.approval.id, allowed ? 'allow-once' : 'deny');
    },
  };
}
