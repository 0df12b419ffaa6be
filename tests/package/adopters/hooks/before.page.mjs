// A page whose buttons answer, and then send.
export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const chat = new Chat({
    id,
    messages,
    transport: new ai.DefaultChatTransport({ api: '/api/chat', fetch }),
    onError,
  });

  return {
    chat,
    async decide(part, allowed) {
      await chat.addToolApprovalResponse({ id: part.approval.id, approved: allowed });
      if (allowed) await chat.sendMessage();
    },
  };
}
