'use client';

// The adapter for components of assistant-ui: what they show of a tool call, and what they answer.
import type { UIMessage } from 'ai';
import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react';

import { empty, findCall } from './binding.js';
import { GuardError } from './error.js';
import type { CallView, Choice, Snapshot } from './prompt.js';
import type { ApprovalGuards } from './threads/guards.js';
import type { ApprovalGuard, AttachableChat } from './types.js';

/** The answer that a component of assistant-ui gives: its `ToolApprovalResponse`. */
export type PartApprovalResponse =
  | { readonly approved: boolean; readonly text?: string; readonly reason?: string }
  | { readonly optionId: string; readonly text?: string; readonly reason?: string }
  | {
      readonly approved: boolean;
      readonly optionId: string;
      readonly text?: string;
      readonly reason?: string;
    }
  | { readonly text: string; readonly reason?: string };

/** A choice that a component of assistant-ui can offer: its `ToolApprovalOption`. */
export interface PartApprovalOption {
  /** The id with which the component answers; here it is the kind. */
  readonly id: string;
  /** Its decision and duration. */
  readonly kind: string;
}

/** The properties of a tool part that are used: of assistant-ui's `ToolCallMessagePartProps`. */
export interface ApprovalPart {
  /** The id of the call. */
  readonly toolCallId: string;
  /** Its input: what runs, also while that is a draft. */
  readonly args?: object | undefined;
  /** The same as JSON. */
  readonly argsText?: string | undefined;
  /** The approval as the component shows it; none if the call never asked. */
  readonly approval?:
    | {
        readonly id: string;
        readonly approved?: boolean;
        readonly reason?: string;
        readonly resolution?: 'cancelled' | 'expired';
        readonly options?: readonly PartApprovalOption[];
      }
    | undefined;
  /** Answers the approval. */
  respondToApproval(response: PartApprovalResponse): Promise<void>;
}

/** The result of {@link useApprovalPart}. */
export interface GuardedPart<Part extends ApprovalPart> {
  /** The part as the guard knows its call: the properties for a component of assistant-ui. */
  readonly part: Part;
  /** The call of the part; `undefined` if the guard does not know it. */
  readonly call: CallView | undefined;
  /** The guard of the thread; `undefined` if the thread has no chat of the AI SDK. */
  readonly guard: ApprovalGuard | undefined;
}

/** The props of {@link ApprovalProvider}. */
export interface ApprovalProviderProps<M extends UIMessage = UIMessage> {
  /** The guards of all threads, or the guard of the only one. */
  guards: Pick<ApprovalGuards<M>, 'get'> | ApprovalGuard<M>;
  /** The result of `useAISDKChat` in the thread. */
  chat: (AttachableChat<NoInfer<M>> & { id: string }) | undefined;
  /**
   * The thread with its tool parts.
   *
   * @default nothing is shown
   * @see `docs/assistant-ui.md`
   */
  children?: ReactNode;
}

/** The choices in the order of assistant-ui's buttons, by the kinds of its options. */
const CHOICES: Readonly<Record<string, Choice>> = {
  'allow-once': 'allow-once',
  'allow-always': 'allow-chat',
  'reject-once': 'deny',
  'reject-always': 'deny-chat',
};

const Thread = /* @__PURE__ */ createContext<ApprovalGuard | undefined>(undefined);

/**
 * Attaches the chat of a thread to its guard while it is mounted, and gives the guard to the tool parts inside.
 *
 * @param props the guards, the chat of the thread, and the children
 * @returns the children
 * @throws GuardError `invalid-input` if the id of the chat is not a string
 */
export function ApprovalProvider<M extends UIMessage = UIMessage>(
  props: ApprovalProviderProps<M>,
): ReactElement {
  const { guards, chat, children } = props;
  const id = chat?.id;
  const guard = useMemo(
    () => (id === undefined ? undefined : 'get' in guards ? guards.get(id) : guards),
    [guards, id],
  );
  useEffect(
    () => (guard === undefined || chat === undefined ? undefined : guard.attach(chat)),
    [guard, chat],
  );
  return createElement(Thread.Provider, { value: guard }, children);
}

/**
 * Returns a tool part as the guard knows its call. While the call asks, its approval offers four options, and
 * `respondToApproval` decides with the guard. A draft is shown as answered, and asks again after an undo. A call that
 * the guard does not know is returned unchanged. To allow it with a changed input, use
 * `guard.decide(call, 'allow-once', { input })`; `args` are then those that run.
 *
 * `respondToApproval` rejects with a {@link GuardError} `invalid-decision`, and decides nothing, if the answer names no
 * option, contradicts itself or is a text; if it allows an input that cannot be shown; or if the guard refuses it.
 *
 * @param part the properties of a component that shows tool calls
 * @returns the part, its call, and the guard of the thread; the same object until one of them changes
 */
