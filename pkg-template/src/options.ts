// Checks the options of a guard, and gives them to the core with their defaults.
import { NONE } from './engine/rows.js';
import { GuardError } from './error.js';
import { causeNames, LONGEST_WAIT, policyNames, policyTakes, SHORTEST_WAIT } from './generated/abi.js';
import { checkGiven, invalid } from './options-given.js';
import { isObject } from './objects.js';
import type { ToolInfo } from './prompt.js';
import type { User } from './types/events.js';
import type { ApprovalRules } from './types/rules.js';
import type { ApprovalGuardOptions } from './types.js';
import type { Catalogue } from './text/catalogue.js';
import { modelReasons, type ModelReasons } from './text/model-reasons.js';
import { Tools } from './tools-option.js';

/** The options with their defaults, in the form of the core. */
export interface Settings {
  /** The options by which the core decides, as it takes them. */
  policy: readonly number[];
  /** Whether there is `outputMs`. */
  limitsOutputs: boolean;
  chatId: string | undefined;
  user: User | undefined;
  clientTools: readonly string[] | ((toolName: string) => boolean);
  unavailableTools: ReadonlySet<string>;
  expiresMs: ApprovalGuardOptions['expiresMs'];
  describe: ApprovalGuardOptions['describe'];
  tools: Tools;
  rules: ApprovalRules | undefined;
  redact: ApprovalGuardOptions['redact'];
  record: ApprovalGuardOptions['record'];
  omitFromWire: readonly string[];
  locale: Catalogue | undefined;
  /** The reasons that the guard itself gives for a denial. */
  reasons: ModelReasons;
  /** Those of the core's causes, by their codes. */
  ownReasons: readonly string[];
}

/** The values of most guards, which share them. */
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_TOOLS = new Tools(new Map());

const DAY = 24 * 60 * 60 * 1_000;

/** The longest lifetime of a grant, in milliseconds. */
export const LONGEST_GRANT = 7 * DAY;

/** Whether a value is a number of milliseconds within these bounds. */
export function isDuration(value: unknown, from: number, to: number): value is number {
  return typeof value === 'number' && value >= from && value <= to;
}

/**
 * An option by which the core decides, as a number. One that is left out is NaN: the core has its default.
 *
 * @param takes names, the range of a number, or nothing for true and false
 */
function numberOf(name: string, value: unknown, takes: (typeof policyTakes)[number]): number {
  if (value === undefined) return NaN;
  if (takes === undefined) {
    if (typeof value === 'boolean') return Number(value);
    throw invalid(name, 'true or false');
  }
  if ('from' in takes) {
    const { from, to, orInfinity, isCount } = takes;
    if (orInfinity && value === Infinity) return Infinity;
    if (isDuration(value, from, to) && (!isCount || Number.isInteger(value))) return value;
    throw invalid(
      name,
      `a ${isCount ? 'whole number' : 'number of milliseconds'} from ${from} to ${to}${orInfinity ? ', or Infinity' : ''}`,
    );
  }
  const code = takes.indexOf(value as string);
  if (code >= 0) return code;
  throw invalid(name, takes.map((item) => `'${item}'`).join(' or '));
}

/** Whether a value is a list of names of fields. */
function isFields(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((field) => typeof field === 'string' && field !== '')
  );
}

/** Whether a value is what it must be, and what that is. */
type Check = readonly [isValid: (value: unknown) => boolean, expected: string];

/** What a lasting choice covers. */
export const COVERS: Check = [
  (value) => value === 'input' || value === 'tool' || isFields(value),
  "'input', 'tool' or a list of field names",
];

