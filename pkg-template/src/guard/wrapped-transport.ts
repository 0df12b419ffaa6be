// A transport with other methods for sending: everything else is forwarded, and what it returns is wrapped too.
import type { ChatTransport, UIMessage } from 'ai';

import { GuardError } from '../error.js';

/** The methods of a transport that are replaced. */
export type Sending<M extends UIMessage> = Pick<ChatTransport<M>, 'sendMessages' | 'reconnectToStream'>;

/**
 * Returns a function that wraps transports. If a member of a wrapped transport returns a transport, such as a
 * clone, that one is wrapped too. All other members are forwarded, known or not. Each transport is wrapped
 * only once.
 *
 * @param sendingOf returns the methods for a transport
 */
export function wrapping<M extends UIMessage>(
  sendingOf: (inner: ChatTransport<M>) => Sending<M>,
): <T extends ChatTransport<M>>(inner: T) => T {
  /** The wrapper of each transport, and of each promise of one. A wrapper is its own wrapper. */
  const known = new WeakMap<object, object>();
  const once = (value: object, make: () => object): object => {
    const own = known.get(value) ?? make();
    known.set(value, own).set(own, own);
    return own;
  };
  const wrapped = (inner: ChatTransport<M>): object =>
    once(inner, () => withMethods(inner, sendingOf(inner), wrap));
  const wrap = (value: unknown): unknown => {
    if (value instanceof Promise) return once(value, () => value.then(wrap));
    return isTransport<M>(value) ? wrapped(value) : value;
  };
  return <T extends ChatTransport<M>>(inner: T): T => {
    if (typeof Object(inner).sendMessages === 'function') return wrapped(inner) as T;
    throw new GuardError('invalid-input', 'guard.transport needs the transport of a chat.');
  };
}

function isTransport<M extends UIMessage>(value: unknown): value is ChatTransport<M> {
  const { sendMessages, reconnectToStream } = Object(value) as Record<string, unknown>;
  return typeof sendMessages === 'function' && typeof reconnectToStream === 'function';
}

function withMethods<M extends UIMessage>(
  inner: ChatTransport<M>,
  sending: Sending<M>,
  wrap: (value: unknown) => unknown,
): ChatTransport<M> {
  const methods = new WeakMap<object, object>();
  const read = (key: PropertyKey): unknown => {
    if (Object.hasOwn(sending, key)) return sending[key as keyof typeof sending];
    // A member may use private fields, which only the inner transport has.
    const member = wrap(Reflect.get(inner, key));
    if (typeof member !== 'function') return member;
    let method = methods.get(member);
    if (method === undefined) {
      method = new Proxy(member, {
        apply: (method, _, args) => wrap(Reflect.apply(method, inner, args)),
        construct: (method, args, target) => wrap(Reflect.construct(method, args, target)) as object,
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
