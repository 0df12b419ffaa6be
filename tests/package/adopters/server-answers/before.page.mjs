// A page whose server takes the answers, and goes on by itself: the page only shows what the server has then.
export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const chat = new Chat({
    id,
    messages,
    transport: new ai.DefaultChatTransport({
      api: '/api/chat',
      fetch,
      prepareSendMessagesRequest: ({ id, messages }) => ({
        body: { id, message: messages.at(-1) },
      }),
    }),
    onError,
  });

  return {
    chat,
    async decide(part, allowed) {
      const response = await fetch('/api/answer', {
        method: 'POST',
        body: JSON.stringify({ id, approvalId: part.approval.id, approved: allowed }),
      });
      const { messages } = await response.json();
      chat.messages = messages;
    },
  };
}
