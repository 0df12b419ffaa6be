// A page whose server takes the answers, and goes on by itself: the page only shows what the server has then.
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
    onError,
  });
  guard.attach(chat);

  return {
    chat,
    async decide(part, allowed) {
      const response = await fetch('/api/answer', {
        method: 'POST',
        body: JSON.stringify({ id, approvalId: part.approval.id, approved: allowed }),
      });
      const { messages } = await response.json();
      guard.adopt(messages);
      chat.messages = messages;
    },
  };
}
