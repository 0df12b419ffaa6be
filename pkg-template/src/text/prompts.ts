// The words of prompts, made from what a snapshot says.
import type { BatchView, CallView, Covers, GrantView, InputChange, Snapshot } from '../prompt.js';
import type { Outcome } from '../types/events.js';
import type { Catalogue, MessageId, PromptMessages } from './catalogue.js';
import type { Messages, Needed } from './message.js';
import { Texts } from './texts.js';

/** The texts of a prompt about a call, safe to show. */
export interface CallWords {
  /** "Allow delete_file from Files?" */
  title: string;
  /** "delete_file from Files", if no approval is needed. */
  name: string;
  /** The reason of the question. */
  why: string;
  /** "1 of 3"; empty for a single call. */
  position: string;
  /** The outcome, as on the button; empty while it asks. */
  outcome: string;
  /** A person's changes of the input, a field in each line; empty if there is none, or if they cannot be shown. */
  changes: string;
  /** The scope of a lasting choice: "exactly this call, in this chat"; empty for other choices. */
  scope: string;
}

/** The texts about a batch, safe to show; empty if there is nothing to say. */
export interface BatchWords {
  /** "2 decisions needed" */
  summary: string;
  /** "Denied 3 times in this chat. Stop the assistant?" */
  loop: string;
}

/** The words of prompts in one language. `Own`: messages of an application beside them. */
export interface Words<Own extends Messages = Record<never, never>> {
  /** The texts about a call of a snapshot. */
  readonly call: (call: CallView) => CallWords;
  /** The texts about the calls that are decided together. */
  readonly batch: (batch: BatchView) => BatchWords;
  /**
   * The warning that belongs above the requests: what the assistant reads can trick it into doing harm. In full with
   * the first requests of a chat, in short with later ones, and empty while nothing asks.
   */
  readonly warning: (snapshot: Pick<Snapshot, 'batch' | 'calls'>) => string;
  /** The scope of a grant: "every delete_file call, in this chat" */
  readonly grant: (grant: GrantView) => string;
  /**
   * A text of the catalogue, or one of your own. A number for `time` or `duration` is in milliseconds. Texts are safe to
   * show: what a person would not see in them is written out (`⟦U+202E⟧`). Texts that are not plain ASCII are isolated
   * (U+2068, U+2069), so that they cannot change the direction of the text around them. The values of `action`,
   * `duration`, `fields`, `scope`, `time` and `why` are words of this package, which contain isolates already; that of
   * `tool` is a {@link CallView.label}, in which everything is written out. The words of a catalogue are your own, and
   * are returned as they are.
   *
   * @throws GuardError `invalid-catalogue` for an id without a message, a missing value, or a message that fails
   */
  text<Id extends keyof (PromptMessages & Own) & string>(
    id: Id,
    ...values: Needed<(PromptMessages & Own)[Id]>
  ): string;
}

const DONE = {
  'allowed-once': 'done.once',
  'allowed-chat': 'done.chat',
  'allowed-automatically': 'done.auto',
  denied: 'done.denied',
  'denied-chat': 'done.deniedChat',
  'denied-automatically': 'done.autoDenied',
  expired: 'done.expired',
  unattended: 'done.unattended',
  superseded: 'done.superseded',
  'superseded-in-doubt': 'done.supersededInDoubt',
  'allowed-elsewhere': 'done.elsewhereAllowed',
  'denied-elsewhere': 'done.elsewhereDenied',
  'allowed-by-rule': 'done.rule',
  'denied-by-rule': 'done.ruleDenied',
  'allowed-externally': 'done.external',
  'denied-externally': 'done.externalDenied',
} as const satisfies Record<Outcome, keyof PromptMessages>;

/** No catalogue, and no messages beside those of prompts. */
const NONE = {};

/** The words of each catalogue with each set of other messages: it is read once. */
const known = /* @__PURE__ */ new WeakMap<object, WeakMap<object, Words>>();

/**
 * The words of prompts.
 *
 * @param catalogue messages in place of the English ones; the guard has it as `guard.locale`
 * @param own English messages of your own, by ids of your own: `text` returns them, too. A catalogue has no say in them,
 * unless their ids are those of the queue.
 * @returns the words; the same object for the same catalogue and the same messages
 * @throws GuardError `invalid-catalogue`, naming the message and the remedy
 */
export function createWords<Own extends Messages = Record<never, never>>(
  catalogue?: Catalogue,
  own?: Own,
): Words<Own> {
  const others: Messages = own ?? NONE;
  // A value that is no catalogue, such as null, is refused and not taken for none.
  const key = catalogue === undefined ? NONE : catalogue;
  let words = known.get(key)?.get(others);
  if (words === undefined) {
    rehearse();
    words = new PromptWords(new Texts(catalogue, others));
    const all = known.get(key) ?? new WeakMap<object, Words>();
    known.set(key, all.set(others, words));
  }
  return words as Words<Own>;
}

let isDue = true;

/**
 * Words a call that nobody sees in the first idle time of a page, in English: code that has run before takes a third of the
 * time when a person waits for it.
 */
function rehearse(): void {
  if (!isDue || typeof requestIdleCallback === 'undefined') return;
  isDue = false;
  requestIdleCallback(() => new PromptWords(new Texts(undefined)).call(REHEARSED));
}

