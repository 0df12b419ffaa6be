// The chats that a guard is attached to. The newest one is read and repaired.
import { NONE } from '../engine/rows.js';
import type { UIMessage } from 'ai';

import { AttachedChat, type AttachmentEvents } from '../chat/attachment.js';
import { questionsIn } from '../chat/questions.js';
import type { Over } from '../chat/tapped-chat.js';
import { outputDigestOf, partsOf, toolOf } from '../chat/part.js';
import { isObject, type Fields } from '../objects.js';
import { isChatOf, tell, type Engine } from '../engine/engine.js';
import { GuardError } from '../error.js';
import {
  chatAnswerFact,
  reportsAnswersFact,
  hydrateFact,
  pageOutputFact,
  StatusField,
  stoppedFact,
  ToolStateName,
} from '../generated/abi.js';
import type { Happening } from '../loading/happening.js';
import { soon } from '../soon.js';
import type { AttachableChat, AttachedApprovalResponse, AttachedToolOutput } from '../types.js';
import { problem } from '../verdict.js';

/** The part of a guard that its attachments use. */
export interface AttachmentsHost {
  /** Returns the engine, if there is one. */
  engine(): Engine | undefined;
  readonly recorder: { readonly commits: { readonly isStoring: boolean } };
  /** Runs with the engine, and tells the listeners what changed. A failure is reported. */
  run(work: (engine: Engine) => void, changes?: boolean): void;
  readonly automaticSends: { askSoon(): void };
  /** Called after the messages of an attached chat were read. */
  entered(engine: Engine): void;
  report(error: GuardError): void;
  fail(cause: unknown): void;
}

/** The attached chats of one guard. */
export class Attachments<M extends UIMessage> implements AttachmentEvents<M> {
  readonly #host: AttachmentsHost;
  /** In the order of attachment. Several components may attach the same chat. */
  #all: readonly AttachedChat<M>[] = NONE;
  #isReadPending = false;
  /** Whether the newest chat tells each answer, as the core knows it. */
  #reportsAnswers = false;
  /** The approval ids of the answers that the running response of the chat began with, or was told of since. */
  #answersInChat: ReadonlySet<unknown> = new Set();
  /** For each observed list, what the core had been told then. */
  readonly #observed = new WeakMap<readonly M[], number>();
  /** The approval ids of the answers that the chat was given, and has neither written nor asked about. */
  readonly #answering = new Set<unknown>();
  #stops = 0;
  /** The number of these stops that are over. */
  #stopsOver = 0;
  given: readonly M[] | undefined;
  shown: readonly M[] | undefined;
  isOpaque = false;
  /** Whether a request has left, or a response was resumed: what is read from then on is not history. */
  isBegun = false;

  constructor(host: AttachmentsHost) {
    this.#host = host;
  }

  get newest(): AttachedChat<M> | undefined {
    return this.#all.at(-1);
  }

  /** Attaches a chat and reads it, or leaves that to `enterAll`. Returns the function that detaches it. */
  attach(chat: AttachableChat<M>, isRead = true): () => void {
    let attached: AttachedChat<M>;
    try {
      attached = new AttachedChat(chat, this);
    } catch (error) {
      this.#host.fail(error);
      return () => {};
    }
    this.#all = this.#all.concat(attached);
    if (isRead) this.#enter(attached);
    return () => this.#exit(attached);
  }

