// A page whose buttons answer, and then send.
import { createApprovalGuard } from 'tool-approval-guard';

export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const guard = createApprovalGuard({ chatId: id });
  const chat = new Chat({
    id,
    messages,
    transport: guard.transport(new ai.DefaultChatTransport({ api: '/api/chat', fetch })),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    onError,
  });
  guard.attach(chat);

  return {
    chat,
    async decide(part, allowed) {
      guard.decide(part.approval.id, allowed ? 'allow-once' : 'deny');
    },
  };
}
