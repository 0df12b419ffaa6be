import { DefaultChatTransport } from 'ai';
import type { ToolApprovalRecord } from 'tool-approval-guard/record';
import type { DemoMessage } from './message.ts';
import type { Scenario } from './scenarios.ts';

interface TransportOptions {
  fetch?: typeof globalThis.fetch | undefined;
  /** Its head goes along: from then on nobody can write the record anew without the server noticing. */
  record?: ToolApprovalRecord | undefined;
  /** Whether the server claims each approved call, so that it runs once. With a record, the guard shows that alone. */
  claimed?: boolean;
}

/** The way to the demo's server, which plays the scenario. */
export function transportFor({ id }: Scenario, { fetch, record, claimed }: TransportOptions = {}) {
  return new DefaultChatTransport<DemoMessage>({
    api: '/api/chat',
    body: () => ({
      scenario: id,
      requestId: crypto.randomUUID(),
      ...(claimed && !record && { claimed }),
      ...(record && { recordHead: record.head() }),
    }),
    ...(fetch && { fetch }),
  });
}
