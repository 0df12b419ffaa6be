import { useChat } from '@ai-sdk/react';
import { useEffect, useRef, useState } from 'react';
import { createApprovalGuard } from 'tool-approval-guard';
import { ApprovalQueue, useToolApprovals } from 'tool-approval-guard/react';
import { createRecord } from 'tool-approval-guard/record';
import { answersOf } from '../calls.ts';
import { createKeeper } from '../keeper.ts';
import type { DemoMessage } from '../message.ts';
import { makeMistake } from '../mistake.ts';
import { createRecorder } from '../recorder.ts';
import { keepSteps } from '../steps.ts';
import { transportFor } from '../transport.ts';
import { useSession } from '../useSession.ts';
import { GuardPanel } from './GuardPanel.tsx';
import { RecordPanel } from './RecordPanel.tsx';
import { Room, type RoomOptions } from './Room.tsx';
import { ToolCard } from './ToolCard.tsx';

function wire({ chatId, scenario }: RoomOptions) {
  const recorder = createRecorder();
  const keeper = scenario.keeps && createKeeper(chatId);
  const record = scenario.records && createRecord({ storage: 'indexeddb', grants: true });
  const guard = createApprovalGuard<DemoMessage>({
    ...scenario.settings,
    ...(record && { record }),
    chatId,
    clientTools: ['pick_file'],
    onError: recorder.report,
  });
  const fetch = keeper ? keeper.through(recorder.fetch) : recorder.fetch;
  return {
    recorder,
    keeper,
    record,
    guard,
    transport: guard.transport(transportFor(scenario, { fetch, record, claimed: true })),
  };
}

/**
 * The chat with the guard: a call that waits is asked about in its place in the conversation, and what concerns all of
 * them is in the queue, between the conversation and the composer.
 */
export function GuardedRoom(options: RoomOptions) {
  const [{ recorder, keeper, record, guard, transport }] = useState(() => wire(options));
  const chat = useChat<DemoMessage>({
    id: options.chatId,
    transport,
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
    ...(keeper && { messages: keeper.messages, onFinish: ({ messages }) => keeper.keep(messages) }),
  });
  const approvals = useToolApprovals(guard, chat);
  useEffect(() => keepSteps(guard, options.scenario.label), [guard, options.scenario]);
  const session = useSession(options.chatId);
  const message = useRef<HTMLInputElement>(null);

  const erred = useRef(new Set<string>());
  useEffect(() => makeMistake(chat.messages, chat.addToolOutput, erred.current), [chat]);

  const { batch } = approvals;
  const stop = () => {
    void approvals.stop();
    message.current?.focus();
  };

  return (
    <Room
      {...options}
      chat={chat}
      recorder={recorder}
      keeper={keeper}
      session={session}
      answers={answersOf(approvals)}
      message={message}
      closesCalls={chat.status === 'ready' && (batch.inputLocked || batch.action === 'resume')}
      card={(part, message) => (
        <ToolCard
          key={part.toolCallId}
          part={part}
          chat={chat}
          files={session.files}
          guard={guard}
          call={approvals.callOf(part, message)}
        />
      )}
      queue={<ApprovalQueue show="none" guard={guard} stop={stop} />}
      panel={
        <>
          {record && <RecordPanel chatId={options.chatId} record={record} messages={chat.messages} />}
          <GuardPanel guard={guard} snapshot={approvals} messages={chat.messages} recorder={recorder} />
        </>
      }
    />
  );
}
