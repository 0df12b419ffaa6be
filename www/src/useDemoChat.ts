import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai';
import { useEffect, useState } from 'react';
import { createApprovalGuard } from 'tool-approval-guard';
import type { DemoMessage } from './message.ts';
import { createRecorder } from './recorder.ts';
import type { Scenario } from './scenarios.ts';

export interface RoomOptions {
  chatId: string;
  scenario: Scenario;
  guarded: boolean;
}

export function stockPredicate(options: { messages: DemoMessage[] }): boolean {
  return (
    lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
    lastAssistantMessageIsCompleteWithToolCalls(options)
  );
}

function wire({ chatId, scenario, guarded }: RoomOptions) {
  const recorder = createRecorder();
  const transport = new DefaultChatTransport<DemoMessage>({
    api: '/api/chat',
    body: { scenario: scenario.id },
    fetch: recorder.fetch,
  });
  if (!guarded) {
    return { recorder, guard: undefined, transport, sendAutomaticallyWhen: stockPredicate };
  }
  const guard = createApprovalGuard<DemoMessage>({
    ...scenario.settings,
    chatId,
    clientTools: ['pick_file'],
    onError: recorder.report,
  });
  return {
    recorder,
    guard,
    transport: guard.transport(transport),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
  };
}

/** The chat, with the guard or with what the SDK offers. Everything else is the same. */
export function useDemoChat(options: RoomOptions) {
  const [{ recorder, guard, transport, sendAutomaticallyWhen }] = useState(() => wire(options));
  const chat = useChat<DemoMessage>({ id: options.chatId, transport, sendAutomaticallyWhen });
  useEffect(() => guard?.attach(chat));
  return { chat, guard, recorder };
}

export type DemoChat = ReturnType<typeof useDemoChat>['chat'];
export type DemoGuard = NonNullable<ReturnType<typeof useDemoChat>['guard']>;
