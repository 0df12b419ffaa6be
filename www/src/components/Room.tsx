import { useState, useSyncExternalStore } from 'react';
import { useDemoChat, type RoomOptions } from '../useDemoChat.ts';
import { useSession } from '../useSession.ts';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { Folder } from './Folder.tsx';
import { GuardPanel } from './GuardPanel.tsx';
import { Receipt } from './Receipt.tsx';
import { Requests } from './Requests.tsx';
import { StockPanel } from './StockPanel.tsx';

/** One chat and, beside it, the evidence of what it did. */
export function Room(props: RoomOptions & { onStartOver: () => void }) {
  const { chatId, scenario, guarded, onStartOver } = props;
  const { chat, guard, recorder } = useDemoChat(props);
  const { requests, reports } = useSyncExternalStore(recorder.subscribe, recorder.getSnapshot);
  const session = useSession(chatId);
  /** What the person clicked, by call: the measure for everything beside the chat. */
  const [answers, setAnswers] = useState<ReadonlyMap<string, boolean>>(new Map());

  const retry = () => void (guard ? guard.retry() : chat.regenerate());

  return (
    <main className="room" data-chat-id={chatId}>
      <div className="column">
        <section className="panel chat" aria-label="Chat">
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
            onAnswer={(toolCallId, approved) =>
              setAnswers((earlier) => new Map(earlier).set(toolCallId, approved))
            }
          />
          {chat.error && (
            <div className="failure" role="alert">
              <p>The request failed: {chat.error.message}</p>
              <button type="button" onClick={retry}>
                Retry
              </button>
            </div>
          )}
          <Composer
            prompt={scenario.prompt}
            busy={chat.status === 'submitted' || chat.status === 'streaming'}
            onSend={(text) => void chat.sendMessage({ text })}
            onStartOver={onStartOver}
          />
        </section>
        <Folder files={session.files} runs={session.runs} model={session.model} answers={answers} />
      </div>

      <div className="column">
        <Receipt answers={answers} requests={requests} runs={session.runs} />
        <Requests requests={requests} received={session.requests} answers={answers} />
        {guard ? (
          <GuardPanel guard={guard} messages={chat.messages} reports={reports} />
        ) : (
          <StockPanel messages={chat.messages} />
        )}
      </div>
    </main>
  );
}
