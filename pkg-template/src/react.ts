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

/** What a component shows, and what it needs beside the guard: `guard.decide(call, …)` and its like decide. */
export interface ToolApprovals<M extends UIMessage = UIMessage>
  extends Readonly<Snapshot<CallOf<M>>>, ApprovalActions<M> {}

/**
 * The snapshot of a guard, as state of a component, and the guard attached to the chat for as long as the
 * component is mounted. A server, and the first render of what it has rendered, have an empty one.
 *
 * @param guard the guard; another chat has another one
 * @param chat what `useChat` returned in this render, not taken apart, or a `Chat`
 * @returns the same object until something in it changes
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
): ToolApprovals<M> {
  const snapshot = useSyncExternalStore(guard.subscribe, guard.getSnapshot, empty<M>);
  // Not the chat of this render, which may never be seen: that of the last one that was.
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

/** What can be set on `<tool-approval-queue>` in React 19. */
export type QueueElementProps = DetailedHTMLProps<HTMLAttributes<ToolApprovalQueue>, ToolApprovalQueue> &
  QueueProps;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'tool-approval-queue': QueueElementProps;
    }
  }
}
