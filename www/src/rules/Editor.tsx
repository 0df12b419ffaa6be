import { useId, useRef, type ReactNode } from 'react';
import { lineAndColumn, type Span } from './places.ts';
import type { Remark } from './reading.ts';
import { Shown } from './Shown.tsx';

interface EditorProps {
  text: string;
  remarks: readonly Remark[];
  onChange: (text: string) => void;
  onReset: () => void;
}

/** The rules as a text, and what is wrong with it, at its place. */
export function Editor({ text, remarks, onChange, onReset }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const isBroken = remarks.some(({ kind }) => kind === 'problem');

  const goTo = ({ from, to }: Span) => {
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
    area.current?.parentElement?.querySelector(`[data-from="${from}"]`)?.scrollIntoView({ block: 'center' });
  };

  return (
    <section className="panel">
      <h2>
        <label htmlFor={id}>Rules</label>
      </h2>
      <p className="hint" id={`${id}-hint`}>
        The JSON of a <code>RulesConfig</code>, for the tools of the demo and three more. Change it.
      </p>
      <div className="editor">
        {/* The same text once more, below the real one: only it can be marked. */}
        <pre aria-hidden="true">{marked(text, remarks)}</pre>
        <textarea
          ref={area}
          id={id}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={isBroken}
          aria-describedby={`${id}-hint ${id}-remarks`}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
        />
      </div>
      <ul className="remarks" id={`${id}-remarks`} aria-label="Remarks">
        {remarks.map((remark, index) => {
          const [line, column] = lineAndColumn(text, remark.from);
          return (
            <li key={index} className={remark.kind}>
              <p>
                <strong>{remark.kind === 'problem' ? 'Problem' : 'Look at this'}.</strong>{' '}
                <Shown text={remark.message} /> <Shown text={remark.mend} />
              </p>
              <button type="button" onClick={() => goTo(remark)}>
                Line {line}, column {column}
              </button>
            </li>
          );
        })}
      </ul>
      <button type="button" className="quiet" onClick={onReset}>
        Start over
      </button>
    </section>
  );
}

/** The text with its remarks marked. Where two of them meet the first one is. */
function marked(text: string, remarks: readonly Remark[]): ReactNode[] {
  const pieces: ReactNode[] = [];
  let at = 0;
  for (const { kind, from, to } of [...remarks].sort((a, b) => a.from - b.from)) {
    if (from < at) continue;
    pieces.push(text.slice(at, from));
    // Line by line, without what only sets it in.
    for (const [index, piece] of text
      .slice(from, to)
      .split(/(\n[ \t]*)/)
      .entries()) {
      if (index % 2 === 1) pieces.push(piece);
      else {
        pieces.push(
          <mark key={`${from} ${index}`} className={kind} data-from={from}>
            {piece}
          </mark>,
        );
      }
    }
    at = to;
  }
  // A break at the end has a line only if something stands in it.
  return [...pieces, text.slice(at), '\n'];
}
