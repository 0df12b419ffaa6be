// One guard for each chat of a page, behind one transport and one predicate.
import type { ChatTransport, UIMessage } from 'ai';

import { GuardError } from '../error.js';
import { RoleName } from '../generated/abi.js';
import { wrapping } from '../guard/wrapped-transport.js';
import { endsOf, referTo, type Reference } from '../lifetime.js';
import type { ApprovalGuard, ApprovalGuardOptions, AttachableChat } from '../types.js';
import type { ApprovalRecord } from '../types/record.js';

/** The options of each guard: those of `createApprovalGuard` without the chat. */
export interface ApprovalGuardsOptions<
  M extends UIMessage = UIMessage,
  Dynamic extends string = never,
> extends Omit<ApprovalGuardOptions<M, Dynamic>, 'chatId' | 'record'> {
  /**
   * Makes the record of a chat: a record belongs to one chat. Called once for each guard.
   *
   * @default none: decisions live as long as the page
   * @see `docs/threads.md`
   */
  record?: (chatId: string) => ApprovalRecord;
}

/** The guards of the chats of a page. They share nothing but their options. */
export interface ApprovalGuards<M extends UIMessage = UIMessage> {
  /**
   * Wraps a transport for all chats: a request goes through the guard of its chat, as through the transport
   * of that guard.
   *
   * @throws GuardError `invalid-input` if it is not a transport
   */
  readonly transport: <T extends ChatTransport<M>>(inner: T) => T;
  /**
   * The predicate for all chats. Synchronous, never throws. The chat is the one that calls it as its own method, as
   * a `Chat` does, or the attached one that shows this list. Otherwise it is found by its messages: by one that a
   * person has written since the page was loaded, or by those that the chat had when it was attached. If none of them
   * identifies it, nothing is sent, which is reported as `unknown-chat`.
   */
  readonly sendAutomaticallyWhen: (options: { messages: M[] }) => boolean;
  /**
   * Returns the guard of a chat, and creates it if there is none. Until it is disposed of, it is the same object as
   * long as something holds it, or a message that it was asked about, or its attached chat.
   *
   * @throws GuardError `invalid-input` if it is not the id of a chat
   */
  readonly get: (chatId: string) => ApprovalGuard<M>;
  /**
   * Returns the guard of a chat for a page that shows one chat after another with the same hook, as `useChat` does when its
   * id changes. It differs from that of {@link get} in two members: its transport and its predicate serve each chat that was
   * followed before, too, because such a hook passes on what an earlier chat still sends and asks. A question that no
   * message identifies a chat for is about this one. `useApprovalGuard` of each binding uses it.
   *
   * @throws GuardError `invalid-input` if it is not the id of a chat
   */
  readonly follow: (chatId: string) => ApprovalGuard<M>;
  /** Frees all guards, as their own `dispose` does. A guard that is asked for afterwards is disposed of. */
  readonly dispose: () => void;
  /** The same as {@link dispose}, for `using`. */
  readonly [Symbol.dispose]: () => void;
}

/** The options of each guard, or a function that returns those of a chat when its guard is made. */
export type OptionsByChat<M extends UIMessage = UIMessage, Dynamic extends string = never> =
  ApprovalGuardsOptions<M, Dynamic> | ((chatId: string) => ApprovalGuardsOptions<M, Dynamic>);

/** Creates a guard: `createApprovalGuard` in the form that the entry loads. */
export type CreateGuard = <M extends UIMessage>(options: ApprovalGuardOptions<M>) => ApprovalGuard<M>;

/** The guards with these options. @throws GuardError `invalid-option` or `invalid-catalogue` */
export function guardsWith<M extends UIMessage>(
  create: CreateGuard,
  options: OptionsByChat<M>,
): ApprovalGuards<M> {
  const guards = new Guards<M>(create, options);
  const dispose = (): void => guards.dispose();
  return {
    transport: guards.transportOf((chatId) => guards.get(chatId)),
    // The SDK calls it as a method of its chat, which identifies the chat.
    sendAutomaticallyWhen(this: unknown, options) {
      return guards.ask(options, this);
    },
    get: (chatId) => guards.get(chatId),
    follow: (chatId) => guards.follow(chatId),
    dispose,
    [Symbol.dispose]: dispose,
  };
}

type Request<M extends UIMessage> = Parameters<ChatTransport<M>['sendMessages']>[0];

