// A server that stores the messages. Of a whole list it takes the states of the calls.
import { z } from 'zod';

export function createServer({ ai, model, deleteFile }) {
  const stored = new Map();

  return async (request) => {
    const { id, message, messages: sent } = await request.json();
    const before = stored.get(id) ?? [];
    const answers = new Map(
      (sent ?? []).flatMap(({ parts }) => parts.map((part) => [part.toolCallId, part])),
    );
    const messages = sent
      ? before.map((one) => ({
          ...one,
          parts: one.parts.map((part) => {
            const answer = part.toolCallId && answers.get(part.toolCallId);
            return answer?.state === 'approval-responded' || answer?.state === 'output-denied'
              ? answer
              : part;
          }),
        }))
      : [...before, message];
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
