// A page that sends the last message, or all of them once an answer is among them.
export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const chat = new Chat({
    id,
    messages,
    transport: new ai.DefaultChatTransport({
      api: '/api/chat',
      fetch,
      prepareSendMessagesRequest: ({ id, messages }) => {
        const isAnswered = messages.some((message) =>
          message.parts.some(({ state }) => state === 'approval-responded' || state === 'output-denied'),
        );
        return { body: { id, ...(isAnswered ? { messages } : { message: messages.at(-1) }) } };
      },
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
