import { isToolUIPart } from 'ai';
import type { Snapshot } from 'tool-approval-guard';
import type { FolderFile } from '../../shared/protocol.ts';
import type { DemoToolPart } from '../message.ts';
import type { DemoChat, DemoGuard } from '../useDemoChat.ts';
import { ApprovalCard } from './ApprovalCard.tsx';
import { ToolCard } from './ToolCard.tsx';

interface ConversationProps {
  chat: DemoChat;
  files: readonly FolderFile[];
  /** The guard and what it knows, if there is one. */
  guarded: { guard: DemoGuard; snapshot: Snapshot } | undefined;
  showsLasting: boolean;
  /** The person has stopped the assistant. */
  stopped: boolean;
  onAnswer: (toolCallId: string, approved: boolean) => void;
  onStop: () => void;
}

export function Conversation(props: ConversationProps) {
  const { chat, files, guarded, showsLasting, stopped, onAnswer, onStop } = props;

  const card = (part: DemoToolPart) => {
    const call = guarded?.snapshot.calls.findLast(({ toolCallId }) => toolCallId === part.toolCallId);
    // The SDK may give a denied part without its approval; the guard remembers that it had one.
    const hasApproval = part.approval !== undefined || call?.approvalId !== undefined;
    if (!guarded || !hasApproval) {
      return <ToolCard key={part.toolCallId} part={part} chat={chat} files={files} onAnswer={onAnswer} />;
    }
    const { calls, batch } = guarded.snapshot;
    const loops = batch.looping && !stopped && call?.refusals === batch.refusals;
    return (
      <ApprovalCard
        key={part.toolCallId}
        part={part}
        chat={chat}
        call={call}
        calls={calls}
        guard={guarded.guard}
        loop={loops ? batch.words.loop : ''}
        showsLasting={showsLasting}
        onStop={onStop}
      />
    );
  };

  return (
    <div className="conversation" role="log" aria-label="Conversation">
      {chat.messages.map((message) => (
        <article key={message.id} className={`message ${message.role}`}>
          <h2 className="visually-hidden">{message.role === 'user' ? 'You' : 'Assistant'}</h2>
          {message.parts.map((part, index) => {
            if (part.type === 'text') {
              if (part.text.trim() === '') return null;
              return (
                <p key={index}>
                  <bdi>{part.text}</bdi>
                </p>
              );
            }
            return isToolUIPart(part) ? card(part) : null;
          })}
        </article>
      ))}
      {chat.status === 'submitted' && <p className="thinking">Thinking</p>}
    </div>
  );
}
