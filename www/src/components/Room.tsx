import { useSyncExternalStore, type ReactNode, type Ref } from 'react';
import type { SessionState } from '../../shared/protocol.ts';
import type { Keeper } from '../keeper.ts';
import type { DemoChat, DemoMessage, DemoToolPart } from '../message.ts';
import type { Recorder } from '../recorder.ts';
import { codeOf, STOCK_CODE } from '../code.ts';
import type { Scenario } from '../scenarios.ts';
import { Composer } from './Composer.tsx';
import { Conversation } from './Conversation.tsx';
import { Folder } from './Folder.tsx';
import { Interruptions } from './Interruptions.tsx';
import { Receipt } from './Receipt.tsx';
import { Requests } from './Requests.tsx';

export interface RoomOptions {
  chatId: string;
  scenario: Scenario;
  onStartOver: () => void;
}

interface RoomProps extends RoomOptions {
  chat: DemoChat;
  recorder: Recorder;
  keeper?: Keeper | undefined;
  session: SessionState;
  /** What a person said, by call: the measure for everything beside the chat. */
  answers: ReadonlyMap<string, boolean>;
  card: (part: DemoToolPart, message: DemoMessage) => ReactNode;
  /** Where the guard asks. */
  queue?: ReactNode;
  /** What says why the chat does (not) go on. */
  panel: ReactNode;
  message?: Ref<HTMLInputElement>;
  /** A message would close calls that wait. */
  closesCalls?: boolean;
  onRetry?: () => void;
}

/** One chat and, beside it, the evidence of what it did. */
export function Room(props: RoomProps) {
  const { chatId, scenario, chat, recorder, keeper, session, answers, queue, onRetry } = props;
  const { requests } = useSyncExternalStore(recorder.subscribe, recorder.getSnapshot);

  return (
    <main className="room" data-chat-id={chatId} data-status={chat.status}>
      <div className="column">
        <section className="panel chat" aria-label="Chat">
          <div className="brief">
            <p>
              <strong>Try this.</strong> {scenario.todo}
            </p>
            <p className={queue ? 'expect' : 'expect expect-stock'}>
              {queue ? scenario.guarded : scenario.stock}
            </p>
            <details className="code">
              <summary>{queue ? 'The guard of this scenario' : 'The chat without a guard'}</summary>
              <pre tabIndex={0}>
                <code>{queue ? codeOf(scenario) : STOCK_CODE}</code>
              </pre>
            </details>
            <p className="hint">
              Explained in <a href={`guides/docs/${scenario.guide.at}`}>{scenario.guide.title}</a>.
            </p>
          </div>
          <Conversation chat={chat} card={props.card} />
          {queue}
          {chat.error && (
            <div className="failure" role="alert">
              <p>The request failed: {chat.error.message}</p>
              {onRetry && (
                <button type="button" onClick={onRetry}>
                  Retry
                </button>
              )}
            </div>
          )}
          <Composer
            input={props.message}
            prompt={keeper?.messages.length ? undefined : scenario.prompt}
            nextPrompt={scenario.nextPrompt ?? ''}
            busy={chat.status === 'submitted' || chat.status === 'streaming'}
            closesCalls={props.closesCalls ?? false}
            onSend={(text) => void chat.sendMessage({ text })}
            onStartOver={props.onStartOver}
          />
        </section>
        {keeper && <Interruptions keeper={keeper} />}
        <Folder files={session.files} runs={session.runs} model={session.model} answers={answers} />
      </div>

      <div className="column">
        <Receipt answers={answers} requests={requests} runs={session.runs} />
        <Requests requests={requests} received={session.requests} answers={answers} />
        {props.panel}
      </div>
    </main>
  );
}
