// Sees the body that a transport of the SDK sends in place of the whole list: `HttpChatTransport` keeps the function that
// makes it in a field (`ai` 6 and 7, `src/ui/http-chat-transport.ts`).

interface Prepares {
  prepareSendMessagesRequest?: unknown;
}

/** The listeners to the bodies of requests, by the list of messages. */
const listeners = new WeakMap<object, (body: unknown) => void>();
/** The functions that tell them. */
const watching = new WeakSet<object>();

const listenerOf = (options: unknown): ((body: unknown) => void) | undefined => {
  const { messages } = Object(options) as { messages?: unknown };
  return typeof messages === 'object' && messages !== null ? listeners.get(messages) : undefined;
};

function watchingBodies(prepare: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  const watched = function (this: unknown, ...args: unknown[]): unknown {
    const tell = (prepared: unknown): unknown => {
      const { body } = Object(prepared) as { body?: unknown };
      if (body !== undefined) listenerOf(args[0])?.(body);
      return prepared;
    };
    const prepared = Reflect.apply(prepare, this, args);
    return prepared instanceof Promise ? prepared.then(tell) : tell(prepared);
  };
  watching.add(watched);
  return watched;
}

/**
 * Has `listener` called with the body of the request that carries these messages, if the transport makes one of its own.
 *
 * @returns ends it
 */
export function watchBody(
  transport: object,
  messages: readonly unknown[],
  listener: (body: unknown) => void,
): () => void {
  const inner = transport as Prepares;
  const { prepareSendMessagesRequest: prepare } = inner;
  if (typeof prepare !== 'function') return () => {};
  if (!watching.has(prepare)) {
    try {
      inner.prepareSendMessagesRequest = watchingBodies(prepare as (...args: unknown[]) => unknown);
    } catch {
      // The transport is frozen: its bodies are not seen.
    }
  }
  listeners.set(messages, listener);
  return () => {
    listeners.delete(messages);
  };
}
