import { useId, useRef, useState } from 'react';
import type { RecordHead, ToolApprovalRecord } from 'tool-approval-guard/record';
import { verifyRecord } from 'tool-approval-guard/verify';
import { counted, shortened } from '../timeline.ts';
import { CopyButton } from './CopyButton.tsx';

interface ProofProps {
  record: ToolApprovalRecord;
  head: RecordHead;
  chatId: string;
  onForget: () => void;
}

const TYPES = { jsonl: 'application/jsonl', csv: 'text/csv' } as const;

/** The end of the chain, the export, and whether the two belong together. */
export function Proof({ record, head, chatId, onForget }: ProofProps) {
  /** An export, which may have been tampered with since, and the head that it was made with. */
  const [shown, setShown] = useState<{ text: string; head: string }>();
  const [verdict, setVerdict] = useState<ReturnType<typeof verifyRecord>>();
  const area = useRef<HTMLTextAreaElement>(null);
  const id = useId();

  const verify = (text: string, hash: string) => {
    setShown({ text, head: hash });
    setVerdict(verifyRecord(text, [hash]));
  };
  const forget = () => {
    setShown(undefined);
    setVerdict(undefined);
    onForget();
  };
  const goTo = (line: number) => {
    const { current } = area;
    const lines = shown?.text.split('\n') ?? [];
    const from = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    current?.focus();
    current?.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
    // Not every browser brings a selection into view.
    current?.scrollTo(0, ((line - 2) / lines.length) * current.scrollHeight);
  };

  return (
    <>
      <p className="copied">
        <span>
          {counted(head.entries)}, head <code title={head.hash}>{shortened(head.hash)}</code>
        </span>
        <CopyButton label="Copy the head" text={head.hash} />
      </p>
      <div className="card-actions">
        <button type="button" onClick={() => download(record.export('jsonl'), chatId, 'jsonl')}>
          Export JSON Lines
        </button>
        <button type="button" onClick={() => download(record.export('csv'), chatId, 'csv')}>
          Export CSV
        </button>
        <button type="button" onClick={() => verify(record.export('jsonl'), record.head().hash)}>
          Verify
        </button>
        <button type="button" className="quiet" onClick={forget}>
          Forget
        </button>
      </div>
      {shown && (
        <div className="tamper">
          <label htmlFor={id}>The export. Change what you like, and verify it again.</label>
          <textarea
            id={id}
            ref={area}
            value={shown.text}
            onChange={({ target }) => {
              setShown({ ...shown, text: target.value });
              setVerdict(undefined);
            }}
            rows={6}
            wrap="off"
            spellCheck={false}
          />
          <button type="button" onClick={() => verify(shown.text, shown.head)}>
            Verify again
          </button>
        </div>
      )}
      <div role="status">
        {verdict && (
          <p className={`proven ${verdict.type === 'intact' ? 'good' : 'bad'}`}>
            <strong>{verdict.type === 'intact' ? 'Intact.' : `Broken at line ${verdict.line}.`}</strong>{' '}
            {verdict.message}
          </p>
        )}
      </div>
      {verdict?.type === 'broken' && (
        <button type="button" className="small" onClick={() => goTo(verdict.line)}>
          Show line {verdict.line}
        </button>
      )}
    </>
  );
}

function download(text: string, chatId: string, format: keyof typeof TYPES) {
  const url = URL.createObjectURL(new Blob([text], { type: TYPES[format] }));
  Object.assign(document.createElement('a'), { href: url, download: `record-${chatId}.${format}` }).click();
  // The browser reads it a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
