// The face of a guard: the functions that an application has of it.
import type { UIMessage } from 'ai';

import { Permit } from '../generated/abi.js';
import type { LateGuard } from '../loading/happening.js';
import type { ApprovalGuard, ApprovalGuardOptions } from '../types.js';
import { Guard } from './guard.js';
import { rehearse } from './rehearsal.js';
import { listOf } from './outgoing-request.js';

/**
 * Creates the approval guard of one chat. The WebAssembly starts at the first use, or when the page is idle.
 *
 * @typeParam M the messages of the chat; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param options every option has a default
 * @returns the guard. Its creator either disposes of it or drops every reference to it
 * @throws GuardError `invalid-option` or `invalid-catalogue`, saying what the option must be
 */
export function createApprovalGuard<M extends UIMessage = UIMessage, Dynamic extends string = never>(
  options: ApprovalGuardOptions<M, Dynamic> = {},
): ApprovalGuard<M> {
  return faceOf(new Guard<M>(options as unknown as ApprovalGuardOptions));
}

/**
 * Creates the guard that one becomes which has waited for its engine.
 *
 * @internal
 */
export function createLateGuard<M extends UIMessage>(options: ApprovalGuardOptions): LateGuard<M> {
  const guard = new Guard<M>(options);
  const { attachments } = guard;
  return {
    guard: faceOf(guard),
    attach: (chat) => attachments.attach(chat, false),
    tell: (happened) => guard.catchUp(happened),
    begin: (hasSent) => guard.begin(hasSent),
    askAgain: (asker, options) => guard.automaticSends.send(asker, options),
  };
}

/** The members that take messages. */
type OfMessages = 'transport' | 'attach' | 'observe' | 'adopt' | 'sendAutomaticallyWhen' | 'unsent';

/** The functions of a guard. Each of them can be passed on by itself. */
function faceOf<M extends UIMessage>(guard: Guard<M>): ApprovalGuard<M> {
  rehearse(() => faceOf(new Guard({ onError: () => {} })));
  const { attachments, decisions, notifications, requests } = guard;
  const dispose = (): void => guard.dispose();
  const face: Omit<ApprovalGuard, OfMessages> & Pick<ApprovalGuard<M>, OfMessages> = {
    locale: guard.settings.locale,
    get ready() {
      return guard.ready();
    },
    sendAutomaticallyWhen: (options) => guard.ask(options),
    explain: () => guard.verdict(),
    observe: (messages) => guard.observe(messages),
    adopt: (messages) => guard.adopt(messages),
    transport: (inner) => guard.named(() => requests.transport(inner)),
    unsent: (messages) => guard.named(() => requests.unsent(listOf(messages))),
    attach: (chat) => attachments.attach(chat),
    retry: async (given) => guard.permit(Permit.Retry, given),
    resume: async (given) => guard.permit(Permit.Resume, given),
    proceed: async (action, given) => guard.proceed(action, given),
    getSnapshot: () => notifications.silently(() => guard.snapshot()),
    decide: (call, choice, options) => guard.named(() => decisions.decide(call, choice, options)),
    decideAll: (calls, choice, options) => guard.named(() => decisions.decideAll(calls, choice, options)),
    undo: (call) => guard.named(() => decisions.undo(call)),
    undoAll: () => decisions.undoAll(),
    commit: () => decisions.commit(),
    extend: (call) => guard.named(() => decisions.extend(call)),
    unmask: (call) => guard.named(() => decisions.unmask(call)),
    covered: (call, covers) => guard.named(() => decisions.covered(call, covers)),
    revoke: (id) => guard.named(() => decisions.revoke(id)),
    revokeAll: () => decisions.revokeAll(),
    pending: () => guard.pending(),
    grants: () => guard.grants(),
    granted: (toolName, input, server) => guard.granted(toolName, input, server),
    subscribe: (listener) => notifications.subscribe(listener),
    ledger: () => guard.ledger(),
    dispose,
    [Symbol.dispose]: dispose,
  };
  return face as unknown as ApprovalGuard<M>;
}
