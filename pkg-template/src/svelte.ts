// The binding for Svelte.
import type { UIMessage } from 'ai';
import { onMount, untrack } from 'svelte';
import type { HTMLAttributes } from 'svelte/elements';
import { createSubscriber } from 'svelte/reactivity';
import { toStore } from 'svelte/store';

import { empty, stateOf, unchanged, type ApprovalState, type Selector } from './binding.js';
import type { CardProps, QueueProps, ToolApprovalCard, ToolApprovalQueue } from './element.js';
import { createApprovalGuards, type OptionsByChat } from './threads.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/** A value that may change; what reads it while it renders follows it. */
export interface Current<T> {
  /** The value now. */
  readonly current: T;
}

/**
 * Returns the guard of the chat that a component shows. Each chat id has a guard of its own: when the id changes, `current`
 * is the next guard, and a chat that still runs under the earlier id keeps that one. Pass the guard on to other
 * components that need it. There is nothing to dispose of: a guard goes with its chat.
 *
 * @typeParam M the messages of the chat; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param chatId the id of the chat; a function, such as `() => id`, if it can change
 * @param options the options of each guard, or a function that returns those of a chat. They are read when the guard is
 * made. Default: every option has a default
 * @returns the guard as `current`; the same guard as long as the id is the same
 * @throws GuardError `invalid-option` or `invalid-catalogue`; when `current` is read, `invalid-input` if the id is not a
 * string
 */
export function useApprovalGuard<M extends UIMessage = UIMessage, Dynamic extends string = never>(
  chatId: string | (() => string),
  options?: OptionsByChat<M, Dynamic>,
): Current<ApprovalGuard<M>> {
  const guards = createApprovalGuards<M, Dynamic>(options);
  // Held here, because a guard that nobody holds is gone.
  let held: { id: string; guard: ApprovalGuard<M> } | undefined;
  return {
    get current() {
      const id = read(chatId);
      if (held === undefined || held.id !== id) held = { id, guard: untrack(() => guards.follow(id)) };
      return held.guard;
    },
  };
}

const read = <T>(value: T | (() => T)): T => (typeof value === 'function' ? (value as () => T)() : value);

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
 * @param guard the guard, or the result of {@link useApprovalGuard}; each chat has its own guard
 * @param chat the `Chat`; a function, such as `() => chat`, if it can change
 * @param selector reads the part that the component needs: its readers run again only when this changes. A list or a
 * plain object with the same items counts as unchanged. Default: everything
 * @returns getters, which a component that reads them follows; with a selector, its result as `current`
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: ApprovalGuard<M> | Current<ApprovalGuard<M>>,
  chat: AttachableChat<NoInfer<M>> | (() => AttachableChat<NoInfer<M>>),
): ToolApprovals<M>;
export function useToolApprovals<M extends UIMessage, T>(
  guard: ApprovalGuard<M> | Current<ApprovalGuard<M>>,
  chat: AttachableChat<NoInfer<M>> | (() => AttachableChat<NoInfer<M>>),
  selector: (approvals: ToolApprovals<M>) => T,
): Current<T>;
export function useToolApprovals<M extends UIMessage>(
  guard: ApprovalGuard<M> | Current<ApprovalGuard<M>>,
  chat: AttachableChat<NoInfer<M>> | (() => AttachableChat<NoInfer<M>>),
  selector?: Selector<M, unknown>,
): ToolApprovals<M> | Current<unknown> {
  const guardNow = (): ApprovalGuard<M> => ('current' in guard ? guard.current : guard);
  let mounted = false;
  let changed: (() => void) | undefined;
  let selected: unknown;
  const stop = async (): Promise<void> => {
    await untrack(() => read(chat)).stop?.();
  };
  const select = (): unknown => {
    const now = guardNow();
    // The component must not run again because of anything that the guard reads.
    const snapshot = mounted ? untrack(now.getSnapshot) : empty<M>();
    const state = stateOf<M>(snapshot, stop);
    return (selected = unchanged(selected, selector === undefined ? state : selector(state)));
  };
  const subscribe = createSubscriber((update) => {
    // Not the last selection, which a read outside of any effect may have made.
    let shown = untrack(select);
    changed = () => {
      const next = untrack(select);
      if (next === shown) return;
      shown = next;
      update();
    };
    return () => {
      changed = undefined;
    };
  });
  onMount(() => {
    mounted = true;
    let leave: (() => void) | undefined;
    // Stores, because an effect of its own needs the compiler.
    const end = toStore(() => [guardNow(), read(chat)] as const).subscribe(([guard, chat]) => {
      leave?.();
      leave = untrack(() => follow(guard, chat));
    });
    return () => {
      end();
      leave?.();
    };
  });
  const follow = (guard: ApprovalGuard<M>, chat: AttachableChat<M>): (() => void) => {
    const unsubscribe = guard.subscribe(() => changed?.());
    const detach = guard.attach(chat);
    const observe = (): void => untrack(() => guard.observe(chat.messages));
    // A page may also remove messages from the list.
    const ends = [
      toStore(() => chat.messages).subscribe(observe),
      toStore(() => chat.messages.map(({ id }) => id).join()).subscribe(observe),
    ];
    changed?.();
    return () => {
      for (const end of ends) end();
      detach();
      unsubscribe();
    };
  };
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
    get approvals() {
      return all().approvals;
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
