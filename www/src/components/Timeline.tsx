import { useLayoutEffect, useRef } from 'react';
import type { TimelineLine } from '../timeline.ts';

/** What the record says, newest last. A reader further up stays there. */
export function Timeline({ lines }: { lines: readonly TimelineLine[] }) {
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    if (atEnd.current) list.current?.scrollTo(0, list.current.scrollHeight);
  }, [lines]);

  return (
    <div
      className="timeline"
      ref={list}
      role="region"
      aria-label="Timeline"
      // A keyboard scrolls what it can reach.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 4;
      }}
    >
      <ol>
        {lines.map(({ seq, time, what, call, note }) => (
          <li key={seq}>
            <time>{time}</time>
            <p>
              {what}
              {call && (
                <>
                  {' '}
                  <code>{call}</code>
                </>
              )}
              {note && <span className="life"> · {note}</span>}
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}
