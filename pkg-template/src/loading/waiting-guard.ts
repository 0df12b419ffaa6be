// The guard of a chat until its engine is there, and the way to the real one afterwards. It decides nothing: it says no,
// holds what would leave, and notes what happens, in order, for the guard that comes.
import type { ChatRequestOptions, UIMessage } from 'ai';

import { TappedChat, type ChatEvents } from '../chat/tapped-chat.js';
import { emptySnapshot } from '../empty.js';
import { NONE, sameItems } from '../engine/rows.js';
import { GuardError, ofChat } from '../error.js';
import { ToolStateName } from '../generated/abi.js';
import { askingIn, unanswerableCall } from '../guard/unanswerable-call.js';
import { withoutEngine } from '../guard/without-engine.js';
import { wrapping } from '../guard/wrapped-transport.js';
import { referTo, whileHeld } from '../lifetime.js';
import { notifyAll } from '../notify-all.js';
import { checkGiven } from '../options-given.js';
import type { Refusal, Snapshot } from '../prompt.js';
import type {
  ApprovalGuard,
  ApprovalGuardOptions,
  AttachableChat,
  AttachedApprovalResponse,
  AttachedToolOutput,
} from '../types.js';
import { loadedEngine, loadEngine } from './engine.js';
import type { Happening, LateGuard } from './happening.js';
import { INVALID_INPUT, SUPERSEDED, UNLOADED } from './sentences.js';

/**
 * Creates the approval guard of one chat, and starts to load its engine: the guard itself with its module. Until that is
 * there the guard says no, requests wait, and the snapshot is empty and says `loading`. Then it reads what has happened
 * meanwhile, sends what has waited, and asks again for a chat that was told no.
 *
 * @typeParam M the messages of the chat; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param options every option has a default
 * @returns the guard. Its creator either disposes of it or drops every reference to it
 * @throws GuardError `invalid-option`, saying what the option must be. What is checked only with the engine is reported
 * to `onError`, and then the guard never sends; after `preload()` it is thrown here too
 */
export function createApprovalGuard<M extends UIMessage = UIMessage, Dynamic extends string = never>(
  options: ApprovalGuardOptions<M, Dynamic> = {},
): ApprovalGuard<M> {
  const engine = loadedEngine();
  if (engine !== undefined) return engine.createApprovalGuard<M, Dynamic>(options);
  const given = options as unknown as ApprovalGuardOptions;
  checkGiven(given);
  const waiting = new WaitingGuard<M>(given);
  void waiting.start();
  return faceOf(waiting);
}

const NOTHING = (): void => {};

const LOADING = emptySnapshot('loading', UNLOADED.loading);
const UNAVAILABLE = emptySnapshot('unavailable', UNLOADED.unavailable);
const DISPOSED = emptySnapshot('disposed', UNLOADED.disposed);

/** The functions of a guard. Each of them can be passed on by itself, and is the guard's own as soon as there is one. */
function faceOf<M extends UIMessage>(waiting: WaitingGuard<M>): ApprovalGuard<M> {
  /** An act of a person, which tries again to load the engine. */
  const refused = (): Refusal => {
    void waiting.start();
    return { type: 'refused', reason: 'unavailable', message: waiting.snapshot().verdict.message };
  };
  const none = (): readonly never[] => NONE;
  const later =
    (name: 'retry' | 'resume' | 'proceed') =>
    async (...given: [undefined]) =>
      (await waiting.arrived())[name](...given);
  const members: Record<string | symbol, (...given: never[]) => unknown> = {
    explain: () => waiting.snapshot().verdict,
    observe: (messages: readonly M[]) => waiting.saw({ type: 'observed', messages }),
    adopt: (messages: readonly M[]) => waiting.saw({ type: 'adopted', messages }),
    unsent: (messages: readonly M[]) => {
      if (Array.isArray(messages)) return [...messages];
      throw ofChat(new GuardError('invalid-input', INVALID_INPUT), waiting.options.chatId);
    },
    attach: (chat: AttachableChat<M>) => waiting.attach(chat),
    retry: later('retry'),
    resume: later('resume'),
    proceed: later('proceed'),
    getSnapshot: () => waiting.snapshot(),
    decide: refused,
    decideAll: (calls: readonly unknown[]) => calls.map(refused),
    undo: refused,
    undoAll: refused,
    commit: refused,
    extend: refused,
    unmask: refused,
    covered: none,
    revoke: refused,
    revokeAll: refused,
    pending: none,
    grants: none,
    granted: NOTHING,
    subscribe: (listener: () => void) => waiting.subscribe(listener),
    ledger: none,
    dispose: () => waiting.dispose(),
  };
  for (const [name, before] of Object.entries(members)) {
    members[name] = (...given) =>
      ((waiting.guard?.[name as keyof ApprovalGuard] as typeof before | undefined) ?? before)(...given);
  }
  return {
    ...members,
    [Symbol.dispose]: members.dispose,
    locale: waiting.options.locale,
    // Always this one, so that nothing is wrapped twice.
    transport: waiting.transport,
    get ready() {
      return waiting.start();
    },
    // The SDK calls it as a method of its chat, which can then be asked again.
    sendAutomaticallyWhen(this: unknown, options: { messages: M[] }) {
      return waiting.ask(options, this);
    },
  } as unknown as ApprovalGuard<M>;
}

