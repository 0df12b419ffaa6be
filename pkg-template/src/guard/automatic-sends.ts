// Requests that the guard sends in place of its chat (law 3). By itself a chat asks its predicate only after what it has
// written, and not while it is busy.
import type { ChatRequestOptions, UIMessage } from 'ai';

import { tell } from '../engine/engine.js';
import { GuardError } from '../error.js';
import { StatusField } from '../generated/abi.js';
import { soon } from '../soon.js';
import type { AttachableChat } from '../types.js';
import type { Verdict } from '../types/events.js';
import type { Attachments, AttachmentsHost } from './attachments.js';
import type { Recorder } from './recorder.js';
import type { Requests } from './requests.js';

/** The part of a guard that its automatic sends use. */
export interface AutomaticSendsHost<M extends UIMessage> extends Pick<
  AttachmentsHost,
  'engine' | 'run' | 'report' | 'fail'
> {
  readonly attachments: Attachments<M>;
  readonly recorder: Recorder;
  readonly requests: Requests<M>;
  /** The predicate of the guard. */
  ask(options: { messages: readonly M[] }): boolean;
  verdict(): Verdict;
}

/** The automatic sends of one guard. */
export class AutomaticSends<M extends UIMessage> {
  readonly #host: AutomaticSendsHost<M>;
  /** Whether a task is due that asks. */
  #isDue = false;

  constructor(host: AutomaticSendsHost<M>) {
    this.#host = host;
  }

  /** Whether the chat would be told yes, and does not ask. */
  get isUnasked(): boolean {
    return this.#host.engine()?.core.get(StatusField.Unasked) === 1;
  }

  /** Asks in a task of its own: in this one, the chat may still ask. */
  askSoon(): void {
    if (this.#isDue || this.#host.attachments.newest === undefined) return;
    this.#isDue = true;
    soon(() => {
      try {
        this.#ask();
      } catch (cause) {
        // A getter of the chat may throw. Later wake-ups must still come.
        this.#host.fail(cause);
      } finally {
        this.#isDue = false;
      }
    });
  }

  #ask(): void {
    const { attachments, recorder, requests } = this.#host;
    const { newest } = attachments;
    // A chat that is busy asks at the end.
    if (this.#host.engine() === undefined || newest === undefined || newest.isSending) return;
    // Each of these wakes it again when it ends.
    if (attachments.isAnswering || attachments.isStopping || recorder.commits.isStoring || requests.isBusy)
      return;
    this.#host.run((engine) => {
      attachments.read(engine);
      tell(engine);
      // An output that the page has written over a question meanwhile is no answer.
      attachments.repair(engine, true);
    }, false);
    if (this.isUnasked) this.send(newest.chat, requests.options.for(undefined));
  }

  /**
   * Asks the predicate in place of a chat that is not busy, and sends if it says yes.
   *
   * @param asker the chat, if none is attached
   */
  send(asker: unknown, options: ChatRequestOptions | undefined): void {
    const host = this.#host;
    const { newest } = host.attachments;
    const chat = newest?.chat ?? (Object(asker) as Partial<AttachableChat<M>>);
    const messages = newest?.messages ?? chat.messages;
    if (typeof chat.sendMessage !== 'function' || !Array.isArray(messages)) {
      if (host.verdict().send) host.report(new GuardError('unknown-chat', UNKNOWN_ASKER));
      return;
    }
    // A predicate of the page around that of the guard may say no first.
    const { sendAutomaticallyWhen: own } = chat as { sendAutomaticallyWhen?: (options: unknown) => unknown };
    const send = async (): Promise<void> => {
      const says = typeof own === 'function' ? await own.call(chat, { messages }) : host.ask({ messages });
      if (says === true) await chat.sendMessage?.(undefined, options);
    };
    send().catch((cause: unknown) => host.fail(cause));
  }
}

const UNKNOWN_ASKER =
  'A chat asked whether to send before the guard was loaded, and cannot be asked again, so nothing was sent. Attach the chat, or await guard.ready before the chat is used.';
