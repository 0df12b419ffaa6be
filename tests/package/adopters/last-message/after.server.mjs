// A server that stores the messages, and gets the last one.
import { mergeAnswers } from 'tool-approval-guard/server';
import { z } from 'zod';

export function createServer({ ai, model, deleteFile }) {
  const stored = new Map();

  return async (request) => {
    const { id, messages: sent } = await request.json();
    const { messages } = mergeAnswers(stored.get(id) ?? [], sent);
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
