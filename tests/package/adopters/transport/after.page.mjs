// A page whose chat speaks to another process, as a window of Electron does.
import { createApprovalGuard } from 'tool-approval-guard';

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
  const guard = createApprovalGuard({ chatId: id });
  const chat = new Chat({
    id,
    messages,
    transport: guard.transport(new PortTransport(post)),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    onError,
  });
  guard.attach(chat);

  return {
    chat,
    decide(part, allowed) {
      return guard.decide(part.approval.id, allowed ? 'allow-once' : 'deny');
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
