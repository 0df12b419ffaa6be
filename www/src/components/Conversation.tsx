import { isToolUIPart } from 'ai';
import type { FolderFile } from '../../shared/protocol.ts';
import type { DemoChat } from '../useDemoChat.ts';
import { ToolCard } from './ToolCard.tsx';

interface ConversationProps {
  chat: DemoChat;
  files: readonly FolderFile[];
  onAnswer: (toolCallId: string, approved: boolean) => void;
}

export function Conversation({ chat, files, onAnswer }: ConversationProps) {
  return (
    <div className="conversation" role="log" aria-label="Conversation">
      {chat.messages.map((message) => (
        <article key={message.id} className={`message ${message.role}`}>
          <h2 className="visually-hidden">{message.role === 'user' ? 'You' : 'Assistant'}</h2>
          {message.parts.map((part, index) => {
            if (part.type === 'text') {
              return part.text.trim() === '' ? null : <p key={index}>{part.text}</p>;
            }
            if (!isToolUIPart(part)) return null;
            return (
              <ToolCard key={part.toolCallId} part={part} chat={chat} files={files} onAnswer={onAnswer} />
            );
          })}
        </article>
      ))}
      {chat.status === 'submitted' && <p className="thinking">Thinking</p>}
    </div>
  );
}
