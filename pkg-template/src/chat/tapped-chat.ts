// A chat that an application has passed on, which tells what the page is about to write into it.
import type { UIMessage } from 'ai';

import { GuardError } from '../error.js';
import { INVALID_INPUT } from '../loading/sentences.js';
import type { AttachableChat, AttachedApprovalResponse, AttachedToolOutput } from '../types.js';

/** A listener to the acts of the page on a chat. Each function is called before the chat carries the act out. */
export interface ChatEvents<Chat> {
  onAnswer(chat: Chat, response: AttachedApprovalResponse): Over;
  onOutput(chat: Chat, output: AttachedToolOutput): Over;
  /** The chat drops each yes until the stop is over. */
  onStop(): Over;
}

/** A function to be called when the chat has carried the act out. */
export type Over = (() => void) | void;

/** The methods of a chat that its guards listen to. */
type TappedMethod = 'addToolApprovalResponse' | 'addToolOutput' | 'stop';

/** A method of a chat, for all guards that are attached to it. */
interface MethodTap {
  readonly name: TappedMethod;
  /** Whether the method was an own property of the chat, not inherited from its class. */
  readonly isOwn: boolean;
  readonly original: (...args: unknown[]) => unknown;
  /** Takes the place of the original. */
  method: (...args: unknown[]) => unknown;
  /** Several components may attach the same chat to the same guard. */
  attached: readonly Tapping[];
}

/** A listener to the methods of its chat. */
interface Tapping {
  readonly listener: object;
  beforeCall(name: TappedMethod, argument: unknown): Over;
}

const taps = /* @__PURE__ */ new WeakMap<object, MethodTap>();

/** A chat that tells a listener before the page writes into it. */
export class TappedChat<M extends UIMessage, Events extends ChatEvents<never>> implements Tapping {
  readonly chat: AttachableChat<M>;
  readonly listener: Events;
  protected readonly taps: readonly (MethodTap | undefined)[];

  /** @throws GuardError `invalid-input` if it is not a chat */
  constructor(chat: AttachableChat<M>, listener: Events) {
    if (typeof chat !== 'object' || chat === null || !Array.isArray(chat.messages)) {
      throw new GuardError('invalid-input', INVALID_INPUT);
    }
    this.chat = chat;
    this.listener = listener;
    this.taps = [this.#tap('addToolApprovalResponse'), this.#tap('addToolOutput'), this.#tap('stop')];
  }

  beforeCall(name: TappedMethod, argument: unknown): Over {
    if (name === 'stop') return this.listener.onStop();
    return name === 'addToolOutput'
      ? this.listener.onOutput(this as never, Object(argument) as AttachedToolOutput)
      : this.listener.onAnswer(this as never, argument as AttachedApprovalResponse);
  }

  /** Ends that this attachment is told. */
  detach(): void {
    const chat = this.chat as unknown as Record<string, unknown>;
    for (const tap of this.taps) {
      if (tap === undefined) continue;
      const { name, isOwn, original, method } = tap;
      tap.attached = tap.attached.filter((other) => other !== this);
      if (tap.attached.length > 0 || chat[name] !== method) continue;
      if (!isOwn) Reflect.deleteProperty(chat, name);
      if (chat[name] === method) chat[name] = original;
    }
  }

  /**
   * Makes a method of the chat tell this attachment first. This is needed because the predicate is not asked after
   * an answer that is given while a response streams, so an output written over that answer would hide it.
   */
  #tap(name: TappedMethod): MethodTap | undefined {
    const chat = this.chat as unknown as Record<string, unknown>;
    const current = chat[name];
    if (typeof current !== 'function') return undefined;
    let tap = taps.get(current);
    if (tap === undefined) {
      const original = current as MethodTap['original'];
      tap = { name, isOwn: Object.hasOwn(chat, name), original, method: original, attached: [] };
      tap.method = telling(chat, tap);
      // A frozen or read-only chat is left unchanged; its answers are found in its messages.
      if (!Reflect.set(chat, name, tap.method) || chat[name] !== tap.method) return undefined;
      taps.set(tap.method, tap);
    }
    // A list that is spread has room for 16 more.
    tap.attached = tap.attached.concat(this);
    return tap;
  }
}

/** A method that tells the guards first. It is made in a scope of its own, so that it holds nothing else. */
const telling =
  (chat: object, tap: MethodTap): MethodTap['method'] =>
  (...args) => {
    // Each guard is told once, through its latest attachment.
    const last = new Map(tap.attached.map((attached) => [attached.listener, attached]));
    const begun = Array.from(last.values(), (attached) => attached.beforeCall(tap.name, args[0]));
    const over = (): void => begun.forEach((end) => end?.());
    let result: unknown;
    try {
      return (result = Reflect.apply(tap.original, chat, args));
    } finally {
      Promise.resolve(result).then(over, over);
    }
  };
