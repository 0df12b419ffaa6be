import { useRef } from 'react';
import type { FolderFile } from '../../shared/protocol.ts';
import type { DemoToolPart } from '../message.ts';
import { writeOutputOfDenied } from '../mistake.ts';
import type { DemoChat } from '../useDemoChat.ts';
import { describe } from './describe.tsx';
import { FilePicker } from './FilePicker.tsx';

interface ToolCardProps {
  part: DemoToolPart;
  chat: DemoChat;
  files: readonly FolderFile[];
  onAnswer: (toolCallId: string, approved: boolean) => void;
}

/** The card of a call that nobody has to approve, and without the guard of every call. */
export function ToolCard({ part, chat, files, onAnswer }: ToolCardProps) {
  const card = useRef<HTMLDivElement>(null);

  const answer = (approvalId: string, approved: boolean) => {
    onAnswer(part.toolCallId, approved);
    void chat.addToolApprovalResponse({ id: approvalId, approved });
    if (!approved) writeOutputOfDenied(chat, part);
    // The buttons go away, and a keyboard user should not be thrown back to the top.
    card.current?.focus();
  };

  return (
    <div className="card" ref={card} tabIndex={-1} data-call={part.toolCallId} data-state={part.state}>
      <p className="card-title">{describe(part)}</p>
      {part.type === 'tool-pick_file' && part.state === 'input-available' ? (
        <FilePicker
          files={files}
          onPick={(path) => {
            void chat.addToolOutput({ tool: 'pick_file', toolCallId: part.toolCallId, output: { path } });
            card.current?.focus();
          }}
        />
      ) : part.state === 'approval-requested' && !part.approval.isAutomatic ? (
        <div className="card-actions">
          <button type="button" onClick={() => answer(part.approval.id, false)}>
            Deny
          </button>
          <button type="button" onClick={() => answer(part.approval.id, true)}>
            Allow once
          </button>
        </div>
      ) : (
        <Outcome part={part} />
      )}
    </div>
  );
}

function Outcome({ part }: { part: DemoToolPart }) {
  switch (part.state) {
    case 'approval-responded':
      return part.approval.approved ? (
        <p className="outcome allowed">Allowed once</p>
      ) : (
        <p className="outcome denied">Denied</p>
      );
    case 'output-denied':
      return (
        <p className="outcome denied">
          {/* Against its type, the SDK gives a part without its approval while an output that came
              after the denial is still in the running response. */}
          {part.approval?.isAutomatic ? 'Denied by the server' : 'Denied'}
          {part.approval?.reason && (
            <span className="reason">
              <bdi>{part.approval.reason}</bdi>
            </span>
          )}
        </p>
      );
    case 'output-available':
      return part.approval?.approved ? (
        <p className="outcome allowed">Allowed once</p>
      ) : (
        <p className="outcome">
          Result{' '}
          <bdi>
            <code>{JSON.stringify(part.output)}</code>
          </bdi>
        </p>
      );
    case 'output-error':
      return (
        <p className="outcome denied">
          Failed: <bdi>{part.errorText}</bdi>
        </p>
      );
    default:
      return <p className="outcome">Working</p>;
  }
}