class Guards<M extends UIMessage> {
  readonly #create: CreateGuard;
  /** The options of each guard, or those of a chat. */
  readonly #options: OptionsByChat<M>;
  /** The guards by the ids of their chats. None is held here, so that it goes with its chat. */
  readonly #byId = new Map<string, Reference<ApprovalGuard<M>>>();
  /**
   * The guards with which a message was seen. They live as long as it. An attached chat holds its guard, too, and so
   * does what a guard gives to others.
   */
  readonly #guardsOf = new WeakMap<object, Set<ApprovalGuard<M>>>();
  /** The messages that identify their chat: those that a person has just written, and those of attached chats. */
  readonly #identifying = new WeakSet<object>();
  /** The ids of these messages. The chat makes another object of a message that a person edits. */
  readonly #identifyingIds = new WeakMap<ApprovalGuard<M>, Set<unknown>>();
  /** The chats that are attached. None of them is held here. */
  readonly #chats = new Set<Reference<AttachableChat<M>>>();
  /** The guards as they are followed. */
  readonly #followed = new WeakMap<ApprovalGuard<M>, ApprovalGuard<M>>();
  /** The guard that was followed last. It is not held here. */
  #last: Reference<ApprovalGuard<M>> | undefined;
  /** Wraps a transport for the chats that are followed. One for all, so that nothing is wrapped twice. */
  #transport: ApprovalGuard<M>['transport'] | undefined;
  /** The guards that the application has disposed of. */
  readonly #ended = new WeakSet<ApprovalGuard<M>>();
  #isDisposed = false;
  /** Whether an unknown chat was reported. */
  #isReported = false;

  /** @throws GuardError `invalid-option` or `invalid-catalogue`: at once, and not with the first chat */
  constructor(create: CreateGuard, options: OptionsByChat<M>) {
    this.#create = create;
    this.#options = options;
    if (typeof options !== 'function') create<M>(readShared(options).rest);
  }

