// A page whose chat speaks to another process, as a window of Electron does.
class PortTransport {
  #post;

  constructor(post) {
    this.#post = post;
  }

  async sendMessages({ chatId, messages }) {
    return this.#post({ id: chatId, messages });
  }

  async reconnectToStream() {
    return null;
  }
}

export function openPage({ ai, Chat, fetch, id, messages, onError }) {
  const post = async (body) => {
    const response = await fetch('/api/chat', { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return chunksOf(response);
  };
  const chat = new Chat({
    id,
    messages,
    transport: new PortTransport(post),
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

/** The chunks of a response: its lines begin with `data: `. */
function chunksOf(response) {
  let rest = '';
  const lines = new TransformStream({
    transform(text, controller) {
      const all = (rest + text).split('\n');
      rest = all.pop();
      for (const line of all) {
        if (line.startsWith('data: {')) controller.enqueue(JSON.parse(line.slice(6)));
      }
    },
  });
  return response.body.pipeThrough(new TextDecoderStream()).pipeThrough(lines);
}
