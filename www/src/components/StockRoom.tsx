import { useChat } from '@ai-sdk/react';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai';
import { useState } from 'react';
import { createKeeper } from '../keeper.ts';
import type { DemoMessage, DemoToolPart } from '../message.ts';
import { writeOutputOfDenied } from '../mistake.ts';
import { createRecorder } from '../recorder.ts';
import { transportFor } from '../transport.ts';
import { useSession } from '../useSession.ts';
import { Room, type RoomOptions } from './Room.tsx';
import { StockPanel } from './StockPanel.tsx';
import { ToolCard } from './ToolCard.tsx';

function wire({ chatId, scenario }: RoomOptions) {
  const recorder = createRecorder();
  const keeper = scenario.keeps && createKeeper(chatId);
  const fetch = keeper ? keeper.through(recorder.fetch) : recorder.fetch;
  return { recorder, keeper, transport: transportFor(scenario, { fetch }) };
}

function sendAutomaticallyWhen(options: { messages: DemoMessage[] }): boolean {
  return (
    lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
    lastAssistantMessageIsCompleteWithToolCalls(options)
  );
}

/** The chat with what the SDK offers: each card asks by itself. Everything else is the same. */
export function StockRoom(options: RoomOptions) {
  const [{ recorder, keeper, transport }] = useState(() => wire(options));
  const chat = useChat<DemoMessage>({
    id: options.chatId,
    transport,
    sendAutomaticallyWhen,
    ...(keeper && { messages: keeper.messages, onFinish: ({ messages }) => keeper.keep(messages) }),
  });
  const session = useSession(options.chatId);
  /** What the person clicked, by call, because nobody else keeps it. */
  const [answers, setAnswers] = useState<ReadonlyMap<string, boolean>>(new Map());

  const answer = (part: DemoToolPart, id: string, approved: boolean) => {
    setAnswers((earlier) => new Map(earlier).set(part.toolCallId, approved));
    void chat.addToolApprovalResponse({ id, approved });
    if (!approved) writeOutputOfDenied(chat.addToolOutput, part);
  };

  return (
    <Room
      {...options}
      chat={chat}
      recorder={recorder}
      keeper={keeper}
      session={session}
      answers={answers}
      onRetry={() => void chat.regenerate()}
      card={(part) => (
        <ToolCard
          key={part.toolCallId}
          part={part}
          chat={chat}
          files={session.files}
          onAnswer={(id, approved) => answer(part, id, approved)}
        />
      )}
      panel={<StockPanel sends={sendAutomaticallyWhen(chat)} />}
    />
  );
}
