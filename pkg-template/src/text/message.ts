// A message is a text, or a function of the values that it speaks of. A catalogue is an object of messages.

/** The forms of a plural, by the categories of `Intl.PluralRules`. A form that is left out is that of `other`. */
export interface Forms {
  /** In Arabic for 0. */
  readonly zero?: string;
  /** In English and German for 1. */
  readonly one?: string;
  /** In Arabic for 2. */
  readonly two?: string;
  /** In Arabic for 3 to 10, in Polish for 2 to 4. */
  readonly few?: string;
  /** In Arabic for 11 to 99. */
  readonly many?: string;
  /** For every other number. Each language has it. */
  readonly other: string;
}

/** A number that a message speaks of. In a template it is written as in the language: `${n}`. */
export interface Count {
  /** The number itself, for a text of its own: `n.value === 0`. */
  readonly value: number;
  /** Returns the form that the language has for this number. */
  plural(forms: Forms): string;
  /** Returns the number as it is written in the language. */
  toString(): string;
}

/** The names of the values that are numbers. */
type Counted = 'index' | 'total' | 'waiting' | 'n';

/**
 * The values of a message, by their names. A text is safe to put in: characters that nobody would see in it are written
 * out, and it cannot change the direction of the text around it.
 *
 * - `tool`: the `label` of a call or a grant
 * - `server`: the server of the tool
 * - `index`, `total`: numbers, the place of a call in its batch
 * - `waiting`: a number, the calls that ask
 * - `n`: a number, of calls, decisions or denials
 * - `fields`: names of fields, as a list in words
 * - `action`: the text of another action
 * - `duration`, `time`: milliseconds, or the time in words
 * - `scope`: what a grant covers, in words
 * - `why`: why a grant answered, in words
 * - `note`: what a rule says
 * - `reason`: what the server says
 * - `source`: the program that decided
 * - `field`, `asked`, `runs`: a field that a person has changed, what the model asked for, and what runs
 */
export type Values<Name extends string> = { readonly [Each in Name]: Each extends Counted ? Count : string };

/** Messages by their ids: texts, and functions of their values. */
export type Messages = Readonly<Record<string, string | ((values: never) => string)>>;

/** Other messages for the same ids. A message that speaks of something may also be a text that does not. */
export type Reworded<Given extends Messages> = {
  readonly [Id in keyof Given]: Given[Id] extends (values: infer Value) => string
    ? string | ((values: Value) => string)
    : string;
};

/** A value as it is passed to `text`: a number, a text, or for a time also its milliseconds. */
type Passed<Name, Value> = Value extends string
  ? Name extends 'time' | 'duration'
    ? number | string
    : string
  : number;

/** The parameters of `text` for a message beside its id: its values, or nothing. */
export type Needed<Given> = Given extends (values: infer Value) => string
  ? [values: { readonly [Name in keyof Value]: Passed<Name, Value[Name]> }]
  : [];
