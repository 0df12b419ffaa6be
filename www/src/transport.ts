import { DefaultChatTransport } from 'ai';
import type { DemoMessage } from './message.ts';
import type { Scenario } from './scenarios.ts';

/** The way to the demo's server, which plays the scenario. */
export function transportFor({ id }: Scenario, fetch?: typeof globalThis.fetch) {
  return new DefaultChatTransport<DemoMessage>({
    api: '/api/chat',
    body: { scenario: id },
    ...(fetch && { fetch }),
  });
}
