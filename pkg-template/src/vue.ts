import type { UIMessage } from 'ai';
import {
  computed,
  getCurrentInstance,
  isRef,
  onActivated,
  onDeactivated,
  onMounted,
  onScopeDispose,
  shallowRef,
  toRaw,
  toValue,
  watch,
  type ComputedRef,
  type MaybeRefOrGetter,
} from 'vue';

import { empty, findCall, type ApprovalActions } from './binding.js';
import type { QueueProps } from './element.js';
import type { CallOf, Snapshot } from './prompt.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/** What `useChat` of `@ai-sdk/vue` returns, as far as it is needed: its messages are a ref. */
export interface ChatOfRefs<M extends UIMessage = UIMessage> extends Omit<
  AttachableChat<M>,
  'id' | 'messages' | 'setMessages'
> {
  /** The id of the chat, which may become another one. */
  id?: { readonly value: string };
  /** The messages, in a ref. */
  messages: { value: M[] };
}

/**
 * What a component shows, and what it needs beside the guard: `guard.decide(call, …)` and its like decide.
 * Each field can be taken out of it.
 */
export interface ToolApprovals<M extends UIMessage = UIMessage> extends ApprovalActions<M> {
  /** Every call that the guard knows, oldest first. */
  readonly calls: ComputedRef<Snapshot<CallOf<M>>['calls']>;
  /** The calls that are decided together now. */
  readonly batch: ComputedRef<Snapshot<CallOf<M>>['batch']>;
  /** What holds for more than one call, oldest first. */
  readonly grants: ComputedRef<Snapshot<CallOf<M>>['grants']>;
  /** Whether the chat may be sent now, and the reason. */
  readonly verdict: ComputedRef<Snapshot<CallOf<M>>['verdict']>;
}

/**
 * The snapshot of a guard, as state of a component, and the guard attached to the chat for as long as the
 * component is mounted and active. A server, and the first render of what it has rendered, have an empty
 * one. Outside of a component it begins at once, and ends with the scope.
 *
 * @param guard the guard; another chat has another one, so that it may be a ref or a getter
 * @param chat a `Chat`, or what `useChat` returned, not taken apart; or a ref or a getter
 * @returns refs, which can be taken apart
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: MaybeRefOrGetter<ApprovalGuard<M>>,
  chat: MaybeRefOrGetter<AttachableChat<NoInfer<M>> | ChatOfRefs<NoInfer<M>>>,
): ToolApprovals<M> {
  const snapshot = shallowRef<Snapshot<CallOf<M>>>(empty());
  let attached: AttachableChat<M> | undefined;
  let end: (() => void) | undefined;
  const begin = (): void => {
    // After the watchers of `useChat`, which make the chat that belongs to a new guard.
    end ??= watch(
      [() => toRaw(toValue(guard)), () => toRaw(toValue(chat)), () => idOf(toRaw(toValue(chat)))] as const,
      ([guard, chat], _, onCleanup) => {
        const [home, leave] = isOfRefs(chat) ? withoutRefs(chat, guard.observe) : [chat];
        attached = home;
        const show = (): void => {
          snapshot.value = guard.getSnapshot();
        };
        const unsubscribe = guard.subscribe(show);
        const detach = guard.attach(home);
        show();
        onCleanup(() => {
          leave?.();
          detach();
          unsubscribe();
        });
      },
      { immediate: true, flush: 'post' },
    );
  };
  const finish = (): void => {
    end?.();
    end = undefined;
  };
  if (getCurrentInstance()) {
    onMounted(begin);
    onActivated(begin);
    onDeactivated(finish);
  } else {
    begin();
  }
  onScopeDispose(finish);
  return {
    calls: computed(() => snapshot.value.calls),
    batch: computed(() => snapshot.value.batch),
    grants: computed(() => snapshot.value.grants),
    verdict: computed(() => snapshot.value.verdict),
    callOf: (part, message) => findCall(snapshot.value.calls, part, message),
    stop: async () => {
      await attached?.stop?.();
    },
  };
}

/** Of a `Chat` that makes its id when it is first read, nothing: it stays the same chat. */
function idOf(chat: { id?: string | { readonly value: string } }): string | undefined {
  const id = Object.hasOwn(chat, 'id') ? chat.id : undefined;
  return typeof id === 'object' ? id.value : id;
}

function isOfRefs<M extends UIMessage>(chat: AttachableChat<M> | ChatOfRefs<M>): chat is ChatOfRefs<M> {
  return isRef(chat.messages);
}

/**
 * What `useChat` returned, as a chat. Its methods stay those of the object itself, so that the guard hears
 * whoever calls them there.
 */
function withoutRefs<M extends UIMessage>(
  chat: ChatOfRefs<M>,
  observe: ApprovalGuard<M>['observe'],
): [chat: AttachableChat<M>, leave: () => void] {
  const { messages } = chat;
  // What the ref holds, for who must not depend on it.
  let published = messages.value;
  const leave = [
    watch(
      () => messages.value,
      (list) => (published = list),
      { flush: 'sync' },
    ),
    // Later: a change that is made while the chat publishes would be lost.
    watch(() => messages.value, observe),
  ];
  /** The chat holds other objects than those that it publishes, and with `throttle` it publishes later. */
  const setMessages = (change: M[] | ((messages: M[]) => M[]), newest?: readonly M[]): void => {
    if (newest !== undefined && !isCopy(published, newest)) return;
    messages.value = typeof change === 'function' ? change(published) : change;
  };
  const home = new Proxy(chat, {
    get: (target, key) =>
      key === 'messages'
        ? published
        : key === 'id'
          ? idOf(chat)
          : key === 'setMessages'
            ? setMessages
            : (Reflect.get(target, key) as unknown),
  });
  return [home as unknown as AttachableChat<M>, () => leave.forEach((stop) => stop())];
}

/** Whether this list is what the chat has published of that one, with nothing left to publish. */
function isCopy(list: readonly UIMessage[], of: readonly UIMessage[]): boolean {
  return (
    list.length === of.length &&
    list.every((message, i) => {
      const other = of[i];
      return (
        message === other ||
        (message.id === other?.id &&
          message.parts.length === other.parts.length &&
          message.parts.every((part, j) => isSame(part, other.parts[j])))
      );
    })
  );
}

function isSame(part: object, other: object | undefined): boolean {
  const entries = Object.entries(part);
  return (
    other !== undefined &&
    entries.length === Object.keys(other).length &&
    entries.every(([key, value]) => (other as Record<string, unknown>)[key] === value)
  );
}

declare module 'vue' {
  interface GlobalComponents {
    'tool-approval-queue': new () => { $props: QueueProps };
  }
}
