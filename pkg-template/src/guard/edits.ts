// The word of the application about an input that a person wants to allow in the place of the model's.
import { canonical } from '../chat/canonical.js';
import { digestOf, INPUT_BUDGET, NO_DIGEST, type Digest } from '../chat/digest.js';
import { toolNameOf, type PartFacts } from '../chat/part.js';
import { isObject, type Fields } from '../objects.js';
import type { Engine } from '../engine/engine.js';
import type { Settings } from '../options.js';
import type { Editable, EditProblem } from '../prompt.js';

/** A changed input, with what is told the core of it. */
export interface GivenEdit {
  input: unknown;
  digest: Digest;
  editable: boolean;
  signed: boolean;
  faulty: boolean;
  denied: boolean;
  problems: readonly EditProblem[];
}

/** The fields of an approval that bind it to its very input, so that a server runs no other one. */
const BONDS = ['signature', 'inputSchemaInput'];

/** The top-level fields that differ; `undefined` if an input is not an object. */
export function changedFields(from: unknown, to: unknown): string[] | undefined {
  if (!isObject(from) || !isObject(to) || Array.isArray(from) || Array.isArray(to)) return undefined;
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  const text = (of: Fields, name: string) => (Object.hasOwn(of, name) ? canonical(of[name]) : '');
  return [...names].filter((name) => text(from, name) !== text(to, name));
}

/** Whether only these top-level fields differ. */
const differsOnlyIn = (fields: readonly string[], from: unknown, to: unknown): boolean =>
  changedFields(from, to)?.every((name) => fields.includes(name)) === true;

/** The problems that a function of the application has named. Whatever else it returns is a problem, too. */
function problemsIn(said: unknown): readonly EditProblem[] {
  if (said === undefined || said === null || said === true) return [];
  if (!Array.isArray(said)) return [{ message: typeof said === 'string' ? said : '' }];
  return said.map((problem: unknown): EditProblem => {
    const { field, message } = Object(problem) as { field?: unknown; message?: unknown };
    const text = typeof problem === 'string' ? problem : typeof message === 'string' ? message : '';
    return typeof field === 'string' ? { field, message: text } : { message: text };
  });
}

/** The entry of the tool of a call in the option `tools`. */
const infoOf = (tools: Settings['tools'], facts: PartFacts | undefined) =>
  facts && tools.of(toolNameOf(facts), tools.serverOf(facts));

/** Whether the server has bound the approval of a call to its input, as the part shows it or as it was asked. */
function isBound({ tools }: Settings, facts: PartFacts | undefined, asked: unknown): boolean {
  const signsAgain = infoOf(tools, facts)?.signsAgain === true;
  const bonds = BONDS.filter((bond) => !(signsAgain && bond === 'signature'));
  const binds = (approval: unknown) =>
    isObject(approval) && bonds.some((bond) => approval[bond] !== undefined);
  return binds(facts?.approval) || binds(asked);
}

/** The rules of the option `tools` for the inputs of a call. */
function editableOf({ tools }: Settings, facts: PartFacts | undefined): Editable {
  const info = infoOf(tools, facts);
  // A description shows something else than would run.
  return facts?.tracked.isDescribed === true ? false : (info?.editable ?? false);
}

/** The same for a page: nothing of an input that the server has bound the approval to. */
export const editableNow = (settings: Settings, facts: PartFacts | undefined, asked: unknown): Editable =>
  isBound(settings, facts, asked) ? false : editableOf(settings, facts);

/** Asks the application about a changed input. `failed` is told what it has thrown. */
export function givenEdit(
  { approvals, memory }: Engine,
  settings: Settings,
  call: number,
  input: unknown,
  failed: (cause: unknown) => void,
): GivenEdit {
  const { facts, asked } = memory.of(call);
  const editable = editableOf(settings, facts);
  let problems: readonly EditProblem[] = [];
  let isAllowed = editable === true || typeof editable === 'function';
  if (facts !== undefined && typeof editable === 'object')
    isAllowed = differsOnlyIn(editable, facts.input, input);
  if (typeof editable === 'function') {
    try {
      // Not every platform has structuredClone.
      problems = problemsIn(editable(JSON.parse(JSON.stringify(input))));
    } catch (cause) {
      failed(cause);
      problems = [{ message: '' }];
    }
  }
  return {
    input,
    digest: digestOf(input, INPUT_BUDGET),
    editable: isAllowed,
    signed: isBound(settings, facts, asked),
    faulty: problems.length > 0,
    denied: facts !== undefined && approvals.denies(facts, input),
    problems,
  };
}

/** The facts of an input that is not changed. */
export const NO_EDIT = {
  input: NO_DIGEST,
  editable: false,
  signed: false,
  faulty: false,
  denied: false,
};
