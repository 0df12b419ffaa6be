import { useLayoutEffect, useRef, type ReactNode } from 'react';
import type { ApprovalGuard, CallView } from 'tool-approval-guard';
import type { ToolApprovalCard } from 'tool-approval-guard/element';
import type { FolderFile } from '../../shared/protocol.ts';
import { describe, lineOf, type Piece } from '../calls.ts';
import type { DemoChat, DemoToolPart } from '../message.ts';
import { FilePicker } from './FilePicker.tsx';

interface ToolCardProps {
  part: DemoToolPart;
  chat: DemoChat;
  files: readonly FolderFile[];
  guard?: ApprovalGuard;
  /** What the guard knows of it. */
  call?: CallView | undefined;
  /** Without the guard the card asks by itself. */
  onAnswer?: (approvalId: string, approved: boolean) => void;
}

/** A call in the conversation: what the tool does, and what became of it. */
export function ToolCard({ part, chat, files, guard, call, onAnswer }: ToolCardProps) {
  const card = useRef<HTMLDivElement>(null);
  // The buttons go away, and a keyboard user should not be thrown back to the top.
  const keepFocus = () => card.current?.focus();
  const answer = (id: string, approved: boolean) => {
    onAnswer?.(id, approved);
    keepFocus();
  };
  const asks = part.state === 'approval-requested' && !part.approval.isAutomatic && part.approval.id;

  if (guard && call && isBeingDecided(call)) {
    return (
      <div className="approval" ref={card} tabIndex={-1}>
        <Approval guard={guard} call={call} onEnd={keepFocus} />
      </div>
    );
  }
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

/** Whether a call asks, or what was decided of it is not with the server yet. */
const isBeingDecided = ({ status, decision }: CallView): boolean =>
  status === 'asking' ||
  (decision !== undefined && ['drafted', 'answered', 'sent', 'in-doubt'].includes(status));

/** The request, in the place of its part. */
function Approval({ guard, call, onEnd }: { guard: ApprovalGuard; call: CallView; onEnd: () => void }) {
  const element = useRef<ToolApprovalCard>(null);
  useLayoutEffect(() => {
    const { current } = element;
    return () => {
      if (document.activeElement === current) onEnd();
    };
  }, []);
  return <tool-approval-card ref={element} guard={guard} call={call} />;
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
