import type { LedgerEntry } from 'tool-approval-guard';
import { readCalls } from '../shared/calls.mjs';
import type { DemoMessage } from './message.ts';

/** The files that the calls are about, by call. */
export function targetsOf(messages: readonly DemoMessage[]): ReadonlyMap<string, string> {
  return new Map(readCalls(messages).map(({ toolCallId, target }) => [toolCallId, target]));
}

/** An entry of the ledger in a line. */
export function lineOfLedger(entry: LedgerEntry, targets: ReadonlyMap<string, string>): string {
  const { type, toolCallId, toolName, approved, actor, request } = entry;
  return [
    type,
    toolName && `${toolName} ${targets.get(toolCallId ?? '') ?? ''}`.trim(),
    approved === undefined ? undefined : approved ? 'allowed' : 'denied',
    actor === 'person' ? undefined : actor,
    request === undefined ? undefined : `request ${request}`,
  ]
    .filter((word) => word !== undefined)
    .join(' · ');
}
