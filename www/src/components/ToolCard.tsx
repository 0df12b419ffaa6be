import { useRef, type ReactNode } from 'react';
import type { CallView } from 'tool-approval-guard';
import type { FolderFile } from '../../shared/protocol.ts';
import { describe, lineOf, type Piece } from '../calls.ts';
import type { DemoChat, DemoToolPart } from '../message.ts';
import { FilePicker } from './FilePicker.tsx';

interface ToolCardProps {
  part: DemoToolPart;
  chat: DemoChat;
  files: readonly FolderFile[];
  /** What the guard knows of it. */
  call?: CallView | undefined;
  /** Without the guard the card asks by itself. */
  onAnswer?: (approvalId: string, approved: boolean) => void;
}

/** A call in the conversation: what the tool does, and what became of it. */
export function ToolCard({ part, chat, files, call, onAnswer }: ToolCardProps) {
  const card = useRef<HTMLDivElement>(null);
  // The buttons go away, and a keyboard user should not be thrown back to the top.
  const keepFocus = () => card.current?.focus();
  const answer = (id: string, approved: boolean) => {
    onAnswer?.(id, approved);
    keepFocus();
  };
  const asks = part.state === 'approval-requested' && !part.approval.isAutomatic && part.approval.id;

  return (
    <div className="card" ref={card} tabIndex={-1} data-call={part.toolCallId} data-state={part.state}>
      <p className="card-title">{describe(part, call).map(shown)}</p>
      {part.type === 'tool-pick_file' && part.state === 'input-available' ? (
        <FilePicker
          files={files}
          onPick={(path) => {
            void chat.addToolOutput({ tool: 'pick_file', toolCallId: part.toolCallId, output: { path } });
            keepFocus();
          }}
        />
      ) : onAnswer && asks ? (
        <div className="card-actions">
          <button type="button" onClick={() => answer(asks, false)}>
            Deny
          </button>
          <button type="button" onClick={() => answer(asks, true)}>
            Allow once
          </button>
        </div>
      ) : (
        <Outcome {...lineOf(part, call)} />
      )}
    </div>
  );
}

function shown(piece: Piece, index: number): ReactNode {
  if (typeof piece === 'string') return piece;
  return <bdi key={index}>{piece.isFile ? <code>{piece.value}</code> : piece.value}</bdi>;
}

function Outcome({ words, tone, detail, isResult }: ReturnType<typeof lineOf>) {
  return (
    <p className={`outcome ${tone ?? ''}`}>
      <bdi>{words}</bdi>
      {detail && (
        <>
          {' '}
          <bdi className="reason">{isResult ? <code>{detail}</code> : detail}</bdi>
        </>
      )}
    </p>
  );
}
