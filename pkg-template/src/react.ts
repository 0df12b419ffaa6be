'use client';

// The binding for React.
import type { UIMessage } from 'ai';
import {
  createElement,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type DetailedHTMLProps,
  type HTMLAttributes,
  type ReactElement,
} from 'react';

import { empty, stateOf, unchanged, type ApprovalState, type Selector } from './binding.js';
import type { CardProps, QueueProps, ToolApprovalCard, ToolApprovalQueue } from './element.js';
import type { CallOf, Snapshot } from './prompt.js';
import { createApprovalGuards, type ApprovalGuardsOptions } from './threads.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/**
 * Returns the guard of the chat that a component shows. Each chat id has a guard of its own: when the id changes under a
 * mounted component, the next guard is returned in the same rendering. A chat that `useChat` still runs under the earlier
 * id keeps its guard. Pass the guard on to other components that need it. There is nothing to dispose of: a guard goes
 * with its chat.
 *
 * @typeParam M the messages of the chat; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param chatId the id that is also passed to `useChat`
 * @param options the options of the guard, read when it is made. Of those that are functions, except `record`, the one of the
 * newest rendering with this id is called. Default: every option has a default
 * @returns the same guard as long as the id is the same
 * @throws GuardError `invalid-option`, `invalid-catalogue`, or `invalid-input` if the id is not a string
 */
export function useApprovalGuard<M extends UIMessage = UIMessage, Dynamic extends string = never>(
  chatId: string,
  options: ApprovalGuardsOptions<M, Dynamic> = {},
): ApprovalGuard<M> {
  const [made] = useState(() => new MadeGuards<M>());
  const guard = useMemo(() => made.follow(chatId, options as ApprovalGuardsOptions<M>), [made, chatId]);
  useEffect(() => made.renew(guard, options as ApprovalGuardsOptions<M>));
  return guard;
}

/** The guards that one component has made, with the options of the newest rendering for each of them. */
class MadeGuards<M extends UIMessage> {
  readonly #guards = createApprovalGuards<M>(() => newestOf(this.#given));
  readonly #newest = new WeakMap<ApprovalGuard<M>, Newest<M>>();
  #given: Newest<M> = { options: {} };

  follow(chatId: string, options: ApprovalGuardsOptions<M>): ApprovalGuard<M> {
    this.#given = { options };
    const guard = this.#guards.follow(chatId);
    if (!this.#newest.has(guard)) this.#newest.set(guard, this.#given);
    return guard;
  }

  renew(guard: ApprovalGuard<M>, options: ApprovalGuardsOptions<M>): void {
    const newest = this.#newest.get(guard);
    if (newest !== undefined) newest.options = options;
  }
}

interface Newest<M extends UIMessage> {
  options: ApprovalGuardsOptions<M>;
}

type AnyFunction = (...given: unknown[]) => unknown;

/** The options whose functions are those of the newest rendering. A component makes new ones each time. */
function newestOf<M extends UIMessage>(newest: Newest<M>): ApprovalGuardsOptions<M> {
  const { options } = newest;
  if (Object(options) !== options) return options;
  const follow = ([name, first]: [string, unknown]): [string, unknown] => {
    if (typeof first !== 'function') return [name, first];
    return [
      name,
      (...given: unknown[]) => {
        const next: unknown = (newest.options as Record<string, unknown>)[name];
        return ((typeof next === 'function' ? next : first) as AnyFunction)(...given);
      },
    ];
  };
  return Object.fromEntries(Object.entries(options).map(follow)) as ApprovalGuardsOptions<M>;
}

/**
 * The snapshot for a component, and what it needs in addition to the guard. Decide with `guard.decide(call,
 * …)` and similar methods.
 */
export interface ToolApprovals<M extends UIMessage = UIMessage> extends ApprovalState<M> {}

/**
 * Returns the snapshot of a guard as state of a component, and attaches the guard to the chat while the
 * component is mounted. The snapshot is empty on a server, and in the first render of what a server has
 * rendered.
 *
 * @param guard the guard; each chat has its own
 * @param chat the result of `useChat` in this render, not destructured, or a `Chat`
 * @param selector reads the part that the component needs: it renders again only when this changes. A list or a plain object
 * with the same items counts as unchanged. Default: everything
 * @returns the same object until something in it changes
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
): ToolApprovals<M>;
export function useToolApprovals<M extends UIMessage, T>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
  selector: (approvals: ToolApprovals<M>) => T,
): T;
export function useToolApprovals<M extends UIMessage>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
  selector: Selector<M, unknown> = everything,
): unknown {
  // The chat and the selection of the last committed render; this render may never be shown.
  const attached = useRef(chat);
  const shown = useRef<unknown>(undefined);
  useEffect(() => {
    attached.current = chat;
    return guard.attach(chat);
  }, [guard, chat]);
  const stop = useCallback(async () => {
    await attached.current.stop?.();
  }, []);
  const select = useMemo(() => {
    let last: { snapshot: Snapshot<CallOf<M>>; selected: unknown } | undefined;
    return (snapshot: Snapshot<CallOf<M>>): unknown => {
      if (last?.snapshot !== snapshot) {
        const selected = unchanged(last?.selected ?? shown.current, selector(stateOf<M>(snapshot, stop)));
        last = { snapshot, selected };
      }
      return last.selected;
    };
  }, [selector, stop]);
  const selected = useSyncExternalStore(
    guard.subscribe,
    () => select(guard.getSnapshot()),
    () => select(empty<M>()),
  );
  useEffect(() => {
    shown.current = selected;
  }, [selected]);
  return selected;
}

const everything = <T>(approvals: T): T => approvals;

/** The properties of `<tool-approval-queue>` in React 19. */
export type QueueElementProps = DetailedHTMLProps<HTMLAttributes<ToolApprovalQueue>, ToolApprovalQueue> &
  QueueProps;

/** The properties of `<tool-approval-card>` in React 19. */
export type CardElementProps = DetailedHTMLProps<HTMLAttributes<ToolApprovalCard>, ToolApprovalCard> &
  CardProps;

/**
 * `<tool-approval-queue>` as a component. React 19 does not set the properties of an element that it hydrates, and React
 * before 19 sets none at all; this component does. `defineToolApprovalQueue` defines the element.
 *
 * @param props the properties and attributes of the element
 * @returns the element
 */
export function ApprovalQueue(props: Omit<QueueElementProps, 'ref'>): ReactElement {
  const { guard, stop, ...attributes } = props;
  return elementWith('tool-approval-queue', attributes, { guard, stop });
}

/**
 * `<tool-approval-card>` as a component, for the same reason as {@link ApprovalQueue}. `defineToolApprovalCard` defines
 * the element.
 *
 * @param props the properties and attributes of the element
 * @returns the element
 */
export function ApprovalCard(props: Omit<CardElementProps, 'ref'>): ReactElement {
  const { guard, call, ...attributes } = props;
  return elementWith('tool-approval-card', attributes, { guard, call });
}

/** An element whose properties are set at each commit, where they differ. */
function elementWith(tag: string, attributes: object, properties: object): ReactElement {
  const ref = (element: HTMLElement | null): void => {
    for (const [name, value] of Object.entries(properties)) {
      if (element !== null && Reflect.get(element, name) !== value) Reflect.set(element, name, value);
    }
  };
  return createElement(tag, { ...attributes, ref });
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'tool-approval-card': CardElementProps;
      'tool-approval-queue': QueueElementProps;
    }
  }
}
