import { isToolUIPart } from 'ai';
import type { ReactNode } from 'react';
import type { DemoChat, DemoMessage, DemoToolPart } from '../message.ts';

interface ConversationProps {
  chat: DemoChat;
  /** How a tool call is shown. */
  card: (part: DemoToolPart, message: DemoMessage) => ReactNode;
}

export function Conversation({ chat, card }: ConversationProps) {
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
            return isToolUIPart(part) ? card(part, message) : null;
          })}
        </article>
      ))}
      {chat.status === 'submitted' && <p className="thinking">Thinking</p>}
    </div>
  );
}
