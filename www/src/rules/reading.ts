import { createRules, type Rules } from 'tool-approval-guard/rules';
import { JsonError, placeOfRule, placesIn, spanOf, type Span } from './places.ts';

/** Something to say about a part of the text. */
export interface Remark extends Span {
  kind: 'problem' | 'lint';
  message: string;
  /** What to do about it. */
  mend: string;
}

export interface Reading {
  rules: Rules;
  remarks: readonly Remark[];
}

/** Reads rules as an application would: what is no JSON are rules that cannot be read, and then every call asks. */
export function readRules(text: string): Reading {
  let places: ReadonlyMap<string, Span>;
  try {
    places = placesIn(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { at, message } = error;
    const mend = 'This is no JSON, so no rule can be read.';
    return {
      rules: createRules(undefined as never),
      remarks: [{ kind: 'problem', from: at, to: at + 1, message, mend }],
    };
  }

  const rules = createRules(JSON.parse(text));
  const problems = rules.problems.map((problem): Remark => {
    const { message, mend } = problem;
    return { kind: 'problem', ...spanOf(problem, text, places), message, mend };
  });
  const lints = rules.lints.map(({ ruleId, otherId, message }): Remark => {
    const place = placeOfRule(ruleId, text, places);
    const mend = otherId === undefined ? '' : `The other rule is ${otherId}.`;
    return { kind: 'lint', ...spanOf({ place, at: undefined }, text, places), message, mend };
  });
  return { rules, remarks: [...problems, ...lints] };
}
