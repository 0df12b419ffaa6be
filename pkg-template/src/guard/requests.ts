// Everything that is sent: the requests of the chat, and those that a person asks for.
import type { ChatRequestOptions, ChatTransport, UIMessage } from 'ai';

import type { AttachedChat } from '../chat/attachment.js';
import { isChatOf, tell, type Engine } from '../engine/engine.js';
import { sameItems } from '../engine/rows.js';
import type { GuardError } from '../error.js';
import {
  begunFact,
  ChunkName,
  endedFact,
  failedFact,
  outgoingFact,
  Permit,
  permitFact,
  permitOverFact,
  sendFact,
  startedFact,
  StatusField,
  Way,
} from '../generated/abi.js';
import { isBlank, withoutBlankEnd } from '../chat/blank.js';
import { isObject } from '../objects.js';
import { ObjectIds } from '../chat/string-ids.js';
import type { Settings } from '../options.js';
import type { Snapshot } from '../prompt.js';
import type { AttachedToolOutput, SendResult } from '../types.js';
import type { Verdict } from '../types/events.js';
import { problem } from '../verdict.js';
import type { Attachments, AttachmentsHost } from './attachments.js';
import { continuesAnother, isContinue, listOf, triggerOf, type OutgoingRequest } from './outgoing-request.js';
import type { Releasing, Released, Recorder } from './recorder.js';
import { SentOptions } from './sent-options.js';
import { Unsent } from './unsent.js';
import { watchedSending, type Watcher } from './transport.js';
import { believedFrom } from './believed.js';
import { withoutEngine } from './without-engine.js';
import { wrapping } from './wrapped-transport.js';

/** The part of a guard that its requests use. */
export interface RequestHost<M extends UIMessage>
  extends Releasing<M>, Pick<AttachmentsHost, 'engine' | 'run' | 'automaticSends'> {
  /** Returns the engine, and starts it if necessary; `undefined` if there can be none. */
  start(): Engine | undefined;
  /** Returns the reason why there is no engine. */
  endError(): GuardError | undefined;
  /** The last list that has come from the server. */
  readonly adopted: readonly M[] | undefined;
  readonly attachments: Attachments<M>;
  readonly settings: Pick<Settings, 'reasons'>;
  readonly recorder: Recorder;
  verdict(): Verdict;
  snapshot(): Snapshot;
  /** Tells the listeners what changed. */
  changed(): void;
  /** Reports the problems that the core has found, and returns the last one. */
  problem(): GuardError | undefined;
}

/** The requests of one guard. */
export class Requests<M extends UIMessage> implements Watcher<M> {
  readonly #host: RequestHost<M>;
  #identities: ObjectIds | undefined;
  /** The last request that a person asked for, until it is done. */
  #sending: { permit: Permit; result: Promise<SendResult> } | undefined;
  /** The last request without a message of a person that has left. */
  #continued = 0;
  /** How often a request has failed. */
  #failures = 0;
  readonly options = new SentOptions();
  readonly #unsent = new Unsent<M>();

  #wrap: (<T extends ChatTransport<M>>(inner: T) => T) | undefined;

  constructor(host: RequestHost<M>) {
    this.#host = host;
  }

