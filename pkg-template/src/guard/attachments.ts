// The chats that a guard is attached to. The newest one is read and repaired.
import type { UIMessage } from 'ai';

import { AttachedChat, type ChatEvents } from '../chat/attachment.js';
import { toolOf, type Fields } from '../chat/part.js';
import { isChatOf, tell, type Engine } from '../engine/engine.js';
import { GuardError } from '../error.js';
import { decidedFact, hydrateFact, StatusField, stoppedFact, ToolStateName } from '../generated/abi.js';
import { soon } from '../soon.js';
import type { AttachableChat, AttachedApprovalResponse, AttachedToolOutput } from '../types.js';
import { problem } from '../verdict.js';

/** What attachments need from their guard. */
export interface AttachmentsHost {
  engine(): Engine | undefined;
  /** Whether answers are committed and about to be written into the chat. */
  isWriting(): boolean;
  /** Runs with the engine, and tells the listeners what changed. A failure is reported. */
  run(work: (engine: Engine) => void): void;
  /** Called after the messages of an attached chat were read. */
  entered(engine: Engine): void;
  report(error: GuardError): void;
  fail(cause: unknown): void;
}

const NONE: readonly never[] = [];

/** The attached chats of one guard. */
export class Attachments<M extends UIMessage> implements ChatEvents<M> {
  readonly #host: AttachmentsHost;
  /** In the order of attachment. Several components may attach the same chat. */
  #all: readonly AttachedChat<M>[] = NONE;
  #isReadPending = false;
  /** What the core had been told when the chat was last looked into. */
  #looked = -1;
  /**
   * What the core had been told when a component last showed all calls of the last step. A component is known by its
   * `setMessages`, which all of its renderings share.
   */
  readonly #whole = new WeakMap<object, number>();
  /** What the core had been told when such a component showed fewer calls, although the chat had them all. */
  #partial = -1;
  /** The list that the chat last passed with a question or a request. */
  given: readonly M[] | undefined;
  /** For each list, how many calls had left the chat when it was read; -1 if the chat already had a newer list. */
  readonly #ages = new WeakMap<readonly M[], number>();
  /** What the core had been told when an older list was last compared with that of the chat, and was another one. */
  #compared = -1;
  /** Whether a request has left, or a response was resumed: what is read from then on is not history. */
  isBegun = false;

  constructor(host: AttachmentsHost) {
    this.#host = host;
  }

  get newest(): AttachedChat<M> | undefined {
    return this.#all.at(-1);
  }

  /** Attaches a chat and reads it. Returns the function that detaches it. */
  attach(chat: AttachableChat<M>): () => void {
    let attached: AttachedChat<M>;
    try {
      attached = new AttachedChat(chat, this);
    } catch (error) {
      this.#host.fail(error);
      return () => {};
    }
    this.#all = this.#all.concat(attached);
    this.#enter(attached);
    return () => this.#exit(attached);
  }

