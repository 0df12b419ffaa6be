import type { ApprovalGuard, LedgerEntry, Verdict } from 'tool-approval-guard';
import type { DemoMessage } from './message.ts';

/** One event of a chat, and what the guard says after it. */
export interface Step {
  entry: LedgerEntry;
  /** The tool and what it is about, if the event is of a call. */
  about?: string;
  verdict: Pick<Verdict, 'send' | 'reason' | 'message'>;
  calls: readonly { key: string; label: string; status: string; decision?: string }[];
}

export interface Steps {
  scenario: string;
  steps: readonly Step[];
}

/** Under which name the events of the newest chat are kept. */
export const STEPS = 'approval-demo-events';
/** The oldest events of a long chat are left out. */
const MOST = 300;

/** Keeps the events of this chat for the page that steps through them. Returns a function that ends this. */
export function keepSteps(guard: ApprovalGuard<DemoMessage>, scenario: string) {
  let steps: readonly Step[] = [];
  let last = -1;
  const keep = () => {
    const { calls, verdict } = guard.getSnapshot();
    const fresh = guard.ledger().filter(({ seq }) => seq > last);
    if (fresh.length === 0) return;
    last = fresh.at(-1)?.seq ?? last;
    const shown = calls.map(({ key, label, inputText, status, decision }) => ({
      key,
      label: `${label} ${inputText ?? ''}`.trim(),
      status,
      ...(decision && { decision }),
    }));
    const { send, reason, message } = verdict;
    const added = fresh.map((entry): Step => {
      const call = calls.find(({ toolCallId }) => toolCallId === entry.toolCallId);
      const about = call ? `${call.toolName} ${call.inputText ?? ''}`.trim() : entry.toolName;
      return { entry, ...(about && { about }), verdict: { send, reason, message }, calls: shown };
    });
    steps = [...steps, ...added].slice(-MOST);
    localStorage.setItem(STEPS, JSON.stringify({ scenario, steps } satisfies Steps));
  };
  keep();
  return guard.subscribe(keep);
}

/** What a chat has kept. */
export function keptSteps(): Steps {
  return (JSON.parse(localStorage.getItem(STEPS) ?? 'null') as Steps | null) ?? { scenario: '', steps: [] };
}
