import { useEffect, useState } from 'react';
import { keptSteps, STEPS, type Step } from '../steps.ts';
import { titleOf, whoOf } from '../timeline.ts';

/** The events of the chat that was played last, one at a time, and what the guard said after each. */
export function EventsPage() {
  const [{ scenario, steps }, setKept] = useState(keptSteps);
  const [chosen, setChosen] = useState<number>();
  useEffect(() => {
    // The chat goes on in another tab.
    const read = ({ key }: StorageEvent) => void (key === STEPS && setKept(keptSteps()));
    addEventListener('storage', read);
    return () => removeEventListener('storage', read);
  }, []);

  const at = Math.min(chosen ?? 0, steps.length - 1);
  const step = steps[at];
  return (
    <>
      <header className="masthead">
        <h1>The events of a chat</h1>
        <p>
          {step
            ? `${scenario}: each event that the guard has noted, and what it said afterwards.`
            : 'No chat was played in this browser yet.'}{' '}
          <a href="./">The demo</a>
        </p>
      </header>
      {step && (
        <main className="events">
          <section className="panel" aria-label="Events">
            <fieldset>
              <legend className="visually-hidden">Event</legend>
              {steps.map(({ entry, about }, index) => (
                <label key={entry.seq}>
                  <input type="radio" name="event" checked={index === at} onChange={() => setChosen(index)} />
                  <time>{new Date(entry.at).toLocaleTimeString('en-GB')}</time>
                  <span>
                    {titleOf(entry)} {about && <code>{about}</code>}
                  </span>
                </label>
              ))}
            </fieldset>
          </section>
          <StepPanel
            step={step}
            place={`${at + 1} of ${steps.length}`}
            onBack={at > 0 ? () => setChosen(at - 1) : undefined}
            onForward={at + 1 < steps.length ? () => setChosen(at + 1) : undefined}
          />
        </main>
      )}
    </>
  );
}

interface StepPanelProps {
  step: Step;
  place: string;
  onBack: (() => void) | undefined;
  onForward: (() => void) | undefined;
}

function StepPanel({ step: { entry, verdict, calls }, place, onBack, onForward }: StepPanelProps) {
  return (
    <section className="panel step" aria-label="After this event">
      <div className="steps">
        <button type="button" disabled={!onBack} onClick={onBack}>
          Back
        </button>
        <button type="button" disabled={!onForward} onClick={onForward}>
          Forward
        </button>
        <span className="hint" role="status">
          {place}
        </span>
      </div>
      <h2>{titleOf(entry)}</h2>
      <p className="hint">{whoOf(entry)}</p>
      <p className="verdict">
        <span className={verdict.send ? 'pill good' : 'pill'}>{verdict.send ? 'send' : 'hold'}</span>
        <code>{verdict.reason}</code>
      </p>
      <p className="sentence">{verdict.message}</p>
      <ul className="calls">
        {calls.map(({ key, label, status, decision }) => (
          <li key={key}>
            <p>
              <code>{label}</code>
            </p>
            <p className="life">{decision ? `${decision}, ${status}` : status}</p>
          </li>
        ))}
      </ul>
      <details>
        <summary>The entry of the ledger</summary>
        <pre tabIndex={0}>
          <code>{JSON.stringify(entry, undefined, 2)}</code>
        </pre>
      </details>
    </section>
  );
}
