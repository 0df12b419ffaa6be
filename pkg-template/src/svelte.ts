import type { UIMessage } from 'ai';
import { onMount, untrack } from 'svelte';
import type { HTMLAttributes } from 'svelte/elements';
import { createSubscriber } from 'svelte/reactivity';

import { empty, findCall, type ApprovalActions } from './binding.js';
import type { QueueProps, ToolApprovalQueue } from './element.js';
import type { CallOf, Snapshot } from './prompt.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/**
 * What a component shows, and what it needs beside the guard: `guard.decide(call, …)` and its like decide.
 * Its fields are getters, so that they are not to be taken out of it.
 */
export interface ToolApprovals<M extends UIMessage = UIMessage>
  extends Readonly<Snapshot<CallOf<M>>>, ApprovalActions<M> {}

/**
 * The snapshot of a guard, as state of a component, and the guard attached to the chat for as long as the
 * component is mounted. Call it while the component is created. A server, and the first render of what it
 * has rendered, have an empty one.
 *
 * @param guard the guard; another chat has another one, and another component: `{#key id}`
 * @param chat the `Chat`
 * @returns getters, which a component that reads them follows
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
): ToolApprovals<M> {
  let mounted = false;
  let changed: (() => void) | undefined;
  const subscribe = createSubscriber((update) => {
    changed = update;
    const unsubscribe = guard.subscribe(update);
    return () => {
      changed = undefined;
      unsubscribe();
    };
  });
  onMount(() => {
    mounted = true;
    const detach = guard.attach(chat);
    changed?.();
    return detach;
  });
  const snapshot = (): Snapshot<CallOf<M>> => {
    subscribe();
    // Nothing that the guard reads may make the component run again.
    return mounted ? untrack(guard.getSnapshot) : empty();
  };
  return {
    get calls() {
      return snapshot().calls;
    },
    get batch() {
      return snapshot().batch;
    },
    get grants() {
      return snapshot().grants;
    },
    get verdict() {
      return snapshot().verdict;
    },
    callOf: (part, message) => findCall(snapshot().calls, part, message),
    stop: async () => {
      await chat.stop?.();
    },
  };
}

/** What can be set on `<tool-approval-queue>`. */
export type QueueElementProps = HTMLAttributes<ToolApprovalQueue> & QueueProps;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'tool-approval-queue': QueueElementProps;
  }
}
