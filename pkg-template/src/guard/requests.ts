// What leaves: the requests of the chat, and those that a person asks for.
import type { ChatRequestOptions, UIMessage } from 'ai';

import type { AttachedChat } from '../chat/attachment.js';
import { tell, type Engine } from '../engine/engine.js';
import type { GuardError } from '../error.js';
import {
  endedFact,
  failedFact,
  leavingFact,
  permitFact,
  permitOverFact,
  sendFact,
  startedFact,
  StatusField,
  Trigger,
  Way,
  type Permit,
} from '../generated/abi.js';
import { optionsOf } from '../request-options.js';
import type { AttachedToolOutput, SendResult } from '../types.js';
import type { Verdict } from '../types/events.js';
import { problem } from '../verdict.js';
import { AutomaticSend, type OutgoingRequest } from './automatic-send.js';
import type { Recorder } from './recorder.js';
import type { Left, Watcher } from './transport.js';

/** What requests need of their guard. */
export interface RequestHost<M extends UIMessage> {
  /** The engine, started if there is none; `undefined` where there can be none. */
  start(): Engine | undefined;
  /** The engine, if there is one. */
  engine(): Engine | undefined;
  /** Why there is no engine. */
  death(): GuardError | undefined;
  chat(): AttachedChat<M> | undefined;
  recorder(): Recorder | undefined;
  verdict(): Verdict;
  /** Runs with the engine and tells what changed. A failure is reported. */
  run(work: (engine: Engine) => void, changes?: boolean): void;
  /** The chat gave this list. */
  given(messages: readonly M[]): void;
  /** Reads the messages of the chat, where they are surely the newest. */
  read(engine: Engine): void;
  /** The same once the chat has taken the chunk that has just passed. */
  readSoon(): void;
  /** Repairs the chat's own messages; `withLast`: also the last one. */
  repair(engine: Engine, withLast: boolean): void;
  /** The person stopped the chat. */
  stopped(engine: Engine): void;
  /** Runs work when it is the turn of this tab. */
  inTurn<T>(recorder: Recorder, work: () => T | Promise<T>): Promise<T>;
  /** Tells what changed. */
  changed(): void;
  /** Reports the problems that the core has found; returns the last one. */
  problem(): GuardError | undefined;
  report(error: GuardError): GuardError;
  fail(cause: unknown): GuardError;
}

/** The requests of one guard. */
export class Requests<M extends UIMessage> {
  readonly #host: RequestHost<M>;
  readonly #automaticSend = new AutomaticSend<M>();
  /** What a person has asked to be sent last, until that is done. */
  #sending: { permit: Permit; result: Promise<SendResult> } | undefined;
  /** What a person has permitted and has not left yet. */
  #permitted: Permit | undefined;
  /** What the last request was given, which `retry` repeats. */
  #options: ChatRequestOptions | undefined;
  /** What the last message of a person was given, and so its decisions: a server may want a header. */
  #personOptions: ChatRequestOptions | undefined;

  constructor(host: RequestHost<M>) {
    this.#host = host;
  }

  /** The predicate has said yes. */
  saidYes(): void {
    this.#automaticSend.saidYes();
  }

