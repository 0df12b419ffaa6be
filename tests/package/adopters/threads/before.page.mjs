// A page that shows one chat after another. All of them share a transport and a predicate.
export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const transport = new ai.DefaultChatTransport({ api: '/api/chat', fetch });
  const sendAutomaticallyWhen = ai.lastAssistantMessageIsCompleteWithApprovalResponses;
  const chats = new Map();
  const page = {
    chat: undefined,
    open(id, messages = []) {
      let chat = chats.get(id);
      if (chat === undefined) {
        chat = new Chat({ id, messages, transport, sendAutomaticallyWhen, onError });
        chats.set(id, chat);
      }
      page.chat = chat;
    },
    decide(part, allowed) {
      return page.chat.addToolApprovalResponse({ id: part.approval.id, approved: allowed });
    },
  };
  page.open(id, messages);
  return page;
}
