// The binding for Angular: signals.
import { afterNextRender, computed, effect, signal, untracked, type Signal } from '@angular/core';
import type { UIMessage } from 'ai';

import {
  empty,
  findCall,
  stateOf,
  unchanged,
  type ApprovalActions,
  type ApprovalState,
  type Selector,
} from './binding.js';
import type { CallOf, Snapshot } from './prompt.js';
import { createApprovalGuards, type OptionsByChat } from './threads.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/**
 * Returns the guard of the chat that a component or a service shows. Each chat id has a guard of its own: when the id
 * changes, the signal has the next guard, and a chat that still runs under the earlier id keeps that one. Pass the guard
 * on to other components that need it. There is nothing to dispose of: a guard goes with its chat.
 *
 * @typeParam M the messages of the chat; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param chatId the id of the chat; a signal, such as an input, or another function if it can change
 * @param options the options of each guard, or a function that returns those of a chat. They are read when the guard is
 * made. Default: every option has a default
 * @returns a signal with the guard; the same guard as long as the id is the same
 * @throws GuardError `invalid-option` or `invalid-catalogue`; when the signal is read, `invalid-input` if the id is not a
 * string
 */
export function useApprovalGuard<M extends UIMessage = UIMessage, Dynamic extends string = never>(
  chatId: string | (() => string),
  options?: OptionsByChat<M, Dynamic>,
): Signal<ApprovalGuard<M>> {
  const guards = createApprovalGuards<M, Dynamic>(options);
  return computed(() => {
    const id = read(chatId);
    return untracked(() => guards.follow(id));
  });
}

const read = <T>(value: T | (() => T)): T => (typeof value === 'function' ? (value as () => T)() : value);

/**
 * The snapshot for a component, and what it needs in addition to the guard. Decide with `guard.decide(call,
 * …)` and similar methods. The fields can be destructured.
 */
export interface ToolApprovals<M extends UIMessage = UIMessage>
  extends ApprovalActions<M>, Followed<Snapshot<CallOf<M>>> {}

/** The same fields, each as a signal. */
type Followed<Fields> = { readonly [Field in keyof Fields]: Signal<Fields[Field]> };

/**
 * Returns the snapshot of a guard as signals, and attaches the guard to the chat from the next rendering on, until the
 * component or the service is destroyed. Call it in an injection context, such as the initializer of a field. The snapshot
 * is empty on a server, and in the first render of what a server has rendered.
 *
 * @param guard the guard, or the signal that {@link useApprovalGuard} returns; each chat has its own guard
 * @param chat the `Chat`; a signal or another function if it can change
 * @param selector reads the part that the component needs: it renders again only when this changes. A list or a plain object
 * with the same items counts as unchanged. Default: everything
 * @returns signals, which can be destructured; with a selector, its result as a signal
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: ApprovalGuard<M> | (() => ApprovalGuard<M>),
  chat: AttachableChat<NoInfer<M>> | (() => AttachableChat<NoInfer<M>>),
): ToolApprovals<M>;
export function useToolApprovals<M extends UIMessage, T>(
  guard: ApprovalGuard<M> | (() => ApprovalGuard<M>),
  chat: AttachableChat<NoInfer<M>> | (() => AttachableChat<NoInfer<M>>),
  selector: (approvals: ApprovalState<M>) => T,
): Signal<T>;
export function useToolApprovals<M extends UIMessage>(
  guard: ApprovalGuard<M> | (() => ApprovalGuard<M>),
  chat: AttachableChat<NoInfer<M>> | (() => AttachableChat<NoInfer<M>>),
  selector?: Selector<M, unknown>,
): ToolApprovals<M> | Signal<unknown> {
  const snapshot = signal<Snapshot<CallOf<M>>>(empty());
  // A server renders nothing afterwards, and the first rendering of a browser must be the same as that of the server.
  const isRendered = signal(false);
  afterNextRender(() => isRendered.set(true));
  effect((onCleanup) => {
    if (!isRendered()) return;
    const own = read(guard);
    const attached = read(chat);
    // Nothing that the guard reads or writes may run this again.
    untracked(() => {
      const show = (): void => snapshot.set(own.getSnapshot());
      const unsubscribe = own.subscribe(show);
      const detach = own.attach(attached);
      show();
      onCleanup(() => {
        detach();
        unsubscribe();
      });
    });
  });
  effect(() => {
    if (!isRendered()) return;
    const own = read(guard);
    const { messages } = read(chat);
    untracked(() => own.observe(messages));
  });
  const stop = async (): Promise<void> => {
    await untracked(() => read(chat)).stop?.();
  };
  if (selector !== undefined) {
    let selected: unknown;
    return computed(() => (selected = unchanged(selected, selector(stateOf<M>(snapshot(), stop)))));
  }
  return {
    calls: computed(() => snapshot().calls),
    approvals: computed(() => snapshot().approvals),
    batch: computed(() => snapshot().batch),
    grants: computed(() => snapshot().grants),
    verdict: computed(() => snapshot().verdict),
    callOf: (part, message) => findCall(snapshot().calls, part, message),
    stop,
  };
}