  /** Reads all chats in order, because the newest one counts. */
  enterAll(isRead = true): void {
    for (const attached of this.#all) this.#enter(attached, isRead);
  }

  detachAll(): void {
    for (const attached of this.#all) attached.detach();
    this.#all = NONE;
  }

  #exit(attached: AttachedChat<M>): void {
    attached.detach();
    this.#all = this.#all.filter((other) => other !== attached);
    const engine = this.#host.engine();
    if (engine !== undefined) this.#noteReports(engine);
  }

  /** Tells the core whether the newest chat tells each answer. */
  #noteReports({ core }: Engine): void {
    const reportsAnswers = this.newest?.reportsAnswers === true;
    if (this.#reportsAnswers !== reportsAnswers) reportsAnswersFact(core.facts, { on: reportsAnswers });
    this.#reportsAnswers = reportsAnswers;
  }

  /** Reads a chat that is being attached. */
  #enter(attached: AttachedChat<M>, isRead = true): void {
    this.#host.run((engine) => {
      if (isOther(engine, attached.chat)) {
        this.#exit(attached);
        this.#host.report(problem('wrong-chat'));
        return;
      }
      if (!isRead) return;
      this.#noteReports(engine);
      const { messages, setMessages } = attached.chat;
      // A `Chat` may be attached before the stored messages are put into it. A hook is attached after each rendering.
      if (setMessages === undefined) this.#readNewest(engine, messages, false);
      else this.observe(engine, messages, attached);
      tell(engine);
      this.#host.entered(engine);
      this.tellChat();
    });
  }

  onAnswer(chat: AttachedChat<M>, response: AttachedApprovalResponse): Over {
    this.#answersInChat = new Set([...this.#answersInChat, response.id]);
    this.#host.run((engine) => {
      this.read(engine, chat);
      this.#tellAnswer(engine, response);
    });
    return this.answering(response.id);
  }

  #tellAnswer(engine: Engine, { id, approved, reason }: AttachedApprovalResponse): void {
    const { core, memory, ids } = engine;
    tell(engine);
    if (typeof id !== 'string' || typeof approved !== 'boolean') return;
    chatAnswerFact(core.facts, { approval: ids.of(id), approved });
    memory.answer(core.apply().answered, approved, reason);
  }

  /** Reads what the chat shows before the page writes over it. */
  onOutput(chat: AttachedChat<M>, output: AttachedToolOutput): Over {
    if (typeof output.toolCallId !== 'string' || this.#host.engine() === undefined) return;
    this.#host.run((engine) => {
      this.read(engine, chat);
      this.#tellOutput(engine, output);
    });
    return () => this.#host.automaticSends.askSoon();
  }

  #tellOutput({ core, ids }: Engine, { toolCallId, output, errorText }: AttachedToolOutput): void {
    if (typeof toolCallId !== 'string') return;
    pageOutputFact(core.facts, { id: ids.of(toolCallId), output: outputDigestOf(output, errorText) });
  }

  onStop(): Over {
    this.#host.run((engine) => {
      // An output that the page has written before the stop is taken back as well.
      this.read(engine);
      this.stop(engine);
    });
    this.#stops++;
    return () => {
      this.#stopsOver++;
      this.#host.automaticSends.askSoon();
    };
  }

  /** The number of stops of the chat. */
  get stops(): number {
    return this.#stops;
  }

  /** Whether the chat is being stopped, so that it drops each yes. */
  get isStopping(): boolean {
    return this.#stops > this.#stopsOver;
  }

  /** Whether the chat has yet to write an answer that it was given: a repair must not write it before. */
  get isAnswering(): boolean {
    return this.#answering.size > 0;
  }

  /** The chat is about to be given an answer. Returns what to call when it has written it. */
  answering(approvalId: unknown): () => void {
    this.#answering.add(approvalId);
    return () => {
      this.#answering.delete(approvalId);
      this.#host.automaticSends.askSoon();
    };
  }

  /** The chat asks about a list. Returns whether that lacks one of the answers that the chat was given. */
  isAskedEarly(messages: readonly M[]): boolean {
    if (this.#answering.size === 0) return false;
    const asking = new Set(questionsIn(messages));
    for (const id of this.#answering) if (!asking.has(id)) this.#answering.delete(id);
    return this.#answering.size > 0;
  }

  /** Runs when the person has stopped the chat. */
  stop(engine: Engine): void {
    stoppedFact(engine.core.facts);
    tell(engine);
    this.repair(engine, true);
  }

  // ---- before there was an engine -----------------------------------------------------------

  /** Reads what has happened before there was an engine. Nothing is done about it yet. */
  catchUp(engine: Engine, happened: Happening<M>): void {
    const { core, transcript } = engine;
    if ('chat' in happened && isOther(engine, happened.chat)) return;
    const { messages } = happened;
    if (!Array.isArray(messages)) throw problem('invalid-input');
    switch (happened.type) {
      case 'asked':
        transcript.readLast(messages, true);
        break;
      case 'observed':
      case 'adopted':
        if (this.newest !== undefined && this.#isFirst(engine, messages)) this.#readNewest(engine, messages);
        else transcript.observe(messages);
        break;
      case 'attached':
        this.#readNewest(engine, messages, false);
        break;
      case 'answered':
        this.#readNewest(engine, messages);
        this.#tellAnswer(engine, happened.response);
        break;
      case 'output':
        this.#readNewest(engine, messages);
        this.#tellOutput(engine, happened.output);
        break;
      case 'stopped':
        this.#readNewest(engine, messages);
        stoppedFact(core.facts);
        break;
    }
  }

  // ---- reading -----------------------------------------------------------------------------

  /** Notes the list that the chat itself has passed, with a question or a request. */
  noteList(messages: readonly M[]): void {
    this.given = messages;
    this.shown = this.newest?.chat.messages;
  }

  /** Reads the newest list of a chat, or else what it shows, which may be older. */
  read(engine: Engine, attached = this.newest): void {
    const newest = attached?.messages;
    if (newest !== undefined) this.#readNewest(engine, newest);
    else if (attached !== undefined) engine.transcript.observe(attached.chat.messages);
  }

  /** @param canLack whether calls that the list lacks are gone */
  #readNewest(engine: Engine, messages: readonly M[], canLack = true): void {
    const { core, transcript } = engine;
    if (this.#isFirst(engine, messages)) {
      hydrateFact(core.facts, { on: true });
      try {
        transcript.readAll(messages);
      } finally {
        hydrateFact(core.facts, { on: false });
      }
    } else if (canLack && transcript.isMissingIn(messages)) transcript.readAll(messages);
    else transcript.readLast(messages, true, true);
  }

  /** Whether these are the first messages, and nothing was sent. Nobody can have answered in this page what it has not shown. */
  #isFirst({ transcript }: Engine, messages: readonly M[]): boolean {
    return messages.length > 0 && transcript.isEmpty && !this.isBegun;
  }

  /** Reads a list that is shown and may be older than that of the chat. A rendering often is, so there the chat is read instead. */
  observe(engine: Engine, messages: readonly M[], attached = this.newest): void {
    const { transcript } = engine;
    const { chat } = attached ?? {};
    const isRendered = chat?.setMessages !== undefined;
    const at = this.#observed.get(messages);
    // To read it may cause a rendering, if a wrapper of `setMessages` does, and that one shows nothing new.
    if (isRendered && at === transcript.version) return;
    this.#observed.set(messages, transcript.version);
    const isRead = isRendered || chat?.messages === messages || transcript.isMissingIn(messages);
    const newest = isRead ? attached?.messages : undefined;
    // Stored messages may come after the first rendering.
    if (newest !== undefined || (attached !== undefined && this.#isFirst(engine, messages)))
      this.#readNewest(engine, newest ?? messages);
    else if (!isRendered || at === undefined) transcript.observe(messages);
  }

  /**
   * Reads the chat after it has processed the current chunk, because the predicate is not asked before the
   * response ends.
   */
  readSoon(): void {
    const { chat } = this.newest ?? {};
    // A rendering may ask for what is pending, and must not call into a hook.
    if (this.#isReadPending || chat === undefined || chat.setMessages !== undefined) return;
    this.#isReadPending = true;
    soon(() => {
      if (this.#host.engine() !== undefined) this.#host.run((engine) => this.#readPending(engine));
    });
  }

  /**
   * Reads at once what would be read soon. It is also read later, because the chat may not have processed the
   * chunk yet.
   */
  readPending(): void {
    if (!this.#isReadPending || this.#host.engine() === undefined) return;
    this.#host.run((engine) => this.#readPending(engine));
    this.#isReadPending = true;
  }

  #readPending(engine: Engine): void {
    if (!this.#isReadPending) return;
    this.#isReadPending = false;
    this.read(engine);
  }

  // ---- answers in a running response ---------------------------------------------------------

  /** Called when a request leaves, or a response is resumed: the chat takes the answers of its list along. */
  beginResponse(messages: readonly M[]): void {
    this.#answersInChat = new Set(answersIn(messages).map(({ id }) => id));
  }

  /**
   * Tells the chat of answers that the page has written into its list, as by `setMessages`, while a response runs. The chat
   * makes each chunk from a state of its own, and only its method for answers changes that state: without it the next
   * chunk asks again.
   *
   * @returns whether there were any
   */
  tellChat(): boolean {
    const attached = this.newest;
    if (attached?.isSending !== true) return false;
    const written = answersIn(attached.chat.messages).filter(({ id }) => !this.#answersInChat.has(id));
    if (written.length === 0) return false;
    this.#answersInChat = new Set([...this.#answersInChat, ...written.map(({ id }) => id)]);
    for (const answer of written) attached.answer(answer).catch((cause: unknown) => this.#host.fail(cause));
    return true;
  }

  // ---- ending ------------------------------------------------------------------------------

  /** Gives the calls that the page did not run in time an error as their output, so that the chat asks whether to send. */
  endOutputs(engine: Engine, errorText: string): void {
    for (const call of engine.core.timedOut?.splice(0) ?? NONE) {
      const { facts } = engine.memory.of(call);
      if (facts === undefined) continue;
      const { chat } = this.newest ?? {};
      const output = {
        tool: toolOf(facts),
        toolCallId: facts.toolCallId,
        state: ToolStateName.OutputError,
        errorText,
      };
      void (async () => {
        if (chat?.addToolOutput === undefined) throw new TypeError('No chat with addToolOutput is attached.');
        // The SDK writes over the first one, which may have a result (law 6).
        const parts = chat.messages.flatMap(({ parts }) => parts as readonly Fields[]);
        if (parts.filter(({ toolCallId }) => toolCallId === facts.toolCallId).length > 1)
          throw new TypeError('Several calls of the chat have this id.');
        await chat.addToolOutput(output as AttachedToolOutput);
      })().catch((cause: unknown) => {
        const sentence =
          'A call that the page did not run in time could not be ended. The chat waits for its output.';
        this.#host.report(
          new GuardError('commit-failed', sentence, { cause, toolCallId: String(facts.toolCallId) }),
        );
      });
    }
  }

  // ---- repairing ---------------------------------------------------------------------------

  /** Repairs the messages of the newest chat; with `withLast`, also the last message. */
  repair({ repairs, transcript }: Pick<Engine, 'repairs' | 'transcript'>, withLast: boolean): void {
    const attached = this.newest;
    // The chat itself has to write the last of the answers, so that it asks whether to send them.
    if (
      attached === undefined ||
      this.isAnswering ||
      this.#host.recorder.commits.isStoring ||
      !repairs.isNeededAtHome()
    )
      return;
    try {
      attached.write((messages) => {
        transcript.readLast(messages, true, true);
        return repairs.atHome(messages, withLast);
      });
    } catch (cause) {
      const sentence = 'The messages of the chat could not be repaired. Requests are repaired all the same.';
      this.#host.report(new GuardError('repair-failed', sentence, { cause }));
    }
  }
}

/** Whether a chat is another one than that of the guard. */
function isOther(engine: Engine, chat: { readonly id?: string }): boolean {
  // A chat may make its id when the id is first read, and make another one the next time. So the id is
  // read only if there is one to compare it with.
  const id: unknown = engine.core.get(StatusField.Chat) === 0 ? undefined : chat.id;
  return typeof id === 'string' && !isChatOf(engine, id);
}

/** The answers that the last message shows, without results. */
function answersIn(messages: readonly unknown[]): AttachedApprovalResponse[] {
  const found: AttachedApprovalResponse[] = [];
  const last: unknown = messages.at(-1);
  for (const part of isObject(last) ? partsOf(last) : NONE) {
    if (!isObject(part) || part.state !== ToolStateName.ApprovalResponded) continue;
    const { id, approved, reason } = Object(part.approval) as Partial<AttachedApprovalResponse>;
    if (typeof id === 'string' && typeof approved === 'boolean')
      found.push({ id, approved, ...(typeof reason === 'string' ? { reason } : {}) });
  }
  return found;
}
