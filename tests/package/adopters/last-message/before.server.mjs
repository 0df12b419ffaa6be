// A server that stores the messages, and gets the last one.
import { z } from 'zod';

export function createServer({ ai, model, deleteFile }) {
  const stored = new Map();

  return async (request) => {
    const { id, message } = await request.json();
    const before = stored.get(id) ?? [];
    const at = before.findIndex((one) => one.id === message.id);
    const messages = at === -1 ? [...before, message] : before.with(at, message);
    const result = ai.streamText({
      model,
      messages: await ai.convertToModelMessages(messages),
      tools: {
        delete_file: ai.tool({
          inputSchema: z.object({ file: z.string() }),
          needsApproval: true,
          execute: deleteFile,
        }),
      },
    });
    return result.toUIMessageStreamResponse({
      originalMessages: messages,
      generateMessageId: ai.generateId,
      onFinish: ({ messages }) => void stored.set(id, messages),
      onError: String,
    });
  };
}
