// The words of prompts, made from what a snapshot says.
import type { BatchView, CallView, Covers, GrantView, Snapshot } from '../prompt.js';
import type { Outcome } from '../types/events.js';
import type { Catalogue, MessageId, MessageValues, QueueId } from './catalogue.js';
import { MessageFormatter } from './format.js';

/** The texts of a prompt about a call, safe to show. */
export interface CallWords {
  /** "Allow delete_file from Files?" */
  title: string;
  /** "delete_file from Files", if no approval is needed. */
  name: string;
  /** Why it asks. */
  why: string;
  /** "1 of 3"; empty for a single call. */
  position: string;
  /** The outcome, as on the button; empty while it asks. */
  outcome: string;
  /** What a lasting choice covers: "exactly this call, in this chat"; empty for other choices. */
  scope: string;
}

/** The texts about a batch, safe to show; empty if there is nothing to say. */
export interface BatchWords {
  /** "2 decisions needed" */
  summary: string;
  /** "Denied 3 times in this chat. Stop the assistant?" */
  loop: string;
}

/** The words of prompts in one language. */
export interface Words {
  /** The texts about a call of a snapshot. */
  readonly call: (call: CallView) => CallWords;
  /** The texts about the calls that are decided together. */
  readonly batch: (batch: BatchView) => BatchWords;
  /**
   * The warning that belongs above the requests: what the assistant reads can trick it into doing harm. In full with
   * the first requests of a chat, in short with later ones, and empty while nothing asks.
   */
  readonly warning: (snapshot: Pick<Snapshot, 'batch' | 'calls'>) => string;
  /** What a grant covers: "every delete_file call, in this chat" */
  readonly grant: (grant: GrantView) => string;
  /**
   * A text of the catalogue. A number for `time` or `duration` is in milliseconds. Texts are safe to show:
   * what a person would not see in them is written out (`⟦U+202E⟧`), and texts that are not plain ASCII are
   * isolated (U+2068, U+2069), so that they cannot change the direction of the text around them. The values
   * of `action`, `duration`, `fields`, `scope`, `time` and `why` are words of this package, which contain
   * isolates already; that of `tool` is a {@link CallView.label}, in which everything is written out. The words of
   * a catalogue are your own, and are returned as they are.
   *
   * `english` is the text for an id of your own that begins with `queue.`; a catalogue may replace it. If the
   * catalogue's text needs a value that is missing in `values`, the English text is returned.
   *
   * @throws GuardError `invalid-catalogue` for an id without a text, a missing value, or an `english` that
   * cannot be read
   */
  text(id: MessageId | QueueId, values?: MessageValues, english?: string): string;
}

const DONE: Record<Outcome, MessageId> = {
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
};

/** The words of each catalogue, which is read once. */
const known = /* @__PURE__ */ new WeakMap<Catalogue, Words>();

/**
 * The words of prompts.
 *
 * @param catalogue texts that replace the English ones; the guard has it as `guard.locale`
 * @returns the words; the same object for the same catalogue, if one is given
 * @throws GuardError `invalid-catalogue`, naming the message, the place and the remedy
 */
export function createWords(catalogue?: Catalogue): Words {
  const words = (catalogue && known.get(catalogue)) ?? new PromptWords(new MessageFormatter(catalogue));
  if (catalogue !== undefined) known.set(catalogue, words);
  return words;
}

class PromptWords implements Words {
  readonly #texts: MessageFormatter;

  constructor(texts: MessageFormatter) {
    this.#texts = texts;
  }

  readonly text: Words['text'] = (id, values, english) => this.#texts.text(id, values, english);

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
    const values = {
      tool,
      ...(typeof covers === 'string' ? {} : { fields: this.#texts.list(covers) }),
      ...(lastsMs === undefined ? {} : { duration: this.#texts.duration(lastsMs) }),
    };
    return this.text(lastsMs === undefined ? `scope.${kind}` : `scope.${kind}Timed`, values);
  }

  /** Why a call asks: a missing tool and an earlier run go before the reason of a rule, and that before the reason of a server. */
  #whyOf({ mayHaveRun, requestReason, ruling, unavailable }: CallView): string {
    const { text } = this;
    if (unavailable) return text('why.unavailable');
    if (mayHaveRun) return text('why.mayHaveRun');
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

  #outcomeOf(
    { outcome, actor, source = '' }: Pick<CallView, 'outcome' | 'actor' | 'source'>,
    why: string,
  ): string {
    const { text } = this;
    if (actor === 'tab') return text(outcome === 'allowed-elsewhere' ? 'done.tabAllowed' : 'done.tabDenied');
    switch (outcome) {
      case undefined:
        return '';
      case 'allowed-automatically':
      case 'denied-automatically':
        return text(DONE[outcome], { why });
      case 'allowed-by-rule':
      case 'denied-by-rule':
        return why === '' ? text(DONE[outcome]) : text(`${DONE[outcome]}Why` as MessageId, { note: why });
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
