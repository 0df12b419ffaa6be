import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';

/** A request as it leaves. */
export interface Left<M extends UIMessage> {
  request: number;
  messages: readonly M[];
}

/** What a guard does around a request. */
export interface Watcher<M extends UIMessage> {
  /** Before a request: its number, and the messages as they may leave. @throws GuardError to refuse it */
  leaving(options: SendOptions<M>): Left<M> | Promise<Left<M>>;
  /** Before a resumed response. @throws GuardError to refuse it */
  reconnecting(chatId: unknown): void;
  started(request: number): void;
  heard(request: number, chunk: unknown): void;
  ended(request: number): void;
  /** Was the transport `asked` for it, and which status does its error carry (or `NaN`)? */
  failed(request: number, aborted: boolean, asked: boolean, status: number): void;
}

type SendOptions<M extends UIMessage> = Parameters<ChatTransport<M>['sendMessages']>[0];
type ReconnectOptions<M extends UIMessage> = Parameters<ChatTransport<M>['reconnectToStream']>[0];
type Response = ReadableStream<UIMessageChunk>;

/** The same transport, watched. Every other member is forwarded, known or not. */
export function watchTransport<M extends UIMessage, T extends ChatTransport<M>>(
  inner: T,
  watcher: Watcher<M>,
): T {
  const sendMessages = async (options: SendOptions<M>): Promise<Response> => {
    const left = watcher.leaving(options);
    // Without a turn to wait for, not even a microtask passes.
    const { request, messages } = left instanceof Promise ? await left : left;
    const same = messages === options.messages;
    let response: Response;
    let isAsked = false;
    try {
      const leaving = same ? options : { ...options, messages: messages as M[] };
      const send = inner.sendMessages.bind(inner);
      if (isAborted(options.abortSignal))
        throw new DOMException('It was stopped before it left.', 'AbortError');
      isAsked = true;
      response = await send(leaving);
    } catch (error) {
      watcher.failed(request, isAborted(options.abortSignal), isAsked, statusOf(error));
      throw error;
    }
    watcher.started(request);
    return watchResponse(response, request, options.abortSignal, watcher);
  };

  const reconnectToStream = async (options: ReconnectOptions<M>): Promise<Response | null> => {
    watcher.reconnecting(options.chatId);
    const response = await inner.reconnectToStream(options);
    return response === null ? null : watchResponse(response, 0, undefined, watcher);
  };

  const bound = new Map<PropertyKey, { method: unknown; bound: unknown }>();
  return new Proxy(inner, {
    get(target, key) {
      if (key === 'sendMessages') return sendMessages;
      if (key === 'reconnectToStream') return reconnectToStream;
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      // A method may use private fields, which a proxy does not have.
      const known = bound.get(key);
      if (known?.method === member) return known.bound;
      const method = member.bind(target) as unknown;
      bound.set(key, { method: member, bound: method });
      return method;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}

/** The same response, chunk by chunk. */
function watchResponse<M extends UIMessage>(
  response: Response,
  request: number,
  signal: AbortSignal | undefined,
  watcher: Watcher<M>,
): Response {
  // A transport may answer with something else than a stream; what cannot be watched is passed on.
  if (typeof response?.getReader !== 'function') return response;
  const reader = response.getReader();
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

/** What may carry a status: the errors of `ai` 7 (`statusCode`), of wrappers of `fetch`, and of axios (`response`). */
interface MayCarryStatus {
  statusCode?: unknown;
  status?: unknown;
  response?: MayCarryStatus | null;
}

/** The status that an error carries, or `NaN`. What it proves is said by the core. */
function statusOf(error: unknown): number {
  try {
    const { statusCode, status, response } = error as MayCarryStatus;
    const found = statusCode ?? status ?? response?.statusCode ?? response?.status;
    return typeof found === 'number' ? found : NaN;
  } catch {
    return NaN;
  }
}
