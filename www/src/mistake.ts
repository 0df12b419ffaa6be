import { getToolName } from 'ai';
import type { DemoToolPart, GatedTool } from './message.ts';
import type { DemoChat } from './useDemoChat.ts';

/**
 * What shared tool cards often do, so that each call ends with an output, and what makes the SDK drop
 * the denial: the very mistake that the guard is there for.
 */
export function writeOutputOfDenied(chat: DemoChat, part: DemoToolPart) {
  void chat.addToolOutput({
    tool: getToolName(part) as GatedTool,
    toolCallId: part.toolCallId,
    output: { success: false, denied: true },
  });
}
