'use client';

import type { UIMessage } from 'ai';
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
  type DetailedHTMLProps,
  type HTMLAttributes,
} from 'react';

import { empty, findCall, type ApprovalActions } from './binding.js';
import type { QueueProps, ToolApprovalQueue } from './element.js';
import type { CallOf, Snapshot } from './prompt.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/**
 * The snapshot for a component, and what it needs in addition to the guard. Decide with `guard.decide(call,
 * …)` and similar methods.
 */
export interface ToolApprovals<M extends UIMessage = UIMessage>
  extends Readonly<Snapshot<CallOf<M>>>, ApprovalActions<M> {}

/**
 * Returns the snapshot of a guard as state of a component, and attaches the guard to the chat while the
 * component is mounted. The snapshot is empty on a server, and in the first render of what a server has
 * rendered.
 *
 * @param guard the guard; each chat has its own
 * @param chat the result of `useChat` in this render, not destructured, or a `Chat`
 * @returns the same object until something in it changes
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
): ToolApprovals<M> {
  const snapshot = useSyncExternalStore(guard.subscribe, guard.getSnapshot, empty<M>);
  // The chat of the last committed render; this render may never be shown.
  const attached = useRef(chat);
  useEffect(() => {
    attached.current = chat;
    return guard.attach(chat);
  }, [guard, chat]);
  const stop = useCallback(async () => {
    await attached.current.stop?.();
  }, []);
  const { calls } = snapshot;
  const callOf = useCallback<ApprovalActions<M>['callOf']>(
    (part, message) => findCall(calls, part, message),
    [calls],
  );
  return useMemo(() => ({ ...snapshot, callOf, stop }), [snapshot, callOf, stop]);
}

/** The properties of `<tool-approval-queue>` in React 19. */
export type QueueElementProps = DetailedHTMLProps<HTMLAttributes<ToolApprovalQueue>, ToolApprovalQueue> &
  QueueProps;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'tool-approval-queue': QueueElementProps;
    }
  }
}
