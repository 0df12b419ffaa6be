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
  /** `doubt`: it may have reached the server. */
  failed(request: number, doubt: boolean, aborted: boolean): void;
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
    try {
      response = await inner.sendMessages(same ? options : { ...options, messages: messages as M[] });
    } catch (error) {
      watcher.failed(request, mayHaveArrived(error), options.abortSignal?.aborted === true);
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
          watcher.failed(request, true, signal?.aborted === true);
          controller.error(error);
          return;
        }
        watcher.ended(request);
        controller.close();
      },
      cancel(reason) {
        watcher.failed(request, true, signal?.aborted === true);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Can the request have reached the server, so that an allowed call may have run? An answer with a
 * status, or an error of the application, says that it was refused; a network failure says nothing
 * (the SDK tells them apart the same way: `ai` 7.0, `chat.ts`, `isDisconnect`).
 */
function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false;
  const text = error.message.toLowerCase();
  const network = text.includes('fetch') || text.includes('network') || text === 'load failed';
  return network && globalThis.navigator?.onLine !== false;
}
