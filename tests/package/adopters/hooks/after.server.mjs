// The server of the SDK's documentation.
import { z } from 'zod';

export function createServer({ ai, model, deleteFile }) {
  return async (request) => {
    const { messages } = await request.json();
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
    return result.toUIMessageStreamResponse({ originalMessages: messages, onError: String });
  };
}
