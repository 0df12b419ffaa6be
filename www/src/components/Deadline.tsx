import type { CallView } from 'tool-approval-guard';
import type { DemoGuard } from '../useDemoChat.ts';
import { secondsUntil, useNow } from '../useNow.ts';

const inSeconds = new Intl.NumberFormat('en', { style: 'unit', unit: 'second', unitDisplay: 'long' });

interface DeadlineProps {
  call: CallView;
  deadline: number;
  guard: DemoGuard;
}

/** How long a request still waits, and the way to make it wait longer. */
export function Deadline({ call, deadline, guard }: DeadlineProps) {
  const left = secondsUntil(deadline, useNow(true));
  return (
    <div className={call.expiring ? 'deadline expiring' : 'deadline'}>
      <p role="timer">{guard.text('warn.expiry', { time: inSeconds.format(left) })}</p>
      {call.expiring && (
        <button type="button" onClick={() => guard.extend(call)}>
          {guard.text('action.extend')}
          <span className="visually-hidden">
            {' '}
            <bdi>{call.toolName}</bdi>
          </span>
        </button>
      )}
    </div>
  );
}
