'use client';

import {
  createContext,
  useContext,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ComponentProps,
  type CSSProperties,
  type ReactNode,
} from 'react';
import type { ApprovalGuard, CallView, Choice, DecideOptions, EditProblem } from 'tool-approval-guard';
import { editFields, readEdit, type Edit, type EditField } from 'tool-approval-guard/edit';
import { escapeInvisible } from 'tool-approval-guard/escape';
import { createWords, type CallWords, type Words } from 'tool-approval-guard/words';
import { Alert, AlertDescription } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { cn } from '@/lib/utils';

interface Confirmed {
  guard: ApprovalGuard;
  call: CallView;
  words: Words<typeof OWN>;
  said: CallWords;
  editing: Editing;
}

/** What the person has typed into the fields of an input, by their names. */
interface Editing {
  typed: ReadonlyMap<string | undefined, string>;
  /** What came of it; `undefined` while the input cannot be changed. */
  edit: Edit | undefined;
  problems: readonly EditProblem[];
  setTyped(typed: ReadonlyMap<string | undefined, string>): void;
  setProblems(problems: readonly EditProblem[]): void;
}

const NOTHING_TYPED: Editing['typed'] = new Map();

/** What is typed is about one input: with another one, it is gone. */
function useEditing(guard: ApprovalGuard, call: CallView | undefined): Editing {
  const input = useMemo(() => JSON.stringify(call?.input), [call?.input]);
  const [state, setState] = useState({ input, typed: NOTHING_TYPED, problems: [] as readonly EditProblem[] });
  return useMemo(() => {
    const { typed, problems } = state.input === input ? state : { typed: NOTHING_TYPED, problems: [] };
    return {
      typed,
      problems,
      edit: call?.can.edit ? readEdit(call, typed, guard.locale) : undefined,
      setTyped: (typed) => setState({ input, typed, problems: [] }),
      setProblems: (problems) => setState({ input, typed, problems }),
    };
  }, [guard, call, input, state]);
}

const ConfirmationContext = createContext<Confirmed | null>(null);

function useConfirmation(): Confirmed {
  const context = useContext(ConfirmationContext);
  if (context === null) throw new Error('This component has to be inside a Confirmation.');
  return context;
}

