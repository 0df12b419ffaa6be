import { useRef } from 'react';
import type { GrantView } from 'tool-approval-guard';
import type { DemoGuard } from '../useDemoChat.ts';
import { useKeptFocus } from '../useKeptFocus.ts';

interface GrantsProps {
  guard: DemoGuard;
  grants: readonly GrantView[];
}

/** What holds for more than one call, and how to end it. It comes with the first, and stays. */
export function Grants({ guard, grants }: GrantsProps) {
  const keptFocus = useKeptFocus<HTMLElement>();
  const hadSome = useRef(false);
  hadSome.current ||= grants.length > 0;
  if (!hadSome.current) return null;

  return (
    <section {...keptFocus} className="panel grants" aria-label="What you answered for longer">
      <h2>What you answered for longer</h2>
      {grants.length === 0 && <p className="hint">Nothing. Every call asks.</p>}
      <ul>
        {grants.map((grant) => (
          <li key={grant.id} data-grant={grant.type} data-status={grant.status}>
            <p>
              <strong>{grant.type === 'allow' ? 'Allowed' : 'Denied'}</strong> <bdi>{grant.words.scope}</bdi>
            </p>
            <p className="hint">{life(grant)}</p>
            <button type="button" onClick={() => guard.revoke(grant.id)}>
              {guard.text(grant.type === 'allow' ? 'action.revoke' : 'action.revokeDeny')}
              <span className="visually-hidden">
                {' '}
                <bdi>{grant.words.scope}</bdi>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function life({ uses, endsAt, status }: GrantView): string {
  const used = uses === 0 ? 'Not used yet' : `Used for ${uses} more ${uses === 1 ? 'call' : 'calls'}`;
  const ends = endsAt === undefined ? '' : `, ends at ${time(endsAt)}`;
  if (status === 'draft') return 'Not sent yet, so it can be undone.';
  if (status === 'provisional') return `${used}${ends}. Holds for later calls once it has arrived.`;
  return `${used}${ends}.`;
}

const time = (at: number) =>
  new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
