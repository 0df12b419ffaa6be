import { tool, type LanguageModel, type ToolSet } from 'ai';
import { z } from 'zod';

/** A test says which model the default provider has, and looks at what has run. */
export const model: LanguageModel = 'test/model';
export const ran: string[] = [];

export const tools: ToolSet = {
  delete_file: tool({
    inputSchema: z.object({ path: z.string() }),
    needsApproval: true,
    execute: async ({ path }) => {
      ran.push(path);
      return { deleted: path };
    },
  }),
};
