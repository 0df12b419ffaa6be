// The binding for Vue: refs.
import type { UIMessage } from 'ai';
import {
  computed,
  getCurrentInstance,
  getCurrentScope,
  isRef,
  markRaw,
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

import {
  empty,
  findCall,
  stateOf,
  unchanged,
  type ApprovalActions,
  type ApprovalState,
  type Selector,
} from './binding.js';
import type { CardProps, QueueProps } from './element.js';
import type { CallOf, Snapshot } from './prompt.js';
import { createApprovalGuards, type OptionsByChat } from './threads.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/**
 * Returns the guard of the chat that a component, a store or an effect scope shows. Each chat id has a guard of its own: when
 * the id changes, the ref has the next guard, and a chat that still runs under the earlier id keeps that one. Pass the
 * guard on to other components that need it. There is nothing to dispose of: a guard goes with its chat.
 *
 * @typeParam M the messages of the chat; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param chatId the id of the chat; a ref or a getter if it can change
 * @param options the options of each guard, or a function that returns those of a chat. They are read when the guard is
 * made. Default: every option has a default
 * @returns a ref with the guard; the same guard as long as the id is the same
 * @throws GuardError `invalid-option` or `invalid-catalogue`; when the ref is read, `invalid-input` if the id is not a string
 */
export function useApprovalGuard<M extends UIMessage = UIMessage, Dynamic extends string = never>(
  chatId: MaybeRefOrGetter<string>,
  options?: OptionsByChat<M, Dynamic>,
): ComputedRef<ApprovalGuard<M>> {
  const guards = createApprovalGuards<M, Dynamic>(options);
  // Raw, because a store makes its state reactive.
  return computed(() => markRaw(guards.follow(toValue(chatId))));
}

/** The parts of the result of `useChat` from `@ai-sdk/vue` that are needed. Its messages are a ref. */
export interface ChatOfRefs<M extends UIMessage = UIMessage> extends Omit<
  AttachableChat<M>,
  'id' | 'messages' | 'setMessages'
> {
  /** The id of the chat, which may change. */
  id?: { readonly value: string };
  /** The messages, in a ref. */
  messages: { value: M[] };
}

/**
 * The snapshot for a component, and what it needs in addition to the guard. Decide with `guard.decide(call,
 * …)` and similar methods. The fields can be destructured.
 */
export interface ToolApprovals<M extends UIMessage = UIMessage>
  extends ApprovalActions<M>, Followed<Snapshot<CallOf<M>>> {}

/** The same fields, each as a ref. */
type Followed<Fields> = { readonly [Field in keyof Fields]: ComputedRef<Fields[Field]> };

/**
 * Returns the snapshot of a guard as state of a component, and attaches the guard to the chat while the
 * component is mounted and active. The snapshot is empty on a server, and in the first render of what a
 * server has rendered. In a scope of its own, such as that of a store, it stays attached until the scope ends; if a
 * component creates the store, attaching begins when that one is mounted, and otherwise at once.
 *
 * @param guard the guard; each chat has its own, so it can be a ref or a getter
 * @param chat a `Chat`, or the result of `useChat`, not destructured; or a ref or a getter
 * @param selector reads the part that the component needs: it renders again only when this changes. A list or a plain object
 * with the same items counts as unchanged. Default: everything
 * @returns refs, which can be destructured; with a selector, its result as a ref
 */
export function useToolApprovals<M extends UIMessage = UIMessage>(
  guard: MaybeRefOrGetter<ApprovalGuard<M>>,
  chat: MaybeRefOrGetter<AttachableChat<NoInfer<M>> | ChatOfRefs<NoInfer<M>>>,
): ToolApprovals<M>;
export function useToolApprovals<M extends UIMessage, T>(
  guard: MaybeRefOrGetter<ApprovalGuard<M>>,
  chat: MaybeRefOrGetter<AttachableChat<NoInfer<M>> | ChatOfRefs<NoInfer<M>>>,
  selector: (approvals: ApprovalState<M>) => T,
): ComputedRef<T>;
export function useToolApprovals<M extends UIMessage>(
  guard: MaybeRefOrGetter<ApprovalGuard<M>>,
  chat: MaybeRefOrGetter<AttachableChat<NoInfer<M>> | ChatOfRefs<NoInfer<M>>>,
  selector?: Selector<M, unknown>,
): ToolApprovals<M> | ComputedRef<unknown> {
  const snapshot = shallowRef<Snapshot<CallOf<M>>>(empty());
  let attached: AttachableChat<M> | undefined;
  let end: (() => void) | undefined;
  // A store has a scope of its own, and lives longer than the component that creates it.
  const scope = getCurrentScope();
  const begin = (): void => {
    // After the watchers of `useChat`, which create the chat that belongs to a new guard.
    const attach = (): (() => void) =>
      watch(
        [() => toRaw(toValue(guard)), () => toRaw(toValue(chat)), () => idOf(toRaw(toValue(chat)))] as const,
        ([guard, chat], _, onCleanup) => {
          const [home, leave] = isOfRefs(chat) ? withoutRefs(chat) : [chat];
          attached = home;
          const show = (): void => {
            snapshot.value = guard.getSnapshot();
          };
          const unsubscribe = guard.subscribe(show);
          const detach = guard.attach(home);
          const list = (): M[] => (isOfRefs(chat) ? chat.messages.value : chat.messages);
          // A page may also remove messages from the list. Not synchronous, because a change made while the chat
          // publishes would be lost.
          const ignore = watch(
            [
              list,
              () =>
                list()
                  .map(({ id }) => id)
                  .join(),
            ],
            ([messages]) => guard.observe(messages),
          );
          show();
          onCleanup(() => {
            ignore();
            leave?.();
            detach();
            unsubscribe();
          });
        },
        { immediate: true, flush: 'post' },
      );
    end ??= scope === undefined ? attach() : scope.run(attach);
  };
  const finish = (): void => {
    end?.();
    end = undefined;
  };
  const component = getCurrentInstance();
  // A server mounts nothing, and the first rendering of a browser must be the same as that of the server.
  if (component?.isMounted === false) onMounted(begin);
  else begin();
  if (component !== null && (component as { scope?: unknown }).scope === scope) {
    onActivated(begin);
    onDeactivated(finish);
  }
  onScopeDispose(finish);
  const stop = async (): Promise<void> => {
    await attached?.stop?.();
  };
  if (selector !== undefined) {
    let selected: unknown;
    return computed(() => (selected = unchanged(selected, selector(stateOf<M>(snapshot.value, stop)))));
  }
  return {
    calls: computed(() => snapshot.value.calls),
    approvals: computed(() => snapshot.value.approvals),
    batch: computed(() => snapshot.value.batch),
    grants: computed(() => snapshot.value.grants),
    verdict: computed(() => snapshot.value.verdict),
    callOf: (part, message) => findCall(snapshot.value.calls, part, message),
    stop,
  };
}

/**
 * The id of a chat; `undefined` for a `Chat` that makes its id when it is first read, because it stays the
 * same chat.
 */
function idOf(chat: { id?: string | { readonly value: string } }): string | undefined {
  const id = Object.hasOwn(chat, 'id') ? chat.id : undefined;
  return typeof id === 'object' ? id.value : id;
}

function isOfRefs<M extends UIMessage>(chat: AttachableChat<M> | ChatOfRefs<M>): chat is ChatOfRefs<M> {
  return isRef(chat.messages);
}

/**
 * The result of `useChat` as a chat. Its methods stay those of the original object, so that the guard also
 * notices calls made there.
 */
function withoutRefs<M extends UIMessage>(chat: ChatOfRefs<M>): [chat: AttachableChat<M>, leave: () => void] {
  const { messages } = chat;
  const read = () => ({ messages: messages.value, status: toValue((chat as { status?: unknown }).status) });
  // The content of the refs, readable without becoming a dependency.
  let published = read();
  const leave = watch(read, (next) => (published = next), { flush: 'sync' });
  /** The chat holds different objects than it publishes, and with `throttle` it publishes later. */
  const setMessages = (change: M[] | ((messages: M[]) => M[]), newest?: readonly M[]): void => {
    if (newest !== undefined && !isCopy(published.messages, newest)) return;
    messages.value = typeof change === 'function' ? change(published.messages) : change;
  };
  const home = new Proxy(chat, {
    get: (target, key) =>
      key === 'messages' || key === 'status'
        ? published[key]
        : key === 'id'
          ? idOf(chat)
          : key === 'setMessages'
            ? setMessages
            : (Reflect.get(target, key) as unknown),
  });
  return [home as unknown as AttachableChat<M>, leave];
}

/** Whether `list` is the published copy of `of`, with nothing left to publish. */
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
    'tool-approval-card': new () => { $props: CardProps };
    'tool-approval-queue': new () => { $props: QueueProps };
  }
}