type WaitingChat<M extends UIMessage> = TappedChat<M, WaitingGuard<M>>;

/** Registered objects, each with the function that ends that: another one once the guard has come. */
type Registered<T> = Map<T, () => void>;

/** Registers something; returns the function that ends it. */
const registered = <T>(all: Registered<T>, one: T, end: () => void) => {
  all.set(one, end);
  return (): void => {
    all.get(one)?.();
    all.delete(one);
  };
};

/** A request that waits, and the place of its beginning among what has happened. */
interface WaitingRequest<M extends UIMessage> {
  readonly type: 'request';
  /** Called once: with the guard, or without one. */
  leave(guard: ApprovalGuard<M> | undefined): void;
}

class WaitingGuard<M extends UIMessage> implements ChatEvents<WaitingChat<M>> {
  readonly options: ApprovalGuardOptions;
  /** The guard that this one has waited for. */
  guard: ApprovalGuard<M> | undefined;
  #loading: Promise<void> | undefined;
  /** The error because of which there is no guard; a missing engine may still come. */
  #end: GuardError | undefined;
  /** The happenings, and the requests that wait, in order. */
  #queue: (Happening<M> | WaitingRequest<M>)[] = [];
  readonly #chats: Registered<WaitingChat<M>> = new Map();
  readonly #listeners: Registered<() => void> = new Map();
  /** The object on which the predicate was called when it last said no, if nothing has left since. */
  #asker: { of: unknown } | undefined;
  /** The parts that ask, and the snapshot that shows them if there is no engine. */
  #asking: readonly unknown[] = NONE;
  #unavailable = UNAVAILABLE;
  /** The options that came with the last answer or output of the page. */
  #requestOptions: ChatRequestOptions | undefined;
  readonly transport = wrapping<M>((inner) => ({
    sendMessages: (request) =>
      this.#pass(
        request.abortSignal,
        (guard) => guard.transport(inner).sendMessages(request),
        async () => {
          const messages = this.#unguarded(request.messages);
          // The guard that comes has to know what the server may have.
          const left = { type: 'left' as const, messages: request.messages, request, isDelivered: false };
          this.#queue.push(left);
          const response = await inner.sendMessages({ ...request, messages });
          left.isDelivered = true;
          return response;
        },
      ),
    reconnectToStream: (request) =>
      this.#pass(
        undefined,
        (guard) => guard.transport(inner).reconnectToStream(request),
        () => inner.reconnectToStream(request),
      ),
  }));

  constructor(options: ApprovalGuardOptions) {
    this.options = options;
  }

  // ---- loading -----------------------------------------------------------------------------

  /** Loads the engine, also again after that has failed. The promise is rejected if there will be no guard. */
  start(): Promise<void> {
    if (this.#loading === undefined) {
      const self = referTo(this);
      // Nothing that is not there yet keeps a guard alive.
      this.#loading = loadEngine().then(
        whileHeld(self, (waiting, engine) => waiting.#arrive(engine.createLateGuard)),
        whileHeld(self, (waiting, cause: GuardError) => waiting.#fail(cause)),
      );
      // A caller that does not wait is told by `onError`.
      this.#loading.catch(NOTHING);
    }
    return this.#loading;
  }

  /** The guard. @throws GuardError if there will be none */
  async arrived(): Promise<ApprovalGuard<M>> {
    await this.start();
    return this.guard as ApprovalGuard<M>;
  }

  #arrive(create: (options: ApprovalGuardOptions) => LateGuard<M>): void {
    if (this.#isDisposed) throw this.#end;
    let late: LateGuard<M>;
    try {
      late = create(this.options);
    } catch (cause) {
      // An option that is checked only now, so to load again would not help.
      throw this.#giveUp(cause as GuardError);
    }
    this.#end = undefined;
    this.guard = late.guard;
    for (const attached of this.#chats.keys()) {
      attached.detach();
      this.#chats.set(attached, late.attach(attached.chat));
    }
    let hasSent = false;
    for (const item of this.#queue.splice(0)) {
      if (item.type !== 'request') late.tell(item);
      else {
        item.leave(late.guard);
        hasSent = true;
      }
    }
    for (const listener of this.#listeners.keys())
      this.#listeners.set(listener, late.guard.subscribe(listener));
    late.begin(hasSent);
    if (this.#asker !== undefined) late.askAgain(this.#asker.of, this.#requestOptions);
    this.#asker = undefined;
    // The snapshot that they have seen last says that it is being loaded.
    this.#notify();
  }

  /** There is no engine now, and the next use tries again. @throws the cause */
  #fail(cause: GuardError): never {
    if (this.#isDisposed) throw cause;
    this.#loading = undefined;
    throw this.#giveUp(cause);
  }

  /** Reports why there is no guard, and returns it. What waits leaves if it may; what has happened is kept. */
  #giveUp(cause: GuardError): GuardError {
    this.#end = cause;
    this.#report(cause);
    this.#letGo();
    return cause;
  }

  /** Lets the requests go that wait, without a guard, and tells the listeners. */
  #letGo(): void {
    const queue = this.#queue;
    this.#queue = queue.filter((item) => item.type !== 'request');
    for (const item of queue) if (item.type === 'request') item.leave(undefined);
    this.#notify();
  }

  #notify(): void {
    notifyAll(this.#listeners.keys());
  }

  get #isDisposed(): boolean {
    return this.#end?.code === 'disposed';
  }

  #report(error: GuardError): void {
    ofChat(error, this.options.chatId);
    try {
      (this.options.onError ?? console.error)(error);
    } catch {
      // Nobody can be told that the error handler itself failed.
    }
  }

  dispose(): void {
    this.#end = ofChat(new GuardError('disposed', UNLOADED.disposed), this.options.chatId);
    for (const attached of this.#chats.keys()) attached.detach();
    this.#chats.clear();
    this.#letGo();
    this.#queue = [];
    this.#listeners.clear();
  }

  // ---- what is asked -----------------------------------------------------------------------

  snapshot(): Snapshot {
    if (this.#end === undefined) return LOADING;
    return this.#isDisposed ? DISPOSED : this.#unavailable;
  }

  /** Whether the chat may submit. Never throws. */
  ask(options: { messages: M[] }, asker: unknown): boolean {
    if (this.guard !== undefined) return this.guard.sendAutomaticallyWhen(options);
    this.#asker = { of: asker };
    try {
      this.saw({ type: 'asked', messages: (Object(options) as typeof options).messages });
    } catch {
      // The messages cannot be read. The guard that comes reports that.
    }
    void this.start();
    return false;
  }

  // ---- what happens ------------------------------------------------------------------------

  /** Notes what happens. Of what was only seen, with nothing done between, the first and the last list count. */
  saw(happened: Happening<M>): void {
    if (this.#isDisposed) return;
    const [first, last] = this.#queue.slice(-2);
    // A value that is no list is no first one.
    const isFirstKept = isOnlySeen(first) && Array.isArray(first.messages) && first.messages.length > 0;
    if (isFirstKept && isOnlySeen(last) && isOnlySeen(happened)) this.#queue.pop();
    this.#queue.push({ ...happened, messages: copyOf(happened.messages) });
    this.#show(happened.messages);
  }

  /** Prepares what is shown if there is no engine. A page that shows it is told afterwards, because a rendering may have asked. */
  #show(messages: readonly M[]): void {
    let asking: ReturnType<typeof askingIn> = { messageId: '', parts: NONE };
    try {
      asking = askingIn(messages);
    } catch {
      // Messages that cannot be read are not shown.
    }
    const { messageId, parts } = asking;
    if (sameItems(parts, this.#asking)) return;
    this.#asking = parts;
    const calls = parts.map((part, i) => unanswerableCall(part, messageId, i, parts.length));
    this.#unavailable = { ...UNAVAILABLE, calls, approvals: calls };
    if (this.#end !== undefined) void Promise.resolve().then(() => this.#notify());
  }

  attach(chat: AttachableChat<M>): () => void {
    if (this.#isDisposed) return NOTHING;
    try {
      const attached = new TappedChat(chat, this);
      this.saw({ type: 'attached', chat, messages: chat.messages });
      return registered(this.#chats, attached, () => attached.detach());
    } catch (error) {
      this.#report(error as GuardError);
      return NOTHING;
    }
  }

  onAnswer(of: WaitingChat<M>, response: AttachedApprovalResponse): void {
    this.#requestOptions = response?.options;
    this.saw({ type: 'answered', ...shownBy(of), response });
  }

  onOutput(of: WaitingChat<M>, output: AttachedToolOutput): void {
    this.#requestOptions = output.options;
    this.saw({ type: 'output', ...shownBy(of), output });
  }

  onStop(): void {
    const of = [...this.#chats.keys()].at(-1);
    if (of !== undefined) this.saw({ type: 'stopped', ...shownBy(of) });
  }

  subscribe(listener: () => void): () => void {
    return registered(this.#listeners, () => listener(), NOTHING);
  }

  // ---- requests ----------------------------------------------------------------------------

  /** Sends with the guard, and without it only when it cannot be loaded. A request that is stopped waits no longer. */
  #pass<T>(
    signal: AbortSignal | undefined,
    send: (guard: ApprovalGuard<M>) => Promise<T>,
    without: () => Promise<T>,
  ): Promise<T> {
    if (this.guard !== undefined) return send(this.guard);
    return new Promise<T>((resolve, reject) => {
      const leave = (guard: ApprovalGuard<M> | undefined): void => {
        if (signal?.aborted === true) return;
        const sent = async (): Promise<T> => (guard === undefined ? without() : send(guard));
        resolve(sent());
      };
      const stop = (): void => reject(Object.assign(new Error('It was stopped.'), { name: 'AbortError' }));
      signal?.addEventListener('abort', stop);
      // It carries the answers about which the chat was told no.
      this.#asker = undefined;
      this.#queue.push({ type: 'request', leave });
      // The guard is held until the engine is there, because nobody else may hold what waits for this request.
      const hold = (): unknown => this;
      this.start().then(hold, hold);
      if (this.#isDisposed) this.#letGo();
    });
  }

  /** Whether a part shows a result exactly as the server's list does. In doubt it is not believed. */
  #isBelieved(part: unknown): boolean {
    const { state, approval } = Object(part) as { state?: unknown; approval?: { approved?: unknown } };
    const hasResult = state === ToolStateName.OutputAvailable || state === ToolStateName.OutputError;
    if (!hasResult || approval?.approved === false) return false;
    try {
      const text = JSON.stringify(part);
      return this.#queue.some(
        (item) => item.type === 'adopted' && JSON.stringify(item.messages).includes(text),
      );
    } catch {
      return false;
    }
  }

  /** The messages of a request as they may leave without a guard. @throws GuardError if it has to be refused */
  #unguarded(messages: readonly M[]): M[] {
    try {
      return withoutEngine(messages, reasonIn(this.options.locale), (part) => this.#isBelieved(part)) as M[];
    } catch {
      throw this.#end;
    }
  }
}

const isOnlySeen = <M extends UIMessage>(
  item: Happening<M> | WaitingRequest<M> | undefined,
): item is Happening<M> => item?.type === 'asked' || item?.type === 'observed' || item?.type === 'attached';

/** The messages of a chat before the page writes into it. */
const shownBy = <M extends UIMessage>({ chat }: WaitingChat<M>) => ({
  chat,
  messages: chat.messages,
});

/** The reason of a call that is closed because the user moved on, as a catalogue words it. */
function reasonIn(locale: ApprovalGuardOptions['locale']): string {
  const own: unknown = (locale?.messages as Record<string, unknown> | undefined)?.['reason.superseded'];
  return typeof own === 'string' ? own : SUPERSEDED;
}

/** The list as it is now. A chat may change it in place, and its last message. */
function copyOf<M>(messages: readonly M[]): readonly M[] {
  let copy: M[] = [];
  try {
    if (!Array.isArray(messages)) return messages;
    copy = [...(messages as M[])];
    const last = copy.at(-1) as { id: unknown; role: unknown; parts: object[] };
    if (Array.isArray(last?.parts)) {
      const { id, role } = last;
      copy[copy.length - 1] = { ...last, id, role, parts: last.parts.map((part) => ({ ...part })) } as M;
    }
  } catch {
    // The list cannot be read. The guard that comes reports it when it reads the chat.
  }
  return copy;
}