/** The fields that are read of a call that asks. */
const REHEARSED = { label: 'text', status: 'asking' } as CallView;

class PromptWords implements Words {
  readonly #texts: Texts;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  readonly text: Words['text'] = (id, ...values) =>
    this.#texts.text(id, ...(values as [Readonly<Record<string, string | number>>?]));

  readonly call = (call: CallView): CallWords => {
    const { text } = this;
    const { label: tool, server, outcome, grant } = call;
    const scope = grant === undefined ? '' : this.#scope(tool, grant.covers, grant.lastsMs);
    const automatic = outcome === 'allowed-automatically' || outcome === 'denied-automatically';
    const why = () => text(grant?.type === 'deny' ? 'why.grantDeny' : 'why.grant', { scope });
    return {
      title:
        server === undefined
          ? text('prompt.titleNoServer', { tool })
          : text('prompt.title', { tool, server }),
      name:
        server === undefined ? text('prompt.nameNoServer', { tool }) : text('prompt.name', { tool, server }),
      why: this.#whyOf(call),
      position: this.#position(call.position),
      outcome: this.#outcomeOf(call, automatic ? why() : (call.ruling?.why ?? '')),
      changes: (call.changes ?? []).map((change) => this.#change(change)).join('\n'),
      scope,
    };
  };

  readonly batch = ({ asking, looping, refusals }: BatchView): BatchWords => ({
    summary: asking === 0 ? '' : this.text('prompt.summary', { waiting: asking }),
    loop: looping ? this.text('loop.note', { n: refusals }) : '',
  });

  readonly warning = ({ batch, calls }: Pick<Snapshot, 'batch' | 'calls'>): string => {
    if (batch.asking === 0) return '';
    const isFirst = calls.every((call) => call.approvalId === undefined || call.position !== undefined);
    return this.text(isFirst ? 'prompt.warning' : 'prompt.warningAgain');
  };

  readonly grant = ({ label, covers, createdAt, endsAt }: GrantView): string =>
    this.#scope(label, covers, endsAt === undefined ? undefined : endsAt - createdAt);

  #scope(tool: string, covers: Covers, lastsMs: number | undefined): string {
    const kind = typeof covers === 'string' ? covers : 'fields';
    const id: MessageId = `scope.${kind}${lastsMs === undefined ? '' : 'Timed'}`;
    const { language } = this.#texts;
    return this.#texts.text(id, {
      tool,
      ...(typeof covers !== 'string' && { fields: this.#texts.list(covers) }),
      ...(lastsMs !== undefined && { duration: language.duration(lastsMs) }),
    });
  }

  /** The reason of a question: a missing tool and an earlier run go before the reason of a rule, and that before a server's. */
  #whyOf({ mayHaveRun, requestReason, ruling, status, unavailable }: CallView): string {
    const { text } = this;
    if (unavailable) return text('why.unavailable');
    if (mayHaveRun && status === 'asking') return text('why.mayHaveRun');
    const said = ruling !== undefined && !ruling.shadow ? ruling : undefined;
    switch (said?.because) {
      case 'broken-rules':
      case 'unavailable':
        return text('why.brokenRules');
      case 'unreadable-input':
        return text('why.unreadable');
      case 'hint':
        return text('why.hint');
      case 'rule':
        if (said.effect === 'ask') {
          return said.why === '' ? text('why.rule') : text('why.ruleWhy', { note: said.why });
        }
        break;
      default:
    }
    return requestReason === undefined ? text('why.server') : text('why.reason', { reason: requestReason });
  }

  #change({ field, from, to }: InputChange): string {
    // A text of several lines is written as in the input above it.
    const isWord = (value: unknown): value is string => typeof value === 'string' && !value.includes('\n');
    const read = (value: unknown) =>
      isWord(value) ? value : value === undefined ? '—' : JSON.stringify(value);
    const both = { asked: read(from), runs: read(to) };
    return field === undefined
      ? this.text('prompt.changeInput', both)
      : this.text('prompt.change', { field, ...both });
  }

  #outcomeOf(
    { outcome, actor, source = '', edited }: Pick<CallView, 'outcome' | 'actor' | 'source' | 'edited'>,
    why: string,
  ): string {
    const { text } = this;
    if (actor === 'tab') return text(outcome === 'allowed-elsewhere' ? 'done.tabAllowed' : 'done.tabDenied');
    switch (outcome) {
      case undefined:
        return '';
      case 'allowed-once':
        return text(edited === undefined ? 'done.once' : 'done.edited');
      case 'allowed-automatically':
      case 'denied-automatically':
        return text(DONE[outcome], { why });
      case 'allowed-by-rule':
      case 'denied-by-rule':
        if (why === '') return text(DONE[outcome]);
        return text(outcome === 'allowed-by-rule' ? 'done.ruleWhy' : 'done.ruleDeniedWhy', { note: why });
      case 'allowed-externally':
      case 'denied-externally':
        return text(DONE[outcome], { source });
      default:
        return text(DONE[outcome]);
    }
  }

  /** The position of a call in its batch; empty if it is the only one. */
  #position(position: CallView['position']): string {
    return position === undefined || position.total === 1 ? '' : this.text('prompt.count', position);
  }
}
