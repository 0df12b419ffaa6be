import { useRef, useState, useSyncExternalStore, type MouseEvent } from 'react';
import type { Snapshot } from 'tool-approval-guard';
import { useDemoChat, type RoomOptions } from '../useDemoChat.ts';
import { useGuardSnapshot } from '../useGuardSnapshot.ts';
import { useSession } from '../useSession.ts';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { DecisionBar } from './DecisionBar.tsx';
import { Folder } from './Folder.tsx';
import { Grants } from './Grants.tsx';
import { GuardPanel } from './GuardPanel.tsx';
import { Receipt } from './Receipt.tsx';
import { Requests } from './Requests.tsx';
import { StockPanel } from './StockPanel.tsx';

/** One chat and, beside it, the evidence of what it did. */
export function Room(props: RoomOptions & { onStartOver: () => void }) {
  const { chatId, scenario, onStartOver } = props;
  const { chat, guard, recorder } = useDemoChat(props);
  const snapshot = useGuardSnapshot(guard);
  const { requests, reports } = useSyncExternalStore(recorder.subscribe, recorder.getSnapshot);
  const session = useSession(chatId);
  /** What the person clicked, by call, where no guard keeps it. */
  const [clicked, setClicked] = useState<ReadonlyMap<string, boolean>>(new Map());
  /** The call at which the person stopped the assistant. */
  const [stoppedAt, setStoppedAt] = useState<string>();
  const message = useRef<HTMLInputElement>(null);

  const phase = snapshot?.batch.phase;
  const stopped = phase === 'asking' && stoppedAt === snapshot?.batch.toolCallIds.at(-1);

  /** The answers, by call: the measure for everything beside the chat. */
  const answers = snapshot ? answersOf(snapshot) : clicked;
  const guarded = guard && snapshot ? { guard, snapshot } : undefined;
  const retry = () => void (guard ? guard.retry() : chat.regenerate());

  const stop = () => {
    void chat.stop();
    setStoppedAt(snapshot?.batch.toolCallIds.at(-1));
    message.current?.focus();
  };

  return (
    <main className="room" data-chat-id={chatId} data-status={chat.status}>
      <div className="column">
        <section className="panel chat" aria-label="Chat" onClickCapture={ignoreSecondClick}>
          <div className="brief">
            <p>
              <strong>Try this.</strong> {scenario.todo}
            </p>
            <p className={guarded ? 'expect' : 'expect expect-stock'}>
              {guarded ? scenario.guarded : scenario.stock}
            </p>
          </div>
          <Conversation
            chat={chat}
            files={session.files}
            guarded={guarded}
            showsLasting={scenario.showsLasting ?? false}
            stopped={stopped}
            onAnswer={(toolCallId, approved) =>
              setClicked((earlier) => new Map(earlier).set(toolCallId, approved))
            }
            onStop={stop}
          />
          {guarded && (
            <DecisionBar
              {...guarded}
              turn={chat.messages.filter(({ role }) => role === 'user').length}
              stopped={stopped}
            />
          )}
          {chat.error && (
            <div className="failure" role="alert">
              <p>The request failed: {chat.error.message}</p>
              <button type="button" onClick={retry}>
                Retry
              </button>
            </div>
          )}
          <Composer
            input={message}
            prompt={scenario.prompt}
            nextPrompt={scenario.nextPrompt ?? ''}
            busy={chat.status === 'submitted' || chat.status === 'streaming'}
            closesCalls={phase === 'asking' || phase === 'decided'}
            onSend={(text) => void chat.sendMessage({ text })}
            onStartOver={onStartOver}
          />
        </section>
        {guarded && <Grants guard={guarded.guard} grants={guarded.snapshot.grants} />}
        <Folder files={session.files} runs={session.runs} model={session.model} answers={answers} />
      </div>

      <div className="column">
        <Receipt answers={answers} requests={requests} runs={session.runs} />
        <Requests requests={requests} received={session.requests} answers={answers} />
        {guarded ? (
          <GuardPanel {...guarded} messages={chat.messages} reports={reports} />
        ) : (
          <StockPanel messages={chat.messages} />
        )}
      </div>
    </main>
  );
}

/**
 * A decision makes its card smaller and moves what is below, so the second click of a double click
 * may meet another button than the first.
 */
function ignoreSecondClick(event: MouseEvent) {
  if (event.detail > 1) event.stopPropagation();
}

/** What a person said to the calls, at once or with a grant, and what time said. */
function answersOf({ calls }: Snapshot): ReadonlyMap<string, boolean> {
  const answers = new Map<string, boolean>();
  for (const { toolCallId, decision, actor } of calls) {
    if (decision === undefined) continue;
    if (actor === 'person' || actor === 'grant' || actor === 'timer') {
      answers.set(toolCallId, decision === 'allowed');
    }
  }
  return answers;
}
