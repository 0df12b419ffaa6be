// A server that runs a tool when the page has written "yes" as its output.
import { z } from 'zod';

export function createServer({ ai, model, deleteFile }) {
  return async (request) => {
    const { messages } = await request.json();
    for (const part of messages.at(-1).parts) {
      if (part.type !== 'tool-delete_file' || part.state !== 'output-available') continue;
      if (part.output === 'yes') part.output = await deleteFile(part.input);
      else if (part.output === 'no') part.output = 'The user denied it.';
    }
    const result = ai.streamText({
      model,
      messages: await ai.convertToModelMessages(messages),
      tools: {
        delete_file: ai.tool({
          inputSchema: z.object({ file: z.string() }),
        }),
      },
    });
    return result.toUIMessageStreamResponse({ originalMessages: messages, onError: String });
  };
}
