import { getToolName, isToolUIPart } from 'ai';
import type { DemoMessage, DemoToolPart, DemoTools, GatedTool } from './message.ts';

interface Output {
  tool: GatedTool;
  toolCallId: string;
  output: { success: false; denied: true };
}

type AddToolOutput = (output: Output) => unknown;

/**
 * What shared tool cards often do, so that each call ends with an output, and what makes the SDK drop
 * the denial: the very mistake that the guard is there for.
 */
export function writeOutputOfDenied(addToolOutput: AddToolOutput, part: DemoToolPart) {
  void addToolOutput({
    tool: getToolName(part) as GatedTool,
    toolCallId: part.toolCallId,
    output: { success: false, denied: true },
  });
}

/**
 * Makes the mistake in each call whose denial has come into the messages, once.
 *
 * @param made the calls in which it was made already
 */
export function makeMistake(
  messages: readonly DemoMessage[],
  addToolOutput: AddToolOutput,
  made: Set<string>,
) {
  for (const part of messages.flatMap(({ parts }) => parts).filter(isToolUIPart<DemoTools>)) {
    const isDenied = part.state === 'approval-responded' && !part.approval.approved;
    if (!isDenied || made.has(part.toolCallId)) continue;
    made.add(part.toolCallId);
    writeOutputOfDenied(addToolOutput, part);
  }
}