/** Checks those of these that are given. @throws GuardError `invalid-option` */
function check(given: object, checks: Readonly<Record<string, Check>>, prefix = ''): void {
  for (const [name, [isValid, expected]] of Object.entries(checks)) {
    const value: unknown = given[name as keyof typeof given];
    if (value !== undefined && !isValid(value)) throw invalid(prefix + name, expected);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const has = (method: string) => (value: unknown) =>
  isFunction((Object(value) as Record<string, unknown>)[method]);

const TOOL_FIELDS = {
  title: [isText, 'a string'],
  server: [isText, 'a string'],
  dangerous: [
    (value) => isFlag(value) || isFunction(value),
    'true, false or a function that takes the input',
  ],
  covers: COVERS,
  annotations: [isObject, 'an object with annotations'],
  editable: [
    (value) => isFlag(value) || isFunction(value) || isFields(value),
    'true, a list of field names or a function that takes the input',
  ],
  inputSchema: [isObject, 'a JSON schema as an object'],
  signsAgain: [isFlag, 'true or false'],
} satisfies Record<keyof ToolInfo, Check>;

/** The options beside those by which the core decides, and beside those that the guard needs at once. */
const OPTIONS = {
  clientTools: [
    (value) => isFunction(value) || areTexts(value),
    'an array of tool names, or a function that takes one',
  ],
  unavailableTools: [areTexts, 'an array of tool names'],
  omitFromWire: [
    (value) => areTexts(value) && !(value as unknown[]).includes(''),
    'an array of tool names, in which a star stands for any text',
  ],
  expiresMs: [
    (value) => isFunction(value) || isDuration(value, SHORTEST_WAIT, LONGEST_WAIT),
    `a number of milliseconds from ${SHORTEST_WAIT} to ${LONGEST_WAIT}, or a function`,
  ],
  user: [isUser, 'an object { id, name }, with plain text of at most 200 characters; name can be left out'],
  rules: [has('judge'), 'the object returned by createRules() of tool-approval-guard/rules'],
  redact: [isFunction, 'a function that takes an input, such as redact of tool-approval-guard/redact'],
  describe: [isFunction, 'a function that takes a call, and returns what it shows, or undefined'],
  record: [has('connect'), 'the object returned by createRecord() of tool-approval-guard/record'],
  tools: [
    (value) => isObject(value) && !Array.isArray(value),
    'an object that contains an object for each tool',
  ],
} satisfies { readonly [Name in keyof ApprovalGuardOptions]?: Check };

function readTools(tools: NonNullable<ApprovalGuardOptions['tools']>): ReadonlyMap<string, ToolInfo> {
  // A map, so that a missing tool named `constructor` is not found.
  const known = new Map(Object.entries(tools).map(([name, info]) => [name, { ...info }]));
  for (const [name, info] of known) {
    if (!isObject(tools[name])) throw invalid(`tools.${name}`, 'an object');
    const unknown = Object.keys(info).find((field) => !Object.hasOwn(TOOL_FIELDS, field));
    if (unknown !== undefined) {
      throw new GuardError(
        'invalid-option',
        `tools.${name} has no field ${unknown}. The fields are ${Object.keys(TOOL_FIELDS).join(', ')}.`,
      );
    }
    check(info, TOOL_FIELDS, `tools.${name}.`);
  }
  return known;
}

/** A control character, or half of a surrogate pair. */
const CONTROL = /[\p{Cc}\p{Surrogate}]/u;

/** Whether a value is a name that can be recorded: plain text of 1 to 200 characters. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 200 && !CONTROL.test(value);

function isUser(value: unknown): boolean {
  const { id, name } = Object(value) as { id?: unknown; name?: unknown };
  return isName(id) && (name === undefined || isName(name));
}

let english: Pick<Settings, 'reasons' | 'ownReasons'> | undefined;

function reasonsIn(locale: Catalogue | undefined): Pick<Settings, 'reasons' | 'ownReasons'> {
  if (locale === undefined && english !== undefined) return english;
  const reasons = modelReasons(locale);
  const all = { reasons, ownReasons: causeNames.map((cause) => reasons(`reason.${cause}`)) };
  if (locale === undefined) english = all;
  return all;
}

/**
 * Checks the options.
 *
 * @throws GuardError `invalid-option`, saying which option is wrong and what it must be
 */
export function readOptions(options: ApprovalGuardOptions): Settings {
  checkGiven(options);
  check(options, OPTIONS);
  const { chatId, omitFromWire = NONE } = options;
  const { clientTools = NONE, unavailableTools = NONE } = options;
  const { expiresMs, rules, redact, record, describe, tools, user } = options;
  return {
    policy: policyNames.map((name, i) => numberOf(name, options[name], policyTakes[i])),
    limitsOutputs: options.outputMs !== undefined,
    chatId,
    user: user && { id: user.id, ...(user.name !== undefined && { name: user.name }) },
    clientTools,
    unavailableTools: unavailableTools.length === 0 ? NO_NAMES : new Set(unavailableTools),
    expiresMs,
    tools: tools === undefined ? NO_TOOLS : new Tools(readTools(tools)),
    rules,
    redact,
    describe,
    record,
    omitFromWire,
    locale: options.locale,
    ...reasonsIn(options.locale),
  };
}
