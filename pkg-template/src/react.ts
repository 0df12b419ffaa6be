'use client';

import type { UIMessage } from 'ai';
import {
  createElement,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
  type DetailedHTMLProps,
  type HTMLAttributes,
  type ReactElement,
} from 'react';

import { empty, stateOf, unchanged, type ApprovalState, type Selector } from './binding.js';
import type { CardProps, QueueProps, ToolApprovalCard, ToolApprovalQueue } from './element.js';
import type { CallOf, Snapshot } from './prompt.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

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
 * @param selector what the component needs: it renders again only when this changes. A list or a plain object
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
