import type { UseChatHelpers } from '@ai-sdk/react';
import type { DynamicToolUIPart, ToolUIPart, UIMessage } from 'ai';

/** What the page's shared tool card writes into a call that was denied. */
export interface DenialReport {
  success: false;
  denied: true;
}

/** The tools as the page knows them. A type, because the SDK asks for an index signature. */
export type DemoTools = {
  list_files: { input: Record<string, never>; output: string[] };
  delete_file: { input: { path: string }; output: { deleted: string } | DenialReport };
  rename_file: {
    input: { from: string; to: string };
    output: { renamed: string; to: string } | DenialReport;
  };
  write_note: { input: { path: string; text: string }; output: { wrote: string } | DenialReport };
  send_mail: {
    input: { to: string; subject: string; text: string };
    output: { sent: string } | DenialReport;
  };
  pick_file: { input: { question: string }; output: { path: string } };
};

export type DemoMessage = UIMessage<unknown, Record<string, never>, DemoTools>;
export type DemoChat = UseChatHelpers<DemoMessage>;
export type DemoToolPart = ToolUIPart<DemoTools> | DynamicToolUIPart;
/** The tools that the server runs, and only after a person allowed it. */
export type GatedTool = 'delete_file' | 'rename_file' | 'write_note' | 'send_mail';
