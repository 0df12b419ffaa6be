// The words of a call, for people.
import type { CallView, CallWords, GrantView } from '../prompt.js';
import type { Outcome } from '../types/events.js';
import type { MessageId, Words } from '../words.js';

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
  'allowed-elsewhere': 'done.elsewhereAllowed',
  'denied-elsewhere': 'done.elsewhereDenied',
  'allowed-by-rule': 'done.rule',
  'denied-by-rule': 'done.ruleDenied',
};

/** An unusual name is put in quotes, so that it cannot continue as part of our sentence. */
export const nameOf = (tool: string): string => (/^[\w.:/-]+$/.test(tool) ? tool : `“${tool}”`);

/** Puts calls into words. */
export class CallTexts {
  readonly #words: Words;

  constructor(words: Words) {
    this.#words = words;
  }

  /** The words of a call. */
  of(call: Omit<CallView, 'words'>, title: string | undefined, grant: GrantView | undefined): CallWords {
    const words = this.#words;
    const { server, position, outcome } = call;
    // Only the application may give a tool another name here, because a title may come from the model.
    const tool = title ?? nameOf(call.toolName);
    const scope = grant?.words.scope ?? '';
    const automatic = outcome === 'allowed-automatically' || outcome === 'denied-automatically';
    const why = () => words.text(grant?.type === 'deny' ? 'why.grantDeny' : 'why.grant', { scope });
    return {
      title:
        server === undefined
          ? words.text('prompt.titleNoServer', { tool })
          : words.text('prompt.title', { tool, server }),
      name:
        server === undefined
          ? words.text('prompt.nameNoServer', { tool })
          : words.text('prompt.name', { tool, server }),
      why: this.#whyOf(call),
      position: this.position(position),
      outcome: this.#outcomeOf(call, automatic ? why() : (call.ruling?.why ?? '')),
      scope,
    };
  }

  /** Why a call asks: the reason of a rule goes before the reason of a server. */
  #whyOf({ requestReason, ruling }: Pick<CallView, 'requestReason' | 'ruling'>): string {
    const words = this.#words;
    const said = ruling !== undefined && !ruling.shadow ? ruling : undefined;
    switch (said?.because) {
      case 'broken-rules':
      case 'unavailable':
        return words.text('why.brokenRules');
      case 'unreadable-input':
        return words.text('why.unreadable');
      case 'hint':
        return words.text('why.hint');
      case 'rule':
        if (said.effect === 'ask') {
          return said.why === '' ? words.text('why.rule') : words.text('why.ruleWhy', { note: said.why });
        }
        break;
      default:
    }
    return requestReason === undefined
      ? words.text('why.server')
      : words.text('why.reason', { reason: requestReason });
  }

  #outcomeOf({ outcome, actor }: Pick<CallView, 'outcome' | 'actor'>, why: string): string {
    const words = this.#words;
    if (actor === 'tab')
      return words.text(outcome === 'allowed-elsewhere' ? 'done.tabAllowed' : 'done.tabDenied');
    switch (outcome) {
      case undefined:
        return '';
      case 'allowed-automatically':
      case 'denied-automatically':
        return words.text(DONE[outcome], { why });
      case 'allowed-by-rule':
      case 'denied-by-rule':
        return why === ''
          ? words.text(DONE[outcome])
          : words.text(`${DONE[outcome]}Why` as MessageId, { note: why });
      default:
        return words.text(DONE[outcome]);
    }
  }

  /** The position of a call in its batch; empty if it is the only one. */
  position(position: CallView['position']): string {
    if (position === undefined || position.total === 1) return '';
    return this.#words.text('prompt.count', position);
  }
}