  get(chatId: string): ApprovalGuard<M> {
    if (typeof chatId !== 'string') {
      throw new GuardError('invalid-input', 'The id of a chat must be a string.');
    }
    const known = this.#known(chatId);
    if (known !== undefined) return known;
    const options = this.#options;
    const { rest, record: recordOf } = readShared(typeof options === 'function' ? options(chatId) : options);
    const record = recordOf?.(chatId);
    const own = this.#create<M>({ ...rest, chatId, ...(record && { record }) });
    // A part that the application passes on belongs to this guard, and holds it.
    const holding = <T extends object>(part: T): T => {
      this.#note(guard, [part]);
      return part;
    };
    const dispose = (): void => {
      own.dispose();
      this.#ended.add(guard);
      // The chat can be opened again.
      if (!this.#isDisposed) forget();
    };
    const guard: ApprovalGuard<M> = changed(own, {
      dispose,
      [Symbol.dispose]: dispose,
      transport: (inner) => holding(own.transport(inner)),
      subscribe: (listener) => holding(own.subscribe(listener)),
      adopt: (messages) => {
        // The chat will ask about them.
        if (Array.isArray(messages)) this.#note(guard, messages, true);
        own.adopt(messages);
      },
      attach: (chat: AttachableChat<M>) => {
        const detach = own.attach(chat);
        // The guard has refused another chat.
        const leave = chat?.id === undefined || chat.id === chatId ? this.#attached(guard, chat) : undefined;
        return () => {
          leave?.();
          detach();
        };
      },
    });
    holding(own.sendAutomaticallyWhen);
    const reference = referTo(guard);
    this.#byId.set(chatId, reference);
    const forget = forgetting(this.#byId, chatId, reference);
    endsOf(guard).add(forget);
    if (this.#isDisposed) guard.dispose();
    return guard;
  }

  #known(chatId: string): ApprovalGuard<M> | undefined {
    return this.#byId.get(chatId)?.deref();
  }

  follow(chatId: string): ApprovalGuard<M> {
    const guard = this.get(chatId);
    this.#last = referTo(guard);
    const known = this.#followed.get(guard);
    if (known !== undefined) return known;
    // Another chat that was never followed is refused, as by any guard.
    this.#transport ??= this.transportOf((id) => this.#known(id) ?? this.#last?.deref() ?? this.get(id));
    const guards = this;
    const followed = changed(guard, {
      transport: this.#transport,
      sendAutomaticallyWhen(this: unknown, options) {
        return guards.ask(options, this, guard);
      },
    });
    this.#followed.set(guard, followed);
    return followed;
  }

  /** Wraps a transport for several chats: each request goes through the guard of its chat. */
  transportOf(guardOf: (chatId: string) => ApprovalGuard<M>): <T extends ChatTransport<M>>(inner: T) => T {
    return wrapping<M>((inner) => ({
      sendMessages: async (request) => {
        const guard = guardOf(request.chatId);
        if (this.#known(request.chatId) === guard) this.#noteSent(guard, request);
        return guard.transport(inner).sendMessages(request);
      },
      reconnectToStream: async (request) =>
        guardOf(request.chatId).transport(inner).reconnectToStream(request),
    }));
  }

  /**
   * Whether a chat may submit. Never throws.
   *
   * @param asker the object whose method the predicate is
   * @param own the guard of a chat that nothing identifies
   */
  ask(options: { messages: M[] }, asker: unknown, own?: ApprovalGuard<M>): boolean {
    const messages: unknown = (Object(options) as Partial<typeof options>).messages;
    const guard = Array.isArray(messages) ? (this.#askedIn(messages, asker) ?? own) : undefined;
    // A guard that is still being loaded asks this object again.
    if (guard !== undefined) return guard.sendAutomaticallyWhen.call(asker, options);
    if (!Array.isArray(messages) || hasCalls(messages.at(-1))) this.#reportUnknown();
    return false;
  }

  /** Notes the messages of a request. */
  #noteSent(guard: ApprovalGuard<M>, { messages, trigger, messageId }: Request<M>): void {
    if (!Array.isArray(messages)) return;
    const last: M | undefined = messages.at(-1);
    // The chat has made this object for a message that a person has just written, so no other chat has it.
    const isNew = messageId === undefined || this.#identifyingIds.get(guard)?.has(messageId) === true;
    if (trigger === 'submit-message' && isNew && last?.role === RoleName.User)
      this.#note(guard, [last], true);
    this.#note(guard, messages);
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const reference of this.#byId.values()) reference.deref()?.dispose();
  }

  #attached(guard: ApprovalGuard<M>, chat: AttachableChat<M>): (() => void) | undefined {
    const messages: unknown = (Object(chat) as Partial<typeof chat>).messages;
    if (!Array.isArray(messages)) return undefined;
    this.#note(guard, [chat], true);
    this.#note(guard, messages, true);
    const reference = referTo(chat);
    this.#chats.add(reference);
    return () => this.#chats.delete(reference);
  }

  /** Notes that these were seen with a guard. What is older than a noted one was noted with it. */
  #note(guard: ApprovalGuard<M>, objects: readonly unknown[], identifies = false): void {
    for (let i = objects.length - 1; i >= 0; i -= 1) {
      const object: unknown = objects[i];
      if (!isReference(object)) continue;
      const guards = this.#guardsOf.get(object) ?? new Set();
      if (guards.has(guard) && (!identifies || this.#identifying.has(object))) break;
      this.#guardsOf.set(object, guards.add(guard));
      if (!identifies) continue;
      this.#identifying.add(object);
      const ids = this.#identifyingIds.get(guard) ?? new Set();
      this.#identifyingIds.set(guard, ids.add((object as { id?: unknown }).id));
    }
  }

  /** The guard of the chat that has these messages. A chat may begin with the messages of another one. */
  #askedIn(messages: readonly unknown[], asker: unknown): ApprovalGuard<M> | undefined {
    return this.#ofAsker(messages, asker) ?? this.#shownBy(messages) ?? this.#identifiedBy(messages);
  }

  /** The guard of the chat that asks about its own list. */
  #ofAsker(messages: readonly unknown[], asker: unknown): ApprovalGuard<M> | undefined {
    try {
      const chat = Object(asker) as Partial<AttachableChat<M>>;
      if (chat.messages !== messages || typeof chat.id !== 'string') return undefined;
      const guard = this.get(chat.id);
      this.#note(guard, [chat]);
      return guard;
    } catch {
      // The chat cannot be read.
      return undefined;
    }
  }

  /** The guard that one of the messages identifies. Chats may begin with the same messages. */
  #identifiedBy(messages: readonly unknown[]): ApprovalGuard<M> | undefined {
    for (let i = messages.length - 1; i >= 0; i -= 1) {
      const message = Object(messages[i]) as object;
      if (!this.#identifying.has(message)) continue;
      const guards = this.#livingGuardsOf(message).filter((guard) => !this.#lacks(guard, messages));
      if (guards.length < 2) return guards[0];
    }
    return undefined;
  }

  /** Whether each attached `Chat` of a guard lacks one of the messages. A hook may show an older list. */
  #lacks(guard: ApprovalGuard<M>, messages: readonly unknown[]): boolean {
    const own = this.#attachedChats().filter((chat) => this.#guardsOf.get(chat)?.has(guard) === true);
    return (
      own.length > 0 &&
      own.every((chat) => {
        const shown = chat.setMessages === undefined ? new Set<unknown>(chat.messages) : undefined;
        return shown !== undefined && !messages.every((message) => shown.has(message));
      })
    );
  }