  /** Reads all chats in order, because the newest one counts. */
  enterAll(): void {
    for (const attached of this.#all) this.#enter(attached);
  }

  detachAll(): void {
    for (const attached of this.#all) attached.detach();
    this.#all = NONE;
  }

  #exit(attached: AttachedChat<M>): void {
    attached.detach();
    this.#all = this.#all.filter((other) => other !== attached);
  }

  /** Reads a chat that is being attached. */
  #enter(attached: AttachedChat<M>): void {
    this.#host.run((engine) => {
      const { core } = engine;
      // A chat may make its id when the id is first read, and make another one the next time. So the id is
      // read only if there is one to compare it with.
      const id = core.get(StatusField.Chat) === 0 ? undefined : attached.chat.id;
      if (typeof id === 'string' && !isChatOf(engine, id)) {
        this.#exit(attached);
        this.#host.report(problem('wrong-chat'));
        return;
      }
      this.#readChat(attached, engine);
      tell(engine);
      this.#host.entered(engine);
    });
  }

  answered(chat: AttachedChat<M>, response: AttachedApprovalResponse): void {
    this.#host.run((engine) => this.#answered(engine, chat, response));
  }

  #answered(engine: Engine, attached: AttachedChat<M>, response: AttachedApprovalResponse): void {
    const { core, memory, ids } = engine;
    this.#readChat(attached, engine);
    tell(engine);
    const { id, approved, reason } = response;
    if (typeof id !== 'string' || typeof approved !== 'boolean') return;
    decidedFact(core.facts, { approval: ids.of(id), approved: Number(approved) });
    const call = core.apply().answered;
    const { asked } = memory.of(call);
    if (asked !== undefined) memory.answer(call, { ...asked, approved, reason });
  }

  stopped(): void {
    this.#host.run((engine) => this.stop(engine));
  }

  /** Runs when the person has stopped the chat. */
  stop(engine: Engine): void {
    stoppedFact(engine.core.facts);
    tell(engine);
    this.repair(engine, true);
  }

  // ---- reading -----------------------------------------------------------------------------

  /** Reads the newest chat. */
  read(engine: Engine): void {
    if (this.newest !== undefined) this.#readChat(this.newest, engine);
  }

  /** Reads the list of a chat. A list from a render may be older than what was seen since. */
  #readChat(attached: AttachedChat<M>, engine: Engine): void {
    const { chat, isCurrent } = attached;
    if (isCurrent && !this.#isFirst(engine, chat.messages)) engine.transcript.readLast(chat.messages, true);
    else this.observe(engine, chat.messages, attached);
  }

  /** Whether these are the first messages, and nothing was sent. Nobody can have answered in this page what it has not shown. */
  #isFirst({ transcript }: Engine, messages: readonly M[]): boolean {
    return messages.length > 0 && transcript.isEmpty && !this.isBegun;
  }

  /** Reads a list that may be older. Where it lacks a call, the chat itself has the newest list, which says whether the call is gone. */
  observe(engine: Engine, messages: readonly M[], attached = this.newest): void {
    const { core, transcript } = engine;
    // A throttled rendering shows the same list again, and every change causes a rendering of each component.
    const { dropped } = transcript;
    if ((this.#ages.get(messages) ?? dropped) < dropped && !this.#isNewest(engine, messages, attached))
      return;
    this.#ages.set(messages, dropped);
    // Stored messages may come after the first rendering.
    if (attached !== undefined && this.#isFirst(engine, messages)) {
      hydrateFact(core.facts, { on: 1 });
      try {
        transcript.readAll(messages);
      } finally {
        hydrateFact(core.facts, { on: 0 });
      }
      return;
    }
    const isMissing = transcript.isMissingIn(messages);
    if (!isMissing && attached?.isCurrent === true && attached.chat.messages === messages) {
      transcript.readLast(messages, true, true);
      return;
    }
    transcript.observe(messages);
    if (attached === undefined) return;
    const { told } = transcript;
    const { chat } = attached;
    const component = chat.setMessages ?? chat;
    const isShown = chat.messages === messages;
    if (!isMissing && isShown) this.#whole.set(component, told);
    // While a request is on its way, a rendering may still show the list before it. A page may also pass a part of its
    // list, so the chat is looked into once for each change, and when a component no longer shows what it has shown.
    const isBack = isShown && this.#whole.get(component) === told && this.#partial !== told;
    if (!isMissing || attached.isSending || (told === this.#looked && !isBack)) return;
    this.#looked = told;
    attached.look((newest) => {
      if (isBack && !transcript.isMissingIn(newest)) this.#partial = told;
      transcript.readAll(newest);
      this.#ages.set(newest, transcript.dropped);
    });
  }

  /**
   * Whether an older list may be that of the chat again. Reading the list of a hook causes a rendering, so it is read once
   * for each change.
   */
  #isNewest({ transcript }: Engine, messages: readonly M[], attached: AttachedChat<M> | undefined): boolean {
    if (attached?.isCurrent !== false) return true;
    const { told } = transcript;
    if (attached.isSending || told === this.#compared) return false;
    let isNewest = false;
    attached.look((newest) => (isNewest = newest === messages));
    if (!isNewest) this.#compared = told;
    return isNewest;
  }

  /**
   * Reads the chat after it has processed the current chunk, because the predicate is not asked before the
   * response ends.
   */
  readSoon(): void {
    if (this.#isReadPending || this.newest?.isCurrent !== true) return;
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
    if (this.newest?.isCurrent === true) this.read(engine);
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
  repair({ repairs, transcript }: Engine, withLast: boolean): void {
    const attached = this.newest;
    // The chat itself has to write the last of the answers, so that it asks whether to send them.
    if (attached === undefined || this.#host.isWriting() || !repairs.isNeededAtHome()) return;
    try {
      attached.write((messages) => {
        if (!attached.isCurrent) {
          // What was read may be from a rendering that is older than the last repair.
          const shown = attached.chat.messages;
          if (shown !== messages) this.#ages.set(shown, -1);
          transcript.readLast(messages, true, true);
        }
        return repairs.atHome(messages, withLast);
      });
      if (attached.isCurrent) transcript.setCurrent(attached.chat.messages);
    } catch (cause) {
      const sentence = 'The messages of the chat could not be repaired. Requests are repaired all the same.';
      this.#host.report(new GuardError('repair-failed', sentence, { cause }));
    }
  }
}
