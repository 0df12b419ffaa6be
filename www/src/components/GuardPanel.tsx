import { useSyncExternalStore } from 'react';
import type { ApprovalGuard, CallView, Need, Snapshot } from 'tool-approval-guard';
import { lineOfLedger, targetsOf } from '../ledger.ts';
import type { DemoMessage } from '../message.ts';
import type { Recorder } from '../recorder.ts';

const SHOWN_EVENTS = 16;

interface GuardPanelProps {
  guard: ApprovalGuard<DemoMessage>;
  snapshot: Snapshot;
  messages: DemoMessage[];
  recorder: Recorder;
}

export function GuardPanel({ guard, snapshot, messages, recorder }: GuardPanelProps) {
  const { verdict, calls } = snapshot;
  const { reports } = useSyncExternalStore(recorder.subscribe, recorder.getSnapshot);
  const targets = targetsOf(messages);
  const needs = new Map(verdict.waitingFor.map((call) => [call.toolCallId, call.need]));
  const ledger = guard.ledger().slice(-SHOWN_EVENTS);

  return (
    <section className="panel">
      <h2>What the guard says</h2>
      <p className="verdict" data-reason={verdict.reason}>
        <span className={verdict.send ? 'pill good' : 'pill'}>{verdict.send ? 'send' : 'hold'}</span>
        <code>{verdict.reason}</code>
      </p>
      <p className="sentence">{verdict.message}</p>

      {calls.length > 0 && (
        <ul className="calls">
          {calls.map((call) => (
            <li key={`${call.messageId} ${call.toolCallId} ${call.approvalId ?? ''}`}>
              <p>
                <code>{call.toolName}</code> <bdi>{targets.get(call.toolCallId)}</bdi>
              </p>
              <p className="life">{life(call, needs.get(call.toolCallId))}</p>
            </li>
          ))}
        </ul>
      )}

      {reports.map((error, index) => (
        <p key={index} className="report">
          <code>{error.code}</code> {error.message}
        </p>
      ))}

      {ledger.length > 0 && (
        <details open>
          <summary>Ledger, the last {ledger.length} events</summary>
          <ol className="ledger">
            {ledger.map((entry) => (
              <li key={entry.seq}>
                <span className="seq">{entry.seq}</span>
                <bdi>{lineOfLedger(entry, targets)}</bdi>
              </li>
            ))}
          </ol>
        </details>
      )}
      {ledger.length > 0 && (
        <p className="hint">
          <a className="alone" href="events.html" target="_blank" rel="noreferrer">
            Step through all of them
          </a>
        </p>
      )}
    </section>
  );
}

function life({ status, decision, actor }: CallView, need: Need | undefined) {
  if (status === 'drafted') return `${decision ?? 'decided'} by ${actor ?? 'nobody'}, not in the chat yet`;
  if (need) return `${status}, waits for: ${need}`;
  if (status === 'superseded') return 'set aside, because the user moved on';
  return decision ? `${decision} by ${actor ?? 'nobody'}, ${status}` : status;
}
