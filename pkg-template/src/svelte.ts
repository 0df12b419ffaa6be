import type { UIMessage } from 'ai';
import { onMount, untrack } from 'svelte';
import type { HTMLAttributes } from 'svelte/elements';
import { createSubscriber } from 'svelte/reactivity';
import { toStore } from 'svelte/store';

import { empty, stateOf, unchanged, type ApprovalState, type Selector } from './binding.js';
import type { CardProps, QueueProps, ToolApprovalCard, ToolApprovalQueue } from './element.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/**
 * The snapshot for a component, and what it needs in addition to the guard. Decide with `guard.decide(call,
 * …)` and similar methods. The fields are getters, so do not destructure them.
 */
export interface ToolApprovals<M extends UIMessage = UIMessage> extends ApprovalState<M> {}

/**
 * Returns the snapshot of a guard as state of a component, and attaches the guard to the chat while the
 * component is mounted. Call it while the component is created. The snapshot is empty on a server, and in the
 * first render of what a server has rendered.
 *
 * @param guard the guard; each chat has its own, and its own component: `{#key id}`
 * @param chat the `Chat`
 * @param selector what the component needs: only when this changes, what reads it runs again. A list or a
 * plain object with the same items counts as unchanged. Default: everything
 * @returns getters, which a component that reads them follows; with a selector, its result as `current`
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
): ToolApprovals<M>;
export function useToolApprovals<M extends UIMessage, T>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
  selector: (approvals: ToolApprovals<M>) => T,
): { readonly current: T };
export function useToolApprovals<M extends UIMessage>(
  guard: ApprovalGuard<M>,
  chat: AttachableChat<NoInfer<M>>,
  selector?: Selector<M, unknown>,
): ToolApprovals<M> | { readonly current: unknown } {
  let mounted = false;
  let changed: (() => void) | undefined;
  let selected: unknown;
  const stop = async (): Promise<void> => {
    await chat.stop?.();
  };
  const select = (): unknown => {
    // The component must not run again because of anything that the guard reads.
    const snapshot = mounted ? untrack(guard.getSnapshot) : empty<M>();
    const state = stateOf<M>(snapshot, stop);
    return (selected = unchanged(selected, selector === undefined ? state : selector(state)));
  };
  const subscribe = createSubscriber((update) => {
    // Not the last selection, which a read outside of any effect may have made.
    let told = select();
    changed = () => {
      const next = select();
      if (next === told) return;
      told = next;
      update();
    };
    const unsubscribe = guard.subscribe(changed);
    return () => {
      changed = undefined;
      unsubscribe();
    };
  });
  onMount(() => {
    mounted = true;
    const detach = guard.attach(chat);
    const observe = (): void => untrack(() => guard.observe(chat.messages));
    // Stores, because an effect of its own needs the compiler. A page may also remove messages from the list.
    const ends = [
      toStore(() => chat.messages).subscribe(observe),
      toStore(() => chat.messages.map(({ id }) => id).join()).subscribe(observe),
    ];
    changed?.();
    return () => {
      for (const end of ends) end();
      detach();
    };
  });
  const current = (): unknown => {
    subscribe();
    return select();
  };
  if (selector !== undefined) {
    return {
      get current() {
        return current();
      },
    };
  }
  const all = current as () => ToolApprovals<M>;
  return {
    get calls() {
      return all().calls;
    },
    get batch() {
      return all().batch;
    },
    get grants() {
      return all().grants;
    },
    get verdict() {
      return all().verdict;
    },
    callOf: (part, message) => all().callOf(part, message),
    stop,
  };
}

/** The properties of `<tool-approval-queue>`. */
export type QueueElementProps = HTMLAttributes<ToolApprovalQueue> & QueueProps;

/** The properties of `<tool-approval-card>`. */
export type CardElementProps = HTMLAttributes<ToolApprovalCard> & CardProps;

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'tool-approval-card': CardElementProps;
    'tool-approval-queue': QueueElementProps;
  }
}
