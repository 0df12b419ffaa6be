// A server that stores the messages, takes answers at an address of their own, and runs what is answered. Of a call that has
// run it keeps the result, and not who allowed it.
import { mergeAnswers } from 'tool-approval-guard/server';
import { z } from 'zod';

export function createServer({ ai, model, deleteFile }) {
  const stored = new Map();

  const store = (id, messages) => {
    const kept = (part) => (part.state === 'output-available' ? { ...part, approval: undefined } : part);
    const list = messages.map((message) => ({ ...message, parts: message.parts.map(kept) }));
    stored.set(id, JSON.parse(JSON.stringify(list)));
  };

  const run = async (id, messages) => {
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
      onFinish: ({ messages }) => store(id, messages),
      onError: String,
    });
  };

  const chat = async ({ id, messages: sent }) => {
    const { messages } = mergeAnswers(stored.get(id) ?? [], sent);
    return run(id, messages);
  };

  const answer = async ({ id, approvalId, approved }) => {
    const messages = stored.get(id);
    const last = messages.at(-1);
    const asks = (part) => part.state === 'approval-requested';
    for (const part of last.parts) {
      if (!asks(part) || part.approval.id !== approvalId) continue;
      part.state = 'approval-responded';
      part.approval.approved = approved;
    }
    if (!last.parts.some(asks)) await (await run(id, messages)).text();
    return Response.json({ messages: stored.get(id) });
  };

  return async (request) => {
    const body = await request.json();
    return request.url.endsWith('/api/answer') ? answer(body) : chat(body);
  };
}
