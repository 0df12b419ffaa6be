import { useChat } from '@ai-sdk/react';
import { useEffect, useRef, useState } from 'react';
import { createApprovalGuard } from 'tool-approval-guard';
import { useToolApprovals } from 'tool-approval-guard/react';
import { answersOf } from '../calls.ts';
import type { DemoMessage } from '../message.ts';
import { makeMistake } from '../mistake.ts';
import { createRecorder } from '../recorder.ts';
import { transportFor } from '../transport.ts';
import { useSession } from '../useSession.ts';
import { GuardPanel } from './GuardPanel.tsx';
import { Room, type RoomOptions } from './Room.tsx';
import { ToolCard } from './ToolCard.tsx';

function wire({ chatId, scenario }: RoomOptions) {
  const recorder = createRecorder();
  const guard = createApprovalGuard<DemoMessage>({
    ...scenario.settings,
    chatId,
    clientTools: ['pick_file'],
    onError: recorder.report,
  });
  return { recorder, guard, transport: guard.transport(transportFor(scenario, recorder.fetch)) };
}

/** The chat with the guard: the calls that wait are in the queue, between the conversation and the composer. */
export function GuardedRoom(options: RoomOptions) {
  const [{ recorder, guard, transport }] = useState(() => wire(options));
  const chat = useChat<DemoMessage>({
    id: options.chatId,
    transport,
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
  });
  const approvals = useToolApprovals(guard, chat);
  const session = useSession(options.chatId);
  const message = useRef<HTMLInputElement>(null);

  const erred = useRef(new Set<string>());
  useEffect(() => makeMistake(chat.messages, chat.addToolOutput, erred.current), [chat]);

  const stop = () => {
    void approvals.stop();
    message.current?.focus();
  };

  return (
    <Room
      {...options}
      chat={chat}
      recorder={recorder}
      session={session}
      answers={answersOf(approvals)}
      message={message}
      closesCalls={approvals.batch.phase === 'asking' || approvals.batch.phase === 'decided'}
      card={(part, message) => (
        <ToolCard
          key={part.toolCallId}
          part={part}
          chat={chat}
          files={session.files}
          call={approvals.callOf(part, message)}
        />
      )}
      queue={<tool-approval-queue guard={guard} stop={stop} />}
      panel={<GuardPanel guard={guard} snapshot={approvals} messages={chat.messages} recorder={recorder} />}
    />
  );
}
