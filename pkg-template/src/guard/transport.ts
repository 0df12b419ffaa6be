import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';

import { GuardError } from '../error.js';

/** A request that may leave. */
export interface Left<M extends UIMessage> {
  request: number;
  messages: readonly M[];
}

/** What a guard does around a request. */
export interface Watcher<M extends UIMessage> {
  /**
   * Called before a request; returns its number, and the messages as they may leave. @throws GuardError to
   * refuse it
   */
  leaving(options: SendOptions<M>): Left<M> | Promise<Left<M>>;
  /** Called before a resumed response. @throws GuardError to refuse it */
  reconnecting(chatId: unknown): void;
  started(request: number): void;
  heard(request: number, chunk: unknown): void;
  ended(request: number): void;
  /** `asked`: whether the transport was asked for it; `status`: the status of its error, or `NaN`. */
  failed(request: number, aborted: boolean, asked: boolean, status: number): void;
}

type SendOptions<M extends UIMessage> = Parameters<ChatTransport<M>['sendMessages']>[0];
type ReconnectOptions<M extends UIMessage> = Parameters<ChatTransport<M>['reconnectToStream']>[0];
type Response = ReadableStream<UIMessageChunk>;
type Reader = ReadableStreamDefaultReader<UIMessageChunk>;

/**
 * Returns a function that watches transports. If a member of a watched transport returns a transport, such as
 * a clone, that one is watched too. All other members are forwarded, known or not.
 */
export function watching<M extends UIMessage>(
  watcher: Watcher<M>,
): <T extends ChatTransport<M>>(inner: T) => T {
  /** The watcher of each transport, and of each promise of one. A watcher is its own watcher. */
  const watched = new WeakMap<object, object>();
  const once = (value: object, make: () => object): object => {
    const own = watched.get(value) ?? make();
    watched.set(value, own).set(own, own);
    return own;
  };
  const watch = (value: unknown): unknown =>
    value instanceof Promise
      ? once(value, () => value.then(watch))
      : isTransport<M>(value)
        ? once(value, () => watchTransport(value, watcher, watch))
        : value;
  return <T extends ChatTransport<M>>(inner: T): T => {
    if (typeof Object(inner).sendMessages !== 'function') {
      throw new GuardError(
        'invalid-input',
        'The argument of guard.transport must be the transport of a chat: an object with sendMessages and reconnectToStream.',
      );
    }
    return once(inner, () => watchTransport(inner, watcher, watch)) as T;
  };
}

function isTransport<M extends UIMessage>(value: unknown): value is ChatTransport<M> {
  const { sendMessages, reconnectToStream } = Object(value) as Record<string, unknown>;
  return typeof sendMessages === 'function' && typeof reconnectToStream === 'function';
}

function watchTransport<M extends UIMessage>(
  inner: ChatTransport<M>,
  watcher: Watcher<M>,
  watch: (value: unknown) => unknown,
): ChatTransport<M> {
  const sendMessages = async (options: SendOptions<M>): Promise<Response> => {
    const left = watcher.leaving(options);
    // If there is no turn to wait for, not even a microtask passes.
    const { request, messages } = left instanceof Promise ? await left : left;
    const same = messages === options.messages;
    let response: Response;
    let reader: Reader | undefined;
    let isAsked = false;
    try {
      const leaving = same ? options : { ...options, messages: messages as M[] };
      const send = inner.sendMessages.bind(inner);
      if (isAborted(options.abortSignal))
        throw new DOMException('It was stopped before it left.', 'AbortError');
      isAsked = true;
      response = await send(leaving);
      reader = readerOf(response);
    } catch (error) {
      watcher.failed(request, isAborted(options.abortSignal), isAsked, statusOf(error));
      throw error;
    }
    if (reader === undefined) {
      // The outcome of the request is not known.
      watcher.failed(request, isAborted(options.abortSignal), true, NaN);
      return response;
    }
    watcher.started(request);
    return watchResponse(reader, request, options.abortSignal, watcher);
  };

  const reconnectToStream = async (options: ReconnectOptions<M>): Promise<Response | null> => {
    watcher.reconnecting(options.chatId);
    const response = await inner.reconnectToStream(options);
    const reader = readerOf(response);
    return reader === undefined ? response : watchResponse(reader, 0, undefined, watcher);
  };

  const methods = new WeakMap<object, object>();
  const read = (key: PropertyKey): unknown => {
    if (key === 'sendMessages') return sendMessages;
    if (key === 'reconnectToStream') return reconnectToStream;
    // A member may use private fields, which only the inner transport has.
    const member = watch(Reflect.get(inner, key));
    if (typeof member !== 'function') return member;
    let method = methods.get(member);
    if (method === undefined) {
      method = new Proxy(member, {
        apply: (method, _, args) => watch(Reflect.apply(method, inner, args)),
        construct: (method, args, target) => watch(Reflect.construct(method, args, target)) as object,
      });
      methods.set(member, method);
    }
    return method;
  };
  // The target is another object, because the proxy of a frozen object has to return exactly the members of
  // its target.
  return new Proxy(Object.create(Object.getPrototypeOf(inner)) as ChatTransport<M>, {
    get: (_, key) => read(key),
    set: (_, key, value) => Reflect.set(inner, key, value),
    has: (_, key) => Reflect.has(inner, key),
    ownKeys: () => Reflect.ownKeys(inner),
    getOwnPropertyDescriptor(_, key) {
      const own = Reflect.getOwnPropertyDescriptor(inner, key);
      return (
        own && { value: read(key), writable: true, enumerable: own.enumerable === true, configurable: true }
      );
    },
    defineProperty: (_, key, descriptor) => Reflect.defineProperty(inner, key, descriptor),
    deleteProperty: (_, key) => Reflect.deleteProperty(inner, key),
  });
}

/** A transport may return something other than a stream. A response that cannot be watched is passed on. */
const readerOf = (response: Response | null): Reader | undefined =>
  typeof response?.getReader === 'function' ? response.getReader() : undefined;

/** The same response, watched chunk by chunk. */
function watchResponse<M extends UIMessage>(
  reader: Reader,
  request: number,
  signal: AbortSignal | undefined,
  watcher: Watcher<M>,
): Response {
  let isOver = false;
  const broke = () => {
    if (!isOver) watcher.failed(request, isAborted(signal), true, NaN);
    isOver = true;
  };
  return new ReadableStream<UIMessageChunk>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            watcher.heard(request, value);
            controller.enqueue(value);
            return;
          }
        } catch (error) {
          broke();
          controller.error(error);
          return;
        }
        if (isOver) return;
        watcher.ended(request);
        controller.close();
      },
      cancel(reason) {
        broke();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

/**
 * Errors that may carry a status: those of `ai` 7 (`statusCode`), of wrappers of `fetch`, and of axios
 * (`response`).
 */
interface MayCarryStatus {
  statusCode?: unknown;
  status?: unknown;
  response?: MayCarryStatus | null;
}

/** The status of an error, or `NaN`. The core decides what it proves. */
function statusOf(error: unknown): number {
  try {
    const { statusCode, status, response } = error as MayCarryStatus;
    const found = statusCode ?? status ?? response?.statusCode ?? response?.status;
    return typeof found === 'number' ? found : NaN;
  } catch {
    return NaN;
  }
}