export function useApprovalPart<Part extends ApprovalPart>(part: Part): GuardedPart<Part> {
  const guard = useContext(Thread);
  const snapshot = useSyncExternalStore(guard?.subscribe ?? never, guard?.getSnapshot ?? nothing, nothing);
  const call =
    guard === undefined || part.approval == null ? undefined : findCall(snapshot.calls, part, undefined);
  return useMemo(
    () => ({
      part: guard === undefined || call === undefined ? part : shown(guard, call, part),
      call,
      guard,
    }),
    [guard, call, part],
  );
}

const never = (): (() => void) => nothing;
const nothing = (): Snapshot => empty();

/** The part with the approval that the call has, and with the input that it is allowed with. */
function shown<Part extends ApprovalPart>(guard: ApprovalGuard, call: CallView, given: Part): Part {
  const { edited } = call;
  const part: Part = edited
    ? { ...given, args: edited.to as object, argsText: JSON.stringify(edited.to) }
    : given;
  const { approved, resolution, options, ...rest } = part.approval as NonNullable<Part['approval']>;
  const { status, decision } = call;
  if (call.waiting) {
    const offered = optionsOf(guard, call);
    const respondToApproval = async (response: PartApprovalResponse): Promise<void> =>
      respond(guard, call, offered, response);
    return { ...part, approval: { ...rest, options: offered }, respondToApproval };
  }
  if (status === 'expired') return { ...part, approval: { ...rest, resolution: 'expired' } };
  // A call that still asks here was left behind by the chat.
  if (status === 'superseded' || status === 'asking') {
    return { ...part, approval: { ...rest, resolution: 'cancelled' } };
  }
  if (decision === undefined || approved !== undefined) return part;
  return { ...part, approval: { ...rest, approved: decision === 'allowed' } };
}

/**
 * The choices. An input that cannot be shown, and a tool that the server no longer has, cannot be allowed; a call that
 * cannot be compared gets no lasting choice.
 */
function optionsOf(guard: ApprovalGuard, call: CallView): readonly PartApprovalOption[] {
  const lasts = guard.covered(call, call.defaultCovers).length > 0;
  const canAllow = call.can.allow;
  return Object.keys(CHOICES)
    .filter((kind) => (lasts || kind.endsWith('once')) && (canAllow || !allows(kind)))
    .map((kind) => ({ id: kind, kind }));
}

const allows = (kind: string): boolean => kind.startsWith('allow');

/** Decides. @throws GuardError `invalid-decision`: nothing was decided */
function respond(
  guard: ApprovalGuard,
  call: CallView,
  offered: readonly PartApprovalOption[],
  response: PartApprovalResponse,
): void {
  const { approved, optionId, text, reason } = response as {
    approved?: unknown;
    optionId?: unknown;
    text?: unknown;
    reason?: string;
  };
  const fail = (sentence: string, cause?: unknown): never => {
    throw new GuardError('invalid-decision', sentence, { cause, toolCallId: call.toolCallId });
  };
  if (text !== undefined) fail('A call is allowed or denied. Pass a text as the reason, not as the answer.');
  const id = optionId ?? (approved === true ? 'allow-once' : approved === false ? 'reject-once' : undefined);
  const option = offered.find((each) => each.id === id);
  if (option === undefined) return fail('The answer is none of those that this call offers.');
  if (approved !== undefined && approved !== allows(option.kind)) {
    fail('The answer contradicts its option: only one of them allows the call.');
  }
  const choice = CHOICES[option.kind] as Choice;
  const result = guard.decide(call, choice, reason == null ? {} : { reason });
  if (result.type === 'refused') fail(result.message, result);
}

/** The error that assistant-ui writes into the open calls of the last message when the person sends a message. */
const CANCELLED = 'User cancelled tool call by sending a new message.';

/**
 * Wraps the option `onError` for guards of assistant-ui. When a person writes a message over calls that ask,
 * assistant-ui writes an error into each of them. The guard denies them as superseded all the same, so that is not
 * reported; everything else is.
 *
 * @param onError called with each other problem. Default: `console.error`
 * @returns the value for the option `onError`
 */
export const exceptCancelledCalls =
  (onError: (error: GuardError) => void = console.error): ((error: GuardError) => void) =>
  (error) => {
    if (error.code !== 'output-over-open-approval' || error.cause !== CANCELLED) onError(error);
  };
