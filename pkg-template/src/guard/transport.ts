// Watches the requests and the responses of a transport.
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';

import type { Released } from './recorder.js';
import { watchBody } from './watched-body.js';
import type { Sending } from './wrapped-transport.js';

/** A guard, as the transport that it watches knows it. */
export interface Watcher<M extends UIMessage> {
  /**
   * Called before a request; returns its number, and the messages as they may leave. @throws GuardError to
   * refuse it
   */
  outgoing(options: SendOptions<M>): Released<M> | Promise<Released<M>>;
  /** Called with the body of a request, where that can be seen and is not made by the transport itself. */
  made(request: number, messages: readonly M[], body: unknown): void;
  /** Called before a resumed response. @throws GuardError to refuse it */
  reconnecting(chatId: unknown): void;
  started(request: number): void;
  heard(request: number, chunk: unknown): void;
  ended(request: number): void;
  /** How often the chat was stopped. */
  readonly stops: number;
  /**
   * `aborted`: whether it was aborted, and no stop of the chat has said so; `asked`: whether the transport was asked for
   * it; `status`: the status of its error, or `NaN`.
   */
  failed(request: number, aborted: boolean, asked: boolean, status: number): void;
}

type SendOptions<M extends UIMessage> = Parameters<ChatTransport<M>['sendMessages']>[0];
type ReconnectOptions<M extends UIMessage> = Parameters<ChatTransport<M>['reconnectToStream']>[0];
type Response = ReadableStream<UIMessageChunk>;
type Reader = ReadableStreamDefaultReader<UIMessageChunk>;

/** The methods of a transport whose requests and responses a guard watches. */
export function watchedSending<M extends UIMessage>(
  inner: ChatTransport<M>,
  watcher: Watcher<M>,
): Sending<M> {
  const sendMessages = async (options: SendOptions<M>): Promise<Response> => {
    const { stops } = watcher;
    const left = watcher.outgoing(options);
    // Without a transaction of the record, not even a microtask passes.
    const { request, messages, options: own, isStopped } = left instanceof Promise ? await left : left;
    const failed = (asked = true, status = NaN): void => {
      const aborted = isAborted(options.abortSignal) && watcher.stops === stops;
      watcher.failed(request, aborted, asked, status);
    };
    const same = messages === options.messages;
    let response: Response;
    let reader: Reader | undefined;
    let isAsked = false;
    try {
      let leaving = same ? options : { ...options, messages: messages as M[] };
      if (own !== undefined) {
        const { headers, body, metadata, ...rest } = leaving;
        leaving = { ...rest, ...own };
      }
      const send = inner.sendMessages.bind(inner);
      if (isAborted(options.abortSignal) || isStopped?.() === true)
        throw new DOMException('It was stopped before it left.', 'AbortError');
      isAsked = true;
      const unwatch = watchBody(inner, leaving.messages, (body) => watcher.made(request, messages, body));
      try {
        response = await send(leaving);
      } finally {
        unwatch();
      }
      reader = readerOf(response);
    } catch (error) {
      failed(isAsked, statusOf(error));
      throw error;
    }
    if (reader === undefined) {
      // The outcome of the request is not known.
      failed();
      return response;
    }
    watcher.started(request);
    return watchResponse(reader, request, options.abortSignal, watcher, failed);
  };

  const reconnectToStream = async (options: ReconnectOptions<M>): Promise<Response | null> => {
    watcher.reconnecting(options.chatId);
    const failed = (): void => watcher.failed(0, false, true, NaN);
    // It may settle calls that the chat shows as open.
    watcher.started(0);
    let response: Response | null;
    let reader: Reader | undefined;
    try {
      response = await inner.reconnectToStream(options);
      reader = readerOf(response);
    } catch (error) {
      failed();
      throw error;
    }
    if (reader === undefined) {
      // After nothing was resumed, the chat does not ask.
      if (response === null) failed();
      else watcher.ended(0);
      return response;
    }
    return watchResponse(reader, 0, options.abortSignal, watcher, failed);
  };

  return { sendMessages, reconnectToStream };
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
  failed: () => void,
): Response {
  let isOver = false;
  const broke = () => {
    if (!isOver) failed();
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
        // A transport may close the stream of a response that was stopped, as a WebSocket of the SDK does.
        if (isAborted(signal)) broke();
        else watcher.ended(request);
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

export const isAborted = (signal: unknown): boolean =>
  (Object(signal) as Partial<AbortSignal>).aborted === true;

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