/** Messages of the queue, in English. A catalogue has its own. */
const OWN = {
  'queue.editCancel': 'Discard the changes',
  'queue.editWas': 'Asked for:',
  'queue.refused': 'That did not count.',
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
  const editing = useEditing(guard, call);
  const context = useMemo(
    () => call && { guard, call, words, said: words.call(call), editing },
    [guard, call, words, editing],
  );
  if (context === undefined || context.call.approvalId === undefined) return null;
  return (
    <ConfirmationContext.Provider value={context}>
      <Alert
        role="group"
        aria-label={context.said.title}
        data-status={context.call.status}
        className={cn('flex flex-col items-stretch gap-2', className)}
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
            <ConfirmationEdit />
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
  return isByPerson(call) && call.edited === undefined ? (children ?? said.outcome) : said.outcome;
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

/**
 * The input, in which everything that a person would not see is written out, and secrets are masked. Below it what the person
 * has changed, so that what runs is there.
 */
export function ConfirmationInput({ className, ...props }: ConfirmationInputProps) {
  const { call, said, words } = useConfirmation();
  return (
    <pre
      className={cn('overflow-x-auto rounded-md bg-muted/50 p-3 text-xs whitespace-pre-wrap', className)}
      {...props}
    >
      {call.inputText ?? words.text('queue.unshowable')}
      {said.changes !== '' && `\n\n${said.outcome}\n${said.changes}`}
    </pre>
  );
}

export type ConfirmationEditProps = ComponentProps<'div'>;

/**
 * A button that opens a field for each value that may be changed (`editable` and `inputSchema` of the option `tools`). What is
 * typed is what Allow once allows. Nothing, if nothing may be changed.
 */
export function ConfirmationEdit({ className, ...props }: ConfirmationEditProps) {
  const { call, words, editing } = useConfirmation();
  const [isOpen, setOpen] = useState(false);
  const fields = useMemo(() => editFields(call), [call]);
  if (fields.length === 0) return null;
  const others = editing.problems.filter(({ field }) => fields.every(({ name }) => name !== field));
  return (
    <div className={cn('flex flex-col gap-2 text-sm', className)} {...props}>
      {isOpen && fields.map((field) => <ConfirmationField key={field.name ?? ''} field={field} />)}
      {others.map(({ message }) => (
        <p key={message} className="text-destructive">
          {message || words.text('queue.refused')}
        </p>
      ))}
      <Button
        type="button"
        variant="ghost"
        className={cn(SIZE, '-ms-3 self-start')}
        aria-expanded={isOpen}
        onClick={() => {
          if (isOpen) editing.setTyped(NOTHING_TYPED);
          setOpen(!isOpen);
        }}
      >
        {words.text(isOpen ? 'queue.editCancel' : 'action.edit')}
      </Button>
    </div>
  );
}

const CONTROL = 'w-full rounded-md border bg-background p-2 text-sm';

/** One field: what is typed, what was asked for, what nobody would see in it, and what is wrong. */
function ConfirmationField({ field }: { field: EditField }) {
  const { words, editing } = useConfirmation();
  const id = useId();
  const { name, kind, text, choices } = field;
  const typed = editing.typed.get(name) ?? text;
  const said = editing.problems.filter((problem) => problem.field === name && name !== undefined);
  const problems = said.map(({ message }) => message || words.text('queue.refused'));
  const read = (value: unknown) =>
    value === undefined ? '' : escapeInvisible(typeof value === 'string' ? value : JSON.stringify(value));
  const seen = kind === 'text' ? escapeInvisible(typed) : typed;
  const notes = [
    ...problems,
    ...(seen === typed ? [] : [seen]),
    ...(typed === text ? [] : [`${words.text('queue.editWas')} ${read(field.value)}`]),
  ];
  const control = {
    id,
    value: typed,
    className: CONTROL,
    dir: kind === 'text' || kind === 'choice' ? 'auto' : 'ltr',
    'aria-invalid': problems.length > 0,
    'aria-describedby': notes.length > 0 ? `${id}-notes` : undefined,
    onChange: ({ target }: { target: { value: string } }) =>
      editing.setTyped(new Map(editing.typed).set(name, target.value)),
  };
  const isLong = kind === 'json' || (kind === 'text' && (text.length > 60 || text.includes('\n')));
  return (
    <div>
      <label htmlFor={id} className="font-mono text-xs">
        {name === undefined ? words.text('action.edit') : escapeInvisible(name)}
      </label>
      {kind === 'choice' ? (
        <select {...control}>
          {choices.map((choice, i) => (
            <option key={i} value={i}>
              {read(choice)}
            </option>
          ))}
        </select>
      ) : isLong ? (
        <textarea {...control} rows={Math.min(text.split('\n').length + 1, 12)} />
      ) : (
        <input {...control} autoComplete="off" inputMode={kind === 'number' ? 'decimal' : undefined} />
      )}
      <div id={`${id}-notes`} className="text-xs text-muted-foreground">
        {notes.map((note, i) => (
          <p key={note} className={i < problems.length ? 'text-destructive' : 'break-words'}>
            {note}
          </p>
        ))}
      </div>
    </div>
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

/** A long label has several lines. */
const SIZE = 'h-auto min-h-8 max-w-full shrink px-3 py-1 text-sm whitespace-normal';

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
      className={cn('flex flex-wrap items-center justify-end gap-2', className)}
      onClickCapture={() => {
        pressed.current = true;
      }}
      {...props}
    >
      <ConfirmationAction variant="outline" style={shownIf(!isAsking)} onClick={() => guard.undo(call)}>
        {words.text('action.undo')}
      </ConfirmationAction>
      <div className="flex flex-wrap items-center justify-end gap-2" style={shownIf(isAsking)}>
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

/**
 * A button. It allows nothing whose input cannot be shown or whose tool is gone. Without children it says what it does. If the
 * person has changed the input, _Allow once_ allows that, and says so; nothing else allows the call then.
 */
export function ConfirmationAction({ choice, options, children, ...props }: ConfirmationActionProps) {
  const { guard, call, words, editing } = useConfirmation();
  const edit = editing.edit?.type === 'unchanged' ? undefined : editing.edit;
  const isEdit = edit !== undefined && choice === 'allow-once';
  const canAllow = call.can.allow && (edit === undefined || isEdit);
  // The button names what the choice covers, so this is passed on in place of the guard's default.
  const covers = options?.covers ?? 'input';
  const decide = choice && (() => (isEdit ? allowEdit(edit) : guard.decide(call, choice, given(choice))));
  const given = (choice: Choice): DecideOptions => ({ ...options, ...(isLasting(choice) && { covers }) });
  const allowEdit = (edit: Edit) => {
    if (edit.type === 'wrong') return editing.setProblems(edit.problems);
    const input = edit.type === 'changed' ? { input: edit.input } : {};
    const result = guard.decide(call, 'allow-once', { ...options, ...input });
    if (result.type === 'refused')
      editing.setProblems(result.problems ?? [{ message: words.text('queue.refused') }]);
  };
  return (
    <Button
      type="button"
      className={SIZE}
      {...(decide && { onClick: decide })}
      {...props}
      disabled={(!canAllow && choice?.startsWith('allow')) || props.disabled === true}
    >
      {isEdit ? words.text('action.onceEdited') : (children ?? (choice && labelOf(choice, covers)))}
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
