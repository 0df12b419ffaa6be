import { useEffect, useMemo, useReducer } from 'react';
import type { ToolApprovalRecord } from 'tool-approval-guard/record';
import { targetsOf } from '../ledger.ts';
import type { DemoMessage } from '../message.ts';
import { lineOfRecord } from '../timeline.ts';
import { Proof } from './Proof.tsx';
import { PromptLoad } from './PromptLoad.tsx';
import { RecordFigures } from './RecordFigures.tsx';
import { Timeline } from './Timeline.tsx';

/** The calls of which the panel says how often they ask. */
const SHOWN_CALLS = 3;

interface RecordPanelProps {
  chatId: string;
  record: ToolApprovalRecord;
  messages: DemoMessage[];
}

/** What is on record of this chat, also of earlier pages, and what that proves. */
export function RecordPanel({ chatId, record, messages }: RecordPanelProps) {
  const [, look] = useReducer((looks: number) => looks + 1, 0);
  useEffect(() => record.subscribe(look), [record]);

  const head = record.head();
  const { lines, metrics, load } = useMemo(() => {
    const targets = targetsOf(messages);
    return {
      lines: record.entries().map((entry) => lineOfRecord(entry, targets)),
      metrics: record.metrics(),
      load: record.promptLoad(SHOWN_CALLS),
    };
  }, [record, messages, head.hash]);

  return (
    <section className="panel record" aria-label="The record">
      <h2>The record</h2>
      {lines.length === 0 ? <p className="hint">Nothing yet.</p> : <Timeline lines={lines} />}
      {metrics && <RecordFigures metrics={metrics} />}
      {load.length > 0 && (
        <>
          <h3>What asks most often</h3>
          <PromptLoad load={load} />
        </>
      )}
      <h3>Proof</h3>
      <Proof record={record} head={head} chatId={chatId} onForget={() => void record.forget()} />
    </section>
  );
}
