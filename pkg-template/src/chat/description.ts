// The descriptions of calls whose own tool and input do not say what they will do.
import { digestOf, INPUT_BUDGET, NO_DIGEST, sameDigest, type Digest } from './digest.js';
import { callIn, type PartFacts } from './part.js';
import { isObject } from '../objects.js';
import type { ApprovalGuardOptions } from '../types.js';

/** A description that is shown of a call in place of its own tool and input. */
export interface Described {
  readonly title: string | undefined;
  readonly input: unknown;
  readonly digest: Digest;
}

/** Has no JSON, so it cannot be shown, and what cannot be shown cannot be allowed. */
const UNSHOWABLE: Described = { title: undefined, input: Symbol('unknown'), digest: [2, 0] };

/** The digest of what is shown in place of a call. */
export const describedDigest = (described: Described | undefined): Digest => described?.digest ?? NO_DIGEST;

/** Asks the application about calls, and notes which of them it has described. */
export class Descriptions {
  readonly #describe: ApprovalGuardOptions['describe'];
  readonly #failures: { failed(cause: unknown): void };
  /** The calls of which it was reported that the application cannot describe them: a page may render again and again. */
  readonly #reported = new WeakSet<object>();

  constructor(describe: ApprovalGuardOptions['describe'], failures: { failed(cause: unknown): void }) {
    this.#describe = describe;
    this.#failures = failures;
  }

  /** The description of a call: the known one, as long as it has not changed. */
  of(facts: PartFacts, known?: Described): Described | undefined {
    if (this.#describe === undefined) return undefined;
    const described = this.#read(this.#describe, facts);
    facts.tracked.isDescribed = described !== undefined;
    return sameDigest(describedDigest(described), describedDigest(known)) ? known : described;
  }

  #read(describe: NonNullable<ApprovalGuardOptions['describe']>, facts: PartFacts): Described | undefined {
    try {
      const call = callIn(facts);
      const said: unknown = describe(call);
      if (said === undefined) return undefined;
      if (!isObject(said) || !('input' in said) || !['string', 'undefined'].includes(typeof said.title)) {
        throw new TypeError(
          `describe returned ${String(said)} for ${call.toolName}, which is no description.`,
        );
      }
      const title = said.title as string | undefined;
      return { title, input: said.input, digest: digestOf([title ?? null, said.input], INPUT_BUDGET) };
    } catch (cause) {
      if (!this.#reported.has(facts.tracked)) this.#failures.failed(cause);
      this.#reported.add(facts.tracked);
      return UNSHOWABLE;
    }
  }
}
