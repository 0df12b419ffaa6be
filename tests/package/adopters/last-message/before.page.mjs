// A page that sends the last message alone, as its server stores the others.
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
    sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithApprovalResponses,
    onError,
  });

  return {
    chat,
    decide(part, allowed) {
      return chat.addToolApprovalResponse({ id: part.approval.id, approved: allowed });
    },
  };
}
