// A page that shows one chat after another. All of them share a transport and a predicate.
import { createApprovalGuards } from 'tool-approval-guard/threads';

export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const guards = createApprovalGuards();
  const transport = guards.transport(new ai.DefaultChatTransport({ api: '/api/chat', fetch }));
  const { sendAutomaticallyWhen } = guards;
  const chats = new Map();
  const page = {
    chat: undefined,
    open(id, messages = []) {
      let chat = chats.get(id);
      if (chat === undefined) {
        chat = new Chat({ id, messages, transport, sendAutomaticallyWhen, onError });
        chats.set(id, chat);
        guards.get(id).attach(chat);
      }
      page.chat = chat;
    },
    decide(part, allowed) {
      return guards.get(page.chat.id).decide(part.approval.id, allowed ? 'allow-once' : 'deny');
    },
  };
  page.open(id, messages);
  return page;
}