  /** The guard of the one attached chat that shows this list. Stored messages may come after the chat was attached. */
  #shownBy(messages: readonly unknown[]): ApprovalGuard<M> | undefined {
    const found = this.#attachedChats().filter((chat) => chat.messages === messages);
    const [guard, ...others] = new Set(found.flatMap((chat) => this.#livingGuardsOf(chat)));
    return others.length === 0 ? guard : undefined;
  }

  #attachedChats(): AttachableChat<M>[] {
    return [...this.#chats].flatMap((reference) => {
      const chat = reference.deref();
      if (chat === undefined) this.#chats.delete(reference);
      return chat ?? [];
    });
  }

  /** The guards with which an object was seen. If the application has disposed of all of them, the first one says no. */
  #livingGuardsOf(object: object): ApprovalGuard<M>[] {
    const guards = [...(this.#guardsOf.get(object) ?? [])];
    const living = guards.filter((guard) => !this.#ended.has(guard));
    return living.length > 0 ? living : guards.slice(0, 1);
  }

  #reportUnknown(): void {
    if (this.#isReported || this.#isDisposed) return;
    this.#isReported = true;
    const error = new GuardError('unknown-chat', UNKNOWN_CHAT);
    try {
      const { onError = console.error } = this.#options as ApprovalGuardsOptions<M>;
      onError(error);
    } catch (cause) {
      console.error(error, cause);
    }
  }
}

/** Splits options into those of each guard, and what makes the record of a chat. @throws GuardError `invalid-option` */
function readShared<M extends UIMessage>(
  options: ApprovalGuardsOptions<M>,
): { rest: Omit<ApprovalGuardsOptions<M>, 'record'>; record: ApprovalGuardsOptions<M>['record'] } {
  // A value that is no object of options is refused by the guard.
  if (Object(options) !== options) return { rest: options, record: undefined };
  const { record, ...rest } = options;
  if (record !== undefined && typeof record !== 'function') {
    throw new GuardError(
      'invalid-option',
      'The option record must be a function that makes the record of a chat.',
    );
  }
  if ('chatId' in rest) {
    const sentence = 'There is no option chatId here: each guard gets the id of its chat.';
    throw new GuardError('invalid-option', sentence);
  }
  return { rest, record };
}

/** A guard with other members. Its getter is not called: `ready` may try again to load. */
const changed = <M extends UIMessage>(
  guard: ApprovalGuard<M>,
  members: Partial<ApprovalGuard<M>>,
): ApprovalGuard<M> =>
  Object.defineProperties(
    {} as ApprovalGuard<M>,
    {
      ...Object.getOwnPropertyDescriptors(guard),
      ...Object.getOwnPropertyDescriptors(members),
    } as PropertyDescriptorMap,
  );

/** A chat may be a function, as those of some frameworks are. */
const isReference = (value: unknown): value is object => Object(value) === value;

/** Not in a method, because a closure keeps everything in its scope alive, and this one outlives the guard. */
const forgetting =
  <T>(from: Map<string, T>, key: string, value: T) =>
  (): void => {
    if (from.get(key) === value) from.delete(key);
  };

const UNKNOWN_CHAT =
  'The predicate was asked about messages of an unknown chat, so nothing was sent. Attach each chat that begins with stored messages: guards.get(chat.id).attach(chat), or useToolApprovals.';

/** Whether a message has a tool call, so that somebody may wait for it to be sent. */
function hasCalls(message: unknown): boolean {
  const { parts } = Object(message) as { parts?: unknown };
  const isCall = (part: unknown): boolean => 'toolCallId' in (Object(part) as object);
  return Array.isArray(parts) && parts.some(isCall);
}