  /** Watches a transport. */
  transport<T extends ChatTransport<M>>(inner: T): T {
    return (this.#wrap ??= wrapping<M>((inner) => watchedSending(inner, this)))(inner);
  }

  /** The shortest end of a list that the server needs; all of it without a core. */
  unsent(messages: readonly M[]): M[] {
    let from = 0;
    this.#host.run((engine) => {
      from = this.#unsent.ask(engine, messages).from;
    }, false);
    return messages.slice(from);
  }

  /** Tells the core what a list from the server says. */
  adopt(engine: Engine, messages: readonly M[]): void {
    this.#unsent.adopt(engine, messages);
  }

  made(request: number, messages: readonly M[], body: unknown): void {
    this.#host.run((engine) => this.#unsent.check(engine, request, messages, body), false);
  }

  // ---- around a request of the chat ----------------------------------------------------------

  reconnecting(chatId: unknown): void {
    const engine = this.#host.start();
    if (engine !== undefined && !isChatOf(engine, chatId)) throw this.#host.report(problem('wrong-chat'));
    this.#host.attachments.isBegun = true;
    const { attachments } = this.#host;
    this.#host.run(() => attachments.beginResponse(attachments.newest?.chat.messages ?? []), false);
  }

  started(request: number): void {
    this.#about(({ core }) => startedFact(core.facts, { request }));
  }

  ended(request: number): void {
    this.#about(({ core }) => endedFact(core.facts, { request }));
  }

  heard(request: number, chunk: unknown): void {
    const { attachments } = this.#host;
    this.#host.run((engine) => {
      const { core, stream, ids } = engine;
      const begun = isObject(chunk) && chunk.type === 'start' ? ids.known(chunk.messageId) : 0;
      if (begun !== 0) begunFact(core.facts, { request, message: begun });
      // Before the chat writes over it.
      if (attachments.tellChat()) attachments.read(engine);
      if (stream.read(request, chunk)) attachments.readSoon();
      if (isObject(chunk) && chunk.type === ChunkName.Error && request !== 0) {
        attachments.read(engine);
        this.#failures += 1;
        failedFact(core.facts, { request, asked: true, status: NaN });
      }
    });
  }

  get stops(): number {
    return this.#host.attachments.stops;
  }

  failed(request: number, aborted: boolean, asked: boolean, status: number): void {
    this.#failures += 1;
    this.#about((engine) => {
      // An output of the page from before the failure waits for a person: the chat does not ask after a failure. Of a
      // resumed response, the list now shows all that came.
      this.#host.attachments.read(engine);
      failedFact(engine.core.facts, { request, asked, status });
      tell(engine);
      this.#host.attachments.repair(engine, true);
      // A call that a resumed response has not brought again is gone, now that it is over.
      if (request === 0) return this.#host.attachments.read(engine);
      if (aborted) this.#host.attachments.stop(engine);
    });
  }

  /** Runs work about a request; 0 is a resumed response. */
  #about(work: (engine: Engine) => void): void {
    if (this.#host.engine() !== undefined) this.#host.run(work);
  }

  outgoing(options: OutgoingRequest<M>): Released<M> | Promise<Released<M>> {
    const engine = this.#host.start();
    if (engine !== undefined && this.#isOvertaken(engine, options)) {
      this.#dropBlank(options);
      // The chat treats this like its own stop: it shows no error, and does not ask again.
      throw notNow('A request of a person has taken this one along.');
    }
    const { attachments } = this.#host;
    if (Array.isArray(options.messages)) attachments.noteList(options.messages);
    return this.#host.recorder.requests.outgoing(this.#host, options);
  }

  wait(options: OutgoingRequest<M>): boolean {
    // While it waits, nothing is offered that the chat has not got any more.
    this.#host.run(
      ({ transcript }) => transcript.readAll(listOf(options.messages), triggerOf(options)),
      false,
    );
    return isContinue(options.messages);
  }

  /**
   * Takes a message without content out of the chat. At the end of the list it would keep an answer from its call.
   */
  #dropBlank({ messages }: { readonly messages?: readonly M[] | undefined }): void {
    if (!Array.isArray(messages) || !isBlank(messages.at(-1))) return;
    try {
      this.#host.attachments.newest?.write((list) => [...withoutBlankEnd(list)]);
    } catch (cause) {
      this.#host.fail(cause);
    }
  }

  /** Whether another request of the same tick has carried everything. */
  #isOvertaken({ core }: Engine, options: OutgoingRequest<M>): boolean {
    try {
      const messages = withoutBlankEnd<M>(Array.isArray(options.messages) ? options.messages : []);
      const last = messages.at(-1);
      const identities = (this.#identities ??= new ObjectIds());
      outgoingFact(core.facts, {
        signal: identities.of(options.abortSignal),
        last: identities.of(last),
        length: messages.length,
        continuesAnother: continuesAnother(options, messages, last),
        queues: this.#host.attachments.newest?.queues === true,
      });
      return core.get(StatusField.Left) === 1 && core.apply().isOvertaken;
    } catch (cause) {
      throw this.#host.fail(cause);
    }
  }

  /**
   * Tells of a request that has left before there was an engine. What a guard would have refused says nothing.
   *
   * @param isDelivered whether its response has begun; it is over, as far as this guard sees
   */
  hasLeft(engine: Engine, options: OutgoingRequest<M>, isDelivered: boolean): void {
    const { core, transcript, ids } = engine;
    const trigger = triggerOf(options);
    this.#host.attachments.isBegun = true;
    transcript.readAll(options.messages, trigger);
    sendFact(core.facts, { chat: ids.of(options.chatId), trigger, continues: isContinue(options.messages) });
    const { request } = tell(engine).request ?? {};
    if (request === undefined) return;
    this.options.note(options, false);
    if (isDelivered) {
      startedFact(core.facts, { request });
      endedFact(core.facts, { request });
    } else failedFact(core.facts, { request, asked: true, status: NaN });
  }

  /** @param hasWaited whether the chat may have gone on since it made the request */
  release(options: OutgoingRequest<M>, hasWaited: boolean): Released<M> {
    const engine = this.#host.start();
    if (engine === undefined) return { request: 0, messages: this.#withoutEngine(options.messages) };
    let refused: Error | undefined;
    try {
      const { core, transcript, repairs, ids, omission } = engine;
      const messages = listOf(options.messages);
      const { attachments } = this.#host;
      attachments.isBegun = true;
      attachments.beginResponse(messages);
      const trigger = triggerOf(options);
      const now = hasWaited ? attachments.newest?.messages : undefined;
      const isOlder = now !== undefined && !sameItems(now, messages);
      // The messages that the chat has got meanwhile are not in this request, and not gone.
      transcript.readAll(messages, isOlder ? null : trigger);
      engine.clientTools.renew();
      const continues = isContinue(messages);
      sendFact(core.facts, { chat: ids.of(options.chatId), trigger, continues });
      const { request: sent, isHeld } = isOlder ? core.apply() : tell(engine);
      let released: readonly M[] = messages;
      if (sent !== undefined) {
        released = omission.outgoing(repairs.outgoing(messages));
        this.#unsent.note(engine, sent.request, released);
      }
      if (isOlder) transcript.readAll(now, trigger);
      if (sent === undefined) {
        // The chat treats a request that is held like its own stop: it shows no error.
        refused = isHeld ? notNow(HELD) : (this.#host.problem() ?? problem('wrong-chat'));
        if (isHeld) this.#dropBlank(options);
        this.#host.changed();
        // Until its next task the chat takes this request for a running one, and does not ask about what is written.
        this.#host.automaticSends.askSoon();
        throw refused;
      }
      const { request, person } = sent;
      const own = this.options.note(options, person);
      if (!person) this.#continued = request;
      // The response that comes now would overwrite a repair of the last message.
      this.#host.attachments.repair(engine, person);
      this.#host.changed();
      return { request, messages: released, options: own };
    } catch (error) {
      throw error === refused ? refused : this.#host.fail(error);
    }
  }

  /** Without a working core, a request passes with what nobody has to allow. */
  #withoutEngine(messages: readonly M[]): readonly M[] {
    const { settings, adopted } = this.#host;
    try {
      return withoutEngine(messages, settings.reasons('reason.superseded'), believedFrom(adopted));
    } catch {
      throw this.#host.endError() ?? problem('wasm-unavailable');
    }
  }

  // ---- requests of a person ------------------------------------------------------------------

  /** Whether a person has asked to send, or a request waits for its transaction. */
  get isBusy(): boolean {
    return this.#sending !== undefined || this.#host.recorder.requests.isWaiting;
  }

  /**
   * Sends one request at a time. A second call with the same permit gets the result of the running one. Any
   * other call waits, and sends only if the earlier one has sent nothing.
   */
  permit(permit: Permit, options: ChatRequestOptions | undefined): Promise<SendResult> {
    const before = this.#sending;
    if (before?.permit === permit) return before.result;
    const ends = this.#ends;
    const send = () => this.#permitNow(permit, options, ends);
    const result = before?.result.then((sent) => (sent.type === 'sent' ? sent : send())) ?? send();
    const own = (this.#sending = { permit, result });
    const over = () => {
      if (this.#sending === own) this.#sending = undefined;
    };
    result.then(over, over);
    return result;
  }

  /** How many requests have failed and how often the chat was stopped. */
  get #ends(): number {
    return this.#failures + this.stops;
  }

  /** The keys of the calls that may have run, as a person is told. */
  get #mayHaveRun(): string[] {
    return this.#host.snapshot().calls.flatMap(({ key, mayHaveRun }) => (mayHaveRun ? [key] : []));
  }

  async #permitNow(
    permit: Permit,
    options: ChatRequestOptions | undefined,
    ends: number,
  ): Promise<SendResult> {
    const attached = this.#host.attachments.newest;
    if (attached === undefined) return { type: 'not-attached' };
    const engine = this.#host.start();
    if (engine === undefined) throw this.#host.endError() ?? problem('wasm-unavailable');
    const told = this.#mayHaveRun;
    // The tab that had to send it may have died meanwhile without a message.
    return this.#host.recorder.informed<SendResult>(
      this.#host,
      () => this.#send(attached, engine, permit, { ends, told }, options ?? this.options.last),
      { type: 'not-sent' },
    );
  }

  /** Sends, unless a request has failed or the chat was stopped since the person pressed. */
  async #send(
    attached: AttachedChat<M>,
    engine: Engine,
    permit: Permit,
    pressed: { ends: number; told: readonly string[] },
    options: ChatRequestOptions | undefined,
  ): Promise<SendResult> {
    const error = this.#host.endError();
    if (error !== undefined) throw error;
    const { core, transcript, memory } = engine;
    try {
      const { messages } = attached;
      if (messages !== undefined) transcript.readAll(messages);
      engine.clientTools.renew();
      tell(engine);
    } catch (cause) {
      throw this.#host.fail(cause);
    }
    // A call may have run since the person pressed, and only a person who is told of it may send it again (law 16).
    if (this.#ends > pressed.ends) return { type: 'not-sent' };
    const isUntold = permit === Permit.Retry && this.#mayHaveRun.some((key) => !pressed.told.includes(key));
    permitFact(core.facts, { permit });
    const { way = Way.Nothing, call = 0 } = core.apply().permitted ?? {};
    this.#host.changed();
    if (way === Way.Nothing) return { type: 'nothing-to-send' };
    if (way === Way.Waiting) return { type: 'waiting', waitingFor: this.#host.verdict().waitingFor };
    if (isUntold) {
      this.#host.run(() => permitOverFact(core.facts));
      return { type: 'not-sent' };
    }
    const { requests } = this.#host.recorder;
    const before = core.get(StatusField.Requests);
    try {
      // While the chat is being stopped it would not ask.
      const isRewritten = way === Way.Rewrite && !this.#host.attachments.isStopping;
      const output = isRewritten ? memory.outputOf(call) : undefined;
      if (output === undefined || attached.chat.addToolOutput === undefined) {
        // Behind a message without content no server takes an answer.
        this.#dropBlank(attached);
        requests.permit(permit);
        await attached.chat.sendMessage(undefined, options);
      } else {
        await attached.chat.addToolOutput({ ...output, ...(options && { options }) } as AttachedToolOutput);
        // The chat sends after `addToolOutput` has returned.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      await requests.settled();
    } finally {
      requests.permit(undefined);
      this.#host.run(() => permitOverFact(core.facts));
    }
    const sent = this.#continued;
    return { type: sent > before && requests.hasLeft(sent) ? 'sent' : 'not-sent' };
  }
}

const HELD = 'Calls of the last step are open, so nothing was sent. What is answered is sent with the rest.';

/** The error of a request that does not leave, of which the chat shows nothing. */
const notNow = (why: string): DOMException => new DOMException(why, 'AbortError');
