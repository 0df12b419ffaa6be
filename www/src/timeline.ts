import type { RecordEntry } from 'tool-approval-guard/record';

/** An entry of the record as a line that people can read. */
export interface TimelineLine {
  seq: number;
  time: string;
  what: string;
  /** The tool and its file, where the page still has the call. */
  call: string | undefined;
  /** The actor, and how long the call had waited. */
  note: string;
}

const WHAT: Readonly<Record<RecordEntry['type'], string>> = {
  noticed: 'A call came',
  asked: 'It asks for an approval',
  annotated: 'The application marked it',
  drafted: 'Decided, not sent',
  undone: 'The decision was undone',
  expired: 'Nobody answered in time',
  warned: 'It expires soon',
  extended: 'It got more time',
  revealed: 'What was hidden was shown',
  held: 'It waits for the other answers',
  answered: 'Answered',
  'late-denial': 'A late denial counts',
  refused: 'A second answer was refused',
  output: 'It has its result',
  'output-without-approval': 'An output over an open question does not count',
  overwritten: 'An output over a denial does not count',
  voided: 'The input changed, so the answer is void',
  unhandled: 'The response has left it out',
  withdrawn: 'Taken back',
  superseded: 'Closed, because the user moved on',
  sent: 'A request carries it',
  settled: 'The denial was taken',
  'closed-by-user-message': 'The denial leaves as settled',
  gone: 'Its message is gone',
  returned: 'Its message is back',
  requested: 'A request leaves',
  started: 'The response begins',
  ended: 'The response has ended',
  failed: 'The request failed',
  stopped: 'The chat was stopped',
  acted: 'A message, or a deliberate send',
  granted: 'An answer that lasts',
  'grant-ended': 'It does not last any more',
  'rule-evaluated': 'Rules have a say',
  lost: 'The messages have lost the question',
  waited: 'It has waited since an earlier page',
  recalled: 'The answer of an earlier page stands',
  elsewhere: 'Answered in another tab',
  awaited: 'The page has to run it',
  'timed-out': 'The page did not run it in time',
  regranted: 'An answer that lasts, of an earlier page',
  recounted: 'Requests of an earlier page count',
  forgotten: 'Calls that are gone from the chat are given up',
  absorbed: 'The record of an earlier page was taken over',
};

const WHO: Partial<Record<string, string>> = {
  person: 'a person',
  external: 'a program',
  tab: 'a person in another tab',
  timer: 'time',
  grant: 'a lasting answer',
  rule: 'a rule',
  server: 'the server',
  history: 'the messages',
  superseded: 'the guard',
  unattended: 'the guard',
  stop: 'a stop',
};

type Told = Pick<RecordEntry, 'type' | 'approved' | 'actor'>;

/** What has happened, in words. */
export const titleOf = ({ type, approved }: Pick<Told, 'type' | 'approved'>) =>
  WHAT[type] + (approved === undefined ? '' : `: ${approved ? 'allowed' : 'denied'}`);

/** The actor who caused it, in words. */
export const whoOf = ({ actor }: Pick<Told, 'actor'>) =>
  actor === undefined ? '' : `by ${WHO[actor] ?? actor}`;

/** @param targets the files that the calls are about, by call: the record has hashes alone */
export function lineOfRecord(entry: RecordEntry, targets: ReadonlyMap<string, string>): TimelineLine {
  const { seq, at, toolCallId = '', toolName, waitedMs } = entry;
  return {
    seq,
    time: new Date(at).toLocaleTimeString('en-GB'),
    what: titleOf(entry),
    call: toolName && `${toolName} ${targets.get(toolCallId) ?? ''}`.trim(),
    note: [whoOf(entry), ...(waitedMs === undefined ? [] : [`after ${duration(waitedMs)}`])]
      .filter((text) => text !== '')
      .join(', '),
  };
}

/** A time that people can compare. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

export const counted = (entries: number) => (entries === 1 ? '1 entry' : `${entries} entries`);

export const shortened = (hash: string) => `${hash.slice(0, 8)}…${hash.slice(-8)}`;
