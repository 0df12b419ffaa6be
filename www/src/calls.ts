import { getToolName } from 'ai';
import type { Actor, CallView, Snapshot } from 'tool-approval-guard';
import { createWords } from 'tool-approval-guard/words';
import type { DemoToolPart } from './message.ts';

/** A piece of a sentence. A model wrote the values, so a page isolates each of them. */
export type Piece = string | { value: string; isFile?: boolean };

/**
 * What a call would do, from its real input.
 *
 * @param call what the guard knows of it: a secret that it hides is hidden here too
 */
export function describe(part: DemoToolPart, call?: CallView): Piece[] {
  switch (part.type) {
    case 'tool-delete_file':
      return ['Delete ', file(part.input?.path)];
    case 'tool-rename_file':
      return ['Rename ', file(part.input?.from), ' to ', file(part.input?.to)];
    case 'tool-write_note':
      return [
        'Write to ',
        file(part.input?.path),
        ': “',
        { value: shownText(call) ?? part.input?.text ?? '…' },
        '”',
      ];
    case 'tool-send_mail': {
      // What runs, also while that is a draft.
      const { to, subject } = (call?.edited?.to ?? part.input ?? {}) as { to?: string; subject?: string };
      return ['Send “', { value: subject ?? '…' }, '” to ', { value: to ?? '…' }];
    }
    case 'tool-pick_file':
      return [{ value: part.input?.question ?? 'Pick a file' }];
    case 'tool-list_files':
      return ['List the files'];
    default:
      return [{ value: getToolName(part) }];
  }
}

function shownText(call: CallView | undefined): string | undefined {
  const { text } = (call?.display?.value ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : undefined;
}

const file = (name = '…'): Piece => ({ value: name, isFile: true });

/** What the conversation says of a call. */
export interface Line {
  words: string;
  /** Colour is for what a person said. What time, the server or the guard did has words alone. */
  tone?: 'allowed' | 'denied';
  /** What a tool, a server or a person wrote. */
  detail?: string;
  isResult?: true;
}

/**
 * What became of a call. While a queue asks about it, that stands here too; afterwards it reads as if nobody
 * had been asked.
 *
 * @param call what the guard knows of it; nothing without one
 */
export function lineOf(part: DemoToolPart, call?: CallView): Line {
  if (call?.status === 'asking') return { words: 'Waits for your decision below' };
  if (part.state === 'output-denied' && part.approval?.isAutomatic) {
    return { words: 'Denied by the server', tone: 'denied', ...detail(part.approval.reason) };
  }
  // A denied call never ran, whatever this page has written into it.
  if (call?.decision === 'denied') return answer(call, part.approval?.reason);
  switch (part.state) {
    case 'approval-responded':
      if (call?.decision === 'allowed' && call.status !== 'delivered') return answer(call);
      if (call) return { words: 'Working' };
      return part.approval.approved
        ? { words: 'Allowed once', tone: 'allowed' }
        : { words: 'Denied', tone: 'denied' };
    case 'output-denied':
      return { words: 'Denied', tone: 'denied', ...detail(part.approval?.reason) };
    case 'output-available':
      return { words: 'Result', ...detail(JSON.stringify(part.output)), isResult: true };
    case 'output-error':
      return { words: 'Failed', tone: 'denied', ...detail(part.errorText) };
    default:
      return call?.decision ? answer(call) : { words: 'Working' };
  }
}

const { call: wordsOf } = createWords();

function answer(call: CallView, reason?: string): Line {
  const { outcome, decision, actor } = call;
  const line: Line = { words: wordsOf(call).outcome || (decision === 'denied' ? 'Denied' : 'Working') };
  if (outcome?.startsWith('allowed')) line.tone = 'allowed';
  if (outcome?.startsWith('denied')) line.tone = 'denied';
  // A rule has said why.
  return { ...line, ...(actor === 'rule' ? {} : detail(reason)) };
}

const detail = (text: string | undefined) => (text ? { detail: text } : {});

const COUNTED: ReadonlySet<Actor> = new Set(['person', 'tab', 'grant', 'rule', 'timer']);

/** What a person said to the calls, at once, in another tab, with a grant or with a rule, and what time said. */
export function answersOf({ calls }: Pick<Snapshot, 'calls'>): ReadonlyMap<string, boolean> {
  const answers = new Map<string, boolean>();
  for (const { toolCallId, decision, actor } of calls) {
    if (decision === undefined) continue;
    if (actor !== undefined && COUNTED.has(actor)) answers.set(toolCallId, decision === 'allowed');
  }
  return answers;
}
