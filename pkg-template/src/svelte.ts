import type { UIMessage } from 'ai';
import { onMount, untrack } from 'svelte';
import type { HTMLAttributes } from 'svelte/elements';
import { createSubscriber } from 'svelte/reactivity';

import { empty, findCall, type ApprovalActions } from './binding.js';
import type { QueueProps, ToolApprovalQueue } from './element.js';
import type { CallOf, Snapshot } from './prompt.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/**
 * The snapshot for a component, and what it needs in addition to the guard. Decide with `guard.decide(call,
 * …)` and similar methods. The fields are getters, so do not destructure them.
 */
export interface ToolApprovals<M extends UIMessage = UIMessage>
  extends Readonly<Snapshot<CallOf<M>>>, ApprovalActions<M> {}

/**
 * Returns the snapshot of a guard as state of a component, and attaches the guard to the chat while the
 * component is mounted. Call it while the component is created. The snapshot is empty on a server, and in the
 * first render of what a server has rendered.
 *
 * @param guard the guard; each chat has its own, and its own component: `{#key id}`
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
    // The component must not run again because of anything that the guard reads.
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

/** The properties of `<tool-approval-queue>`. */
export type QueueElementProps = HTMLAttributes<ToolApprovalQueue> & QueueProps;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'tool-approval-queue': QueueElementProps;
  }
}