  /** What the request for decisions is given: this, or else what the last message of a person was. */
  optionsFor(options: ChatRequestOptions | undefined): ChatRequestOptions | undefined {
    return (this.#options = options ?? this.#personOptions ?? this.#options);
  }

  // ---- around a request of the chat ----------------------------------------------------------

  readonly watcher: Watcher<M> = {
    leaving: (options) => this.#leaving(options),
    reconnecting: (chatId) => {
      const engine = this.#host.start();
      if (engine !== undefined && !isChatOf(engine, chatId)) throw this.#host.report(problem('wrong-chat'));
    },
    started: (request) => this.#about(request, ({ core }) => startedFact(core.facts, { request })),
    ended: (request) => this.#about(request, ({ core }) => endedFact(core.facts, { request })),
    heard: (request, chunk) =>
      this.#host.run(({ core, stream }) => {
        if (stream.read(request, chunk)) this.#host.readSoon();
        if (isErrorChunk(chunk) && request !== 0) failedFact(core.facts, { request, asked: 1, status: NaN });
      }),
    failed: (request, aborted, asked, status) =>
      this.#about(request, (engine) => {
        this.#automaticSend.over();
        failedFact(engine.core.facts, { request, asked: Number(asked), status });
        // Nobody asks after a failure, so the chat is read now for the last time.
        if (this.#host.chat()?.isCurrent === true) this.#host.read(engine);
        this.#host.repair(engine, true);
        if (aborted) this.#host.stopped(engine);
      }),
  };

  /** Runs for a request that the core knows. */
  #about(request: number, work: (engine: Engine) => void): void {
    if (request !== 0 && this.#host.engine() !== undefined) this.#host.run(work);
  }

  #leaving(options: OutgoingRequest<M>): Left<M> | Promise<Left<M>> {
    // An aborted request pauses the queue that newer chats have.
    if (this.#automaticSend.isOvertaken(options) && this.#host.chat()?.queues !== true) {
      // What the chat takes for its own stop: no error, and no second question.
      throw new DOMException('A request of a person has taken this one along.', 'AbortError');
    }
    this.#host.start();
    const recorder = this.#host.recorder();
    if (recorder?.isShared !== true) return this.#leave(options);
    this.#host.run(({ core }) => leavingFact(core.facts), false);
    return this.#host.inTurn(recorder, async () => {
      // What another tab has sent is not sent again: to the chat it is as if it had stopped by itself.
      const { aborted } = (options.abortSignal ?? {}) as { aborted?: unknown };
      if (aborted === true || this.#isTaken()) {
        this.#host.run((engine) => this.#host.repair(engine, true));
        throw new DOMException('Another tab has sent this.', 'AbortError');
      }
      const left = this.#leave(options);
      await recorder.saved();
      return left;
    });
  }

  /** Whether another tab has sent what this request was to send. */
  #isTaken(): boolean {
    const { core } = this.#host.engine() ?? {};
    const permit = this.#permitted;
    this.#permitted = undefined;
    if (core === undefined) return false;
    core.apply();
    if (permit === undefined) return core.get(StatusField.Taken) === 1;
    // A person may have pressed in two tabs: what was permitted has to be so still.
    permitOverFact(core.facts);
    permitFact(core.facts, { permit });
    return (core.apply().permitted?.way ?? Way.Nothing) <= Way.Waiting;
  }

  #leave(options: OutgoingRequest<M>): Left<M> {
    const engine = this.#host.start();
    if (engine === undefined) return { request: 0, messages: this.#withoutApprovals(options.messages) };
    let refused: GuardError | undefined;
    try {
      const { core, transcript, repairs, ids, omission } = engine;
      const messages = listOf(options) as M[];
      this.#host.given(messages);
      const trigger = triggerOf(options);
      transcript.readAll(messages, trigger);
      const last: unknown = messages.at(-1);
      const continues = (last as { role?: unknown } | null | undefined)?.role === 'assistant';
      sendFact(core.facts, { chat: ids.of(options.chatId), trigger, continues: Number(continues) });
      const { request, person } = tell(engine).request;
      if (request === 0) {
        refused = this.#host.problem() ?? problem('wrong-chat');
        this.#automaticSend.over();
        this.#host.changed();
        throw refused;
      }
      this.#options = optionsOf(options);
      if (person === 1) this.#personOptions = this.#options ?? {};
      const leaving = omission.outgoing(repairs.outgoing(messages));
      // A repair of the last message would be overwritten by the response that is now to come.
      this.#host.repair(engine, person === 1);
      this.#host.changed();
      return { request, messages: leaving };
    } catch (error) {
      throw error === refused ? refused : this.#host.fail(error);
    }
  }

  /** Without a working core a request passes only if no message carries an approval. */
  #withoutApprovals(messages: readonly M[]): readonly M[] {
    let carries = true;
    try {
      carries = messages.some((message) =>
        message.parts.some((part) => 'approval' in part && part.approval != null),
      );
    } catch {
      // What cannot be read may carry one.
    }
    if (carries) throw this.#host.death() ?? problem('wasm-unavailable');
    return messages;
  }

  // ---- requests of a person ------------------------------------------------------------------

  /** One at a time: what is being sent is sent for everybody who asks, and else it is the turn of the next. */
  permit(permit: Permit, options: ChatRequestOptions | undefined): Promise<SendResult> {
    const before = this.#sending;
    if (before?.permit === permit) return before.result;
    const send = () => this.#permitNow(permit, options);
    const result = before?.result.then((sent) => (sent.type === 'sent' ? sent : send())) ?? send();
    const own = (this.#sending = { permit, result });
    const over = () => {
      if (this.#sending === own) this.#sending = undefined;
    };
    result.then(over, over);
    return result;
  }

  async #permitNow(permit: Permit, options: ChatRequestOptions | undefined): Promise<SendResult> {
    const attached = this.#host.chat();
    if (attached === undefined) return { type: 'not-attached' };
    const engine = this.#host.start();
    if (engine === undefined) throw this.#host.death() ?? problem('wasm-unavailable');
    const recorder = this.#host.recorder();
    // The tab that was to send it may have died meanwhile, without a word.
    if (recorder?.isShared === true) await this.#host.inTurn(recorder, () => this.#host.run(() => {}));
    return this.#send(attached, engine, permit, options ?? this.#options ?? this.#personOptions);
  }

  async #send(
    attached: AttachedChat<M>,
    engine: Engine,
    permit: Permit,
    options: ChatRequestOptions | undefined,
  ): Promise<SendResult> {
    const death = this.#host.death();
    if (death !== undefined) throw death;
    const { core, transcript, memory } = engine;
    try {
      if (attached.isCurrent) transcript.readAll(attached.chat.messages);
      tell(engine);
    } catch (cause) {
      throw this.#host.fail(cause);
    }
    permitFact(core.facts, { permit });
    const { way = Way.Nothing, call = 0 } = core.apply().permitted ?? {};
    this.#host.changed();
    if (way === Way.Nothing) return { type: 'nothing-to-send' };
    if (way === Way.Waiting) return { type: 'waiting', waitingFor: this.#host.verdict().waitingFor };
    const before = core.get(StatusField.Requests);
    try {
      const output = way === Way.Rewrite ? memory.outputOf(call) : undefined;
      if (output === undefined || attached.chat.addToolOutput === undefined) {
        this.#permitted = permit;
        await attached.chat.sendMessage(undefined, options);
      } else {
        await attached.chat.addToolOutput({ ...output, ...(options && { options }) } as AttachedToolOutput);
        // The chat sends after it has answered.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    } finally {
      this.#permitted = undefined;
      this.#host.run(() => permitOverFact(core.facts));
    }
    const sent = this.#host.engine()?.core.get(StatusField.Requests) ?? before;
    return { type: sent > before ? 'sent' : 'not-sent' };
  }
}

/** Whether this is the chat of the guard, as far as it is known. */
export function isChatOf({ core, ids }: Engine, chatId: unknown): boolean {
  const chat = core.get(StatusField.Chat);
  return chat === 0 || chat === ids.of(chatId);
}

/** The list of messages that a chat gives. @throws GuardError `invalid-input` */
export function listOf(from: { messages: unknown }): readonly unknown[] {
  const { messages } = from;
  if (!Array.isArray(messages)) throw problem('invalid-input');
  return messages;
}

/** What made a request. */
function triggerOf({ trigger, messageId }: OutgoingRequest<UIMessage>): Trigger {
  if (trigger === 'regenerate-message') return Trigger.Regenerate;
  return messageId === undefined ? Trigger.Submit : Trigger.Edit;
}

function isErrorChunk(chunk: unknown): boolean {
  return typeof chunk === 'object' && chunk !== null && 'type' in chunk && chunk.type === 'error';
}
