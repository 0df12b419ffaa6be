'use client';

import {
  createContext,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
  type ComponentProps,
  type CSSProperties,
  type ReactNode,
} from 'react';
import type { ApprovalGuard, CallView, Choice, DecideOptions } from 'tool-approval-guard';
import { createWords, type CallWords, type Words } from 'tool-approval-guard/words';
import { Alert, AlertDescription } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { cn } from '@/lib/utils';

interface Confirmed {
  guard: ApprovalGuard;
  call: CallView;
  words: Words<typeof OWN>;
  said: CallWords;
}

const ConfirmationContext = createContext<Confirmed | null>(null);

function useConfirmation(): Confirmed {
  const context = useContext(ConfirmationContext);
  if (context === null) throw new Error('This component has to be inside a Confirmation.');
  return context;
}

/** Two messages of the queue, in English. A catalogue has its own. */
const OWN = {
  'queue.doubt': 'The request was interrupted. What you allowed may have run.',
  'queue.unshowable': 'The input of this call cannot be shown, so it can only be denied.',
};

export type ConfirmationProps = ComponentProps<typeof Alert> & {
  /** The guard of the chat. */
  guard: ApprovalGuard;
  /** The call from `callOf(part, message)` of `useToolApprovals`. */
  call: CallView | undefined;
};

/** Shows a call from the moment when it asks. Without children it shows the input, the question and the choices. */
export function Confirmation({ guard, call, className, children, ...props }: ConfirmationProps) {
  const words = createWords(guard.locale, OWN);
  const context = useMemo(() => call && { guard, call, words, said: words.call(call) }, [guard, call, words]);
  if (context === undefined || context.call.approvalId === undefined) return null;
  return (
    <ConfirmationContext.Provider value={context}>
      <Alert
        role="group"
        aria-label={context.said.title}
        data-status={context.call.status}
        className={cn('flex flex-col gap-2', className)}
        {...props}
      >
        {children ?? (
          <>
            <ConfirmationTitle>
              <ConfirmationRequest />
              <ConfirmationAccepted />
              <ConfirmationRejected />
            </ConfirmationTitle>
            <ConfirmationInput />
            <ConfirmationGrant />
            <ConfirmationActions />
          </>
        )}
      </Alert>
    </ConfirmationContext.Provider>
  );
}

export type ConfirmationTitleProps = ComponentProps<typeof AlertDescription>;

/** The question and then its outcome, which a screen reader announces. */
export function ConfirmationTitle({ className, ...props }: ConfirmationTitleProps) {
  return <AlertDescription role="status" className={cn('inline', className)} {...props} />;
}

export interface ConfirmationTextProps {
  /** Your own text in place of the words of the guard. */
  children?: ReactNode;
}

/** Shown while the call asks. Without children: the question, and why it is asked. */
export function ConfirmationRequest({ children }: ConfirmationTextProps) {
  const { call, said, words } = useConfirmation();
  if (call.status !== 'asking') return null;
  // The chat has left the call behind.
  if (!call.waiting) return words.text('error.late');
  return children ?? `${said.title} ${said.why}`;
}

/**
 * Shown as soon as the call is allowed, also while that can be undone. Children that say "you approved this" are shown
 * only if the person did; a grant, a rule, a program and a call that may have run are told in the words of the guard.
 */
export function ConfirmationAccepted({ children }: ConfirmationTextProps) {
  const { call, said, words } = useConfirmation();
  if (!call.outcome?.startsWith('allowed')) return null;
  if (call.status === 'in-doubt') return words.text('queue.doubt');
  return isByPerson(call) ? (children ?? said.outcome) : said.outcome;
}

/**
 * Shown as soon as the call will not run any more: denied, expired, or superseded by a new message. Children
 * that say "you rejected this" are shown only if the person did.
 */
export function ConfirmationRejected({ children }: ConfirmationTextProps) {
  const { call, said } = useConfirmation();
  if (call.outcome === undefined || call.outcome.startsWith('allowed')) return null;
  return isByPerson(call) ? (children ?? said.outcome) : said.outcome;
}

const BY_PERSON: readonly CallView['outcome'][] = ['allowed-once', 'allowed-chat', 'denied', 'denied-chat'];
const isByPerson = ({ actor, outcome }: CallView) => actor === 'person' && BY_PERSON.includes(outcome);

export type ConfirmationInputProps = ComponentProps<'pre'>;

/** The input, in which everything that a person would not see is written out, and secrets are masked. */
export function ConfirmationInput({ className, ...props }: ConfirmationInputProps) {
  const { call, words } = useConfirmation();
  return (
    <pre
      className={cn('overflow-x-auto rounded-md bg-muted/50 p-3 text-xs whitespace-pre-wrap', className)}
      {...props}
    >
      {call.inputText ?? words.text('queue.unshowable')}
    </pre>
  );
}

