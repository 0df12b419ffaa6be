// A page that runs no tool, and answers the calls of one with a word as its output.
export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const chat = new Chat({
    id,
    messages,
    transport: new ai.DefaultChatTransport({ api: '/api/chat', fetch }),
    sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithToolCalls,
    onError,
  });

  return {
    chat,
    decide(part, allowed) {
      return chat.addToolOutput({
        tool: 'delete_file',
        toolCallId: part.toolCallId,
        output: allowed ? 'yes' : 'no',
      });
    },
  };
}
