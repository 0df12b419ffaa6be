import { useEffect, useId, useRef, useState } from 'react';
import type { CallView, Choice, DecideOptions, DecideResult } from 'tool-approval-guard';
import type { DemoToolPart } from '../message.ts';
import { writeOutputOfDenied } from '../mistake.ts';
import type { DemoChat, DemoGuard } from '../useDemoChat.ts';
import { useKeptFocus } from '../useKeptFocus.ts';
import { Choices } from './Choices.tsx';
import { Deadline } from './Deadline.tsx';
import { describe } from './describe.tsx';
import { LoopNote } from './LoopNote.tsx';

interface ApprovalCardProps {
  part: DemoToolPart;
  chat: DemoChat;
  /** What the guard knows of it. Without that there is nothing to press. */
  call: CallView | undefined;
  /** All calls that it knows, to say which of them a choice covers. */
  calls: readonly CallView[];
  guard: DemoGuard;
  /** What to say when the model asks for this call again and again. */
  loop: string;
  showsLasting: boolean;
  onStop: () => void;
}

/** The card of a call that a person has to approve, drawn from what the guard knows. */
export function ApprovalCard(props: ApprovalCardProps) {
  const { part, chat, call, calls, guard, loop, showsLasting, onStop } = props;
  const [notice, setNotice] = useState('');
  const keptFocus = useKeptFocus<HTMLDivElement>('.undo');
  const id = useId();
  const asks = call?.status === 'asking';
  const tool = <bdi>{call?.toolName}</bdi>;

  // The decision is a draft until it is committed, so the mistake of this page waits until then.
  const isDenied = part.state === 'approval-responded' && part.approval.approved === false;
  const hasErred = useRef(false);
  useEffect(() => {
    if (!isDenied || hasErred.current) return;
    hasErred.current = true;
    writeOutputOfDenied(chat, part);
  }, [isDenied, chat, part]);

  const decide = (choice: Choice, options?: DecideOptions) => {
    if (call) setNotice(refusal(guard, guard.decide(call, choice, options)));
  };

  return (
    <div
      {...keptFocus}
      className={call?.dangerous ? 'card approval dangerous' : 'card approval'}
      // A key that is held down would go on to Undo, which has the focus after the decision.
      onKeyDown={(event) => event.repeat && event.key === 'Enter' && event.preventDefault()}
      role="group"
      aria-labelledby={`${id}-what ${id}-position`}
      data-call={part.toolCallId}
      data-state={part.state}
      data-status={call?.status}
    >
      <div className="card-head">
        <p className="card-title" id={`${id}-what`}>
          {describe(part)}
        </p>
        <p className="position" id={`${id}-position`}>
          {call?.position && call.position.total > 1 && call.words.position}
        </p>
      </div>

      {call && asks && (
        <>
          <p className="question">
            <bdi>{call.words.title}</bdi>{' '}
            <span className="why">
              <bdi>{call.words.why}</bdi>
            </span>
          </p>
          {call.dangerous && (
            <p className="danger">
              <strong>Dangerous.</strong> It cannot be taken back, so a yes is for this call alone.
            </p>
          )}
          {loop && <LoopNote text={loop} onStop={onStop} />}
          {call.deadline !== undefined && <Deadline call={call} deadline={call.deadline} guard={guard} />}
          <Choices call={call} calls={calls} guard={guard} showsLasting={showsLasting} onChoose={decide} />
        </>
      )}

      {call && !asks && (
        <div className="answer">
          <Outcome call={call} part={part} />
          {call.undoable && (
            <button
              type="button"
              className="undo"
              onClick={() => {
                guard.undo(call);
                setNotice('');
              }}
            >
              {guard.text('action.undo')}
              <span className="visually-hidden"> {tool}</span>
            </button>
          )}
        </div>
      )}
      {!call && <p className="outcome">Working</p>}
      {notice && (
        <p className="notice" role="status">
          <bdi>{notice}</bdi>
        </p>
      )}
    </div>
  );
}

function Outcome({ call, part }: { call: CallView; part: DemoToolPart }) {
  const { outcome, scope } = call.words;
  const reason = part.approval?.approved === false ? part.approval.reason : undefined;
  const failed = part.state === 'output-error' ? part.errorText : undefined;
  return (
    <div className={`outcome ${tone(call)}`}>
      <p className="said">
        <bdi>{outcome || 'Working'}</bdi>
      </p>
      {scope && !outcome.includes(scope) && (
        <p className="reason">
          <bdi>{scope}</bdi>
        </p>
      )}
      {reason && (
        <p className="reason">
          The model is told: <bdi>{reason}</bdi>
        </p>
      )}
      {failed && (
        <p className="reason">
          It failed: <bdi>{failed}</bdi>
        </p>
      )}
    </div>
  );
}

/** Colour is for what a person said. What time, the server or the guard did has words alone. */
function tone({ outcome }: CallView) {
  if (outcome?.startsWith('allowed')) return 'allowed';
  return outcome?.startsWith('denied') ? 'denied' : '';
}

/** What a person reads when a click came too late, or could not count. */
function refusal(guard: DemoGuard, result: DecideResult): string {
  if (result.type !== 'refused') return '';
  switch (result.reason) {
    case 'already-answered':
    case 'expired':
    case 'superseded':
    case 'gone':
    case 'unreachable':
      return guard.text('error.late');
    default:
      return result.message;
  }
}