export type ConfirmationGrantProps = ComponentProps<'div'>;

/** What the person allowed or denied for the whole chat with this call, and a button that ends it. */
export function ConfirmationGrant({ className, ...props }: ConfirmationGrantProps) {
  const { guard, call, said, words } = useConfirmation();
  const id = call.grant?.id;
  // A grant can end without a change of the call.
  const status = useSyncExternalStore(
    guard.subscribe,
    () => id && guard.getSnapshot().grants.find((grant) => grant.id === id)?.status,
    () => undefined,
  );
  if (id === undefined || status === undefined) return null;
  return (
    <div className={cn('flex items-center justify-between gap-2 text-sm', className)} {...props}>
      <span>{said.scope}</span>
      {status !== 'draft' && (
        <Button type="button" variant="ghost" className={SIZE} onClick={() => guard.revoke(id)}>
          {words.text(call.grant?.type === 'deny' ? 'action.revokeDeny' : 'action.revoke')}
        </Button>
      )}
    </div>
  );
}

const SIZE = 'h-8 px-3 text-sm';

export type ConfirmationActionsProps = ComponentProps<'div'>;

/** What is not shown keeps its place, so that a double click presses only one button. */
const shownIf = (isShown: boolean): CSSProperties => ({ visibility: isShown ? undefined : 'hidden' });

/** The choices while the call asks; Undo while its decision can be undone. Without children: Deny and Allow once. */
export function ConfirmationActions({ className, children, ...props }: ConfirmationActionsProps) {
  const { guard, call, words } = useConfirmation();
  const box = useRef<HTMLDivElement>(null);
  const pressed = useRef(false);
  const isAsking = call.waiting;
  // The pressed button is gone, and the keyboard must not be sent back to the top of the page.
  useLayoutEffect(() => {
    const buttons = [...(box.current?.querySelectorAll('button') ?? [])];
    if (pressed.current) buttons[isAsking ? 1 : 0]?.focus();
    pressed.current = false;
  }, [isAsking]);
  if (!isAsking && !call.can.undo) return null;
  return (
    <div
      ref={box}
      className={cn('flex items-center justify-end gap-2 self-end', className)}
      onClickCapture={() => {
        pressed.current = true;
      }}
      {...props}
    >
      <ConfirmationAction variant="outline" style={shownIf(!isAsking)} onClick={() => guard.undo(call)}>
        {words.text('action.undo')}
      </ConfirmationAction>
      <div className="flex items-center gap-2" style={shownIf(isAsking)}>
        {children ?? (
          <>
            <ConfirmationAction choice="deny" variant="outline" />
            <ConfirmationAction choice="allow-once" />
          </>
        )}
      </div>
    </div>
  );
}

export type ConfirmationActionProps = ComponentProps<typeof Button> & {
  /** What a press decides. Without it, the button does what its `onClick` does. */
  choice?: Choice;
  /** The options of the decision. */
  options?: DecideOptions;
};

/** A button. It allows nothing whose input cannot be shown or whose tool is gone. Without children it says what it does. */
export function ConfirmationAction({ choice, options, children, ...props }: ConfirmationActionProps) {
  const { guard, call, words } = useConfirmation();
  const canAllow = call.can.allow;
  // The button names what the choice covers, so this is passed on in place of the guard's default.
  const covers = options?.covers ?? 'input';
  const decide =
    choice && (() => guard.decide(call, choice, { ...options, ...(isLasting(choice) && { covers }) }));
  return (
    <Button
      type="button"
      className={SIZE}
      {...(decide && { onClick: decide })}
      {...props}
      disabled={(!canAllow && choice?.startsWith('allow')) || props.disabled === true}
    >
      {children ?? (choice && labelOf(choice, covers))}
    </Button>
  );

  function labelOf(choice: Choice, covers: NonNullable<DecideOptions['covers']>): string {
    if (choice === 'deny') return words.text('action.deny');
    if (choice === 'deny-chat') return words.text('action.denyChat');
    if (choice === 'allow-once') return words.text('action.once');
    if (covers === 'input') return words.text('action.chatInput');
    if (covers === 'tool') return words.text('action.chatTool', { tool: call.label });
    return words.text('action.chatFields', { tool: call.label, fields: covers.join(', ') });
  }
}

const isLasting = (choice: Choice) => choice === 'allow-chat' || choice === 'deny-chat';

/**
 * The state to pass to `ToolHeader`. The SDK's part says `approval-requested` until the decision is in the messages, so
 * its badge would still say that it waits for you.
 */
export function toolState<State extends string>(
  part: { state: State },
  call: CallView | undefined,
): State | 'approval-responded' | 'output-denied' {
  if (part.state !== 'approval-requested' || call === undefined || call.outcome === undefined)
    return part.state;
  return call.status === 'expired' || call.status === 'superseded' ? 'output-denied' : 'approval-responded';
}
