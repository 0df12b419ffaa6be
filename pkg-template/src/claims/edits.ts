// Whether an input that a user has put in the place of the model's may run.
import { isObject } from '../objects.js';
import { GuardError } from '../error.js';

/** A schema with `~standard`: see standardschema.dev. */
interface StandardSchema {
  readonly '~standard': { validate(value: unknown): unknown };
}

/** A schema of the SDK, such as `jsonSchema()` makes. One that cannot validate takes every input, as in the SDK. */
interface SdkSchema {
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

/**
 * The check of a changed input of a tool: the `inputSchema` of the tool, or a function that returns the problems with an
 * input. `true` takes every input.
 */
export type EditCheck = true | StandardSchema | SdkSchema | ((input: unknown) => unknown);

/** The checks by the names of the tools whose input users may change. */
export type EditChecks = Readonly<Record<string, EditCheck>>;

export const areChecks = (value: unknown): value is EditChecks =>
  isObject(value) &&
  Object.values(value).every((check) => check === true || isObject(check) || typeof check === 'function');

/** Whether a schema takes an input. */
async function takes(schema: Partial<StandardSchema> & SdkSchema, input: unknown): Promise<boolean> {
  const standard = schema['~standard'];
  if (standard !== undefined) {
    return (Object(await standard.validate(input)) as { issues?: unknown }).issues === undefined;
  }
  if (schema.validate === undefined) return true;
  return (Object(await schema.validate(input)) as { success?: unknown }).success === true;
}

/**
 * Whether a changed input may run. What cannot be checked may not.
 *
 * @param onError called with the error of a check
 */
export async function fits(
  checks: EditChecks,
  tool: string | undefined,
  input: unknown,
  onError: (error: GuardError) => void,
): Promise<boolean> {
  const check = tool !== undefined && Object.hasOwn(checks, tool) ? checks[tool] : undefined;
  if (check === undefined) return false;
  try {
    // A check gets a copy, because a schema may change what it reads. A function may also return a schema, as those that
    // the SDK makes late.
    const copy: unknown = structuredClone(input);
    const said = typeof check === 'function' ? await check(copy) : check;
    if (Array.isArray(said)) return said.length === 0;
    if (isObject(said)) return await takes(said, copy);
    return said === undefined || said === null || said === true;
  } catch (cause) {
    onError(
      new GuardError(
        'invalid-input',
        `A changed input of ${tool} could not be checked, so it does not run.`,
        {
          cause,
        },
      ),
    );
    return false;
  }
}
