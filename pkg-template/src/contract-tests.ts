// The base of the tests of a contract: that of a store of claims, and that of a storage of records.

/** A test runs with this, and clears it when it is done. */
interface Subject {
  clear(): Promise<void>;
}

/**
 * Runs the tests of a contract, each with a subject of its own.
 *
 * @param tests the tests by their names
 * @param open makes a subject
 * @param test registers a test; without it the tests run one after the other
 * @throws Error with the findings of the first failing test, if `test` is not given
 */
export async function testContract<S extends Subject>(
  tests: Readonly<Record<string, (subject: S) => Promise<void>>>,
  open: () => Promise<S>,
  test: ((name: string, run: () => Promise<void>) => unknown) | undefined,
): Promise<void> {
  for (const [name, run] of Object.entries(tests)) {
    const work = async (): Promise<void> => {
      const subject = await open();
      try {
        await run(subject);
      } finally {
        await subject.clear();
      }
    };
    if (test !== undefined) {
      test(name, work);
      continue;
    }
    try {
      await work();
    } catch (cause) {
      throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }
}

/** Throws an error that says what was found, unless both are the same as JSON. */
export function equal(found: unknown, expected: unknown, what: string): void {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (part === undefined ? '(undefined)' : part));
  if (text(found) === text(expected)) return;
  const short = (value: unknown): string => text(value).slice(0, 500);
  throw new Error(`${what} is ${short(found)}, and must be ${short(expected)}`);
}
