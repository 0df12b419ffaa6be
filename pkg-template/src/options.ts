import { GuardError } from './error.js';
import { causeNames, LONGEST_WAIT, policyNames, policyTakes, SHORTEST_WAIT } from './generated/abi.js';
import { checkGiven, invalid } from './options-given.js';
import type { Covers, ToolInfo } from './prompt.js';
import type { User } from './types/events.js';
import type { ApprovalRecord } from './types/record.js';
import type { ApprovalRules } from './types/rules.js';
import type { ApprovalGuardOptions } from './types.js';
import type { Catalogue } from './text/catalogue.js';
import { modelReasons, type ModelReasons } from './text/model-reasons.js';
import { Tools } from './tools-option.js';

/** The options with their defaults, in the form of the core. */
export interface Settings {
  /** The options by which the core decides, as it takes them. */
  policy: readonly number[];
  sendEach: boolean;
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

/** What most guards have, so that they share it. */
const NO_LIST: readonly never[] = [];
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

/** Whether a value describes what a lasting choice covers. */
export function isCovers(value: unknown): value is Covers {
  if (value === 'input' || value === 'tool') return true;
  return isFields(value);
}

/** Whether a value is a list of names of fields. */
function isFields(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((field) => typeof field === 'string' && field !== '')
  );
}

const TOOL_FIELDS = new Set([
  'title',
  'server',
  'dangerous',
  'covers',
  'annotations',
  'editable',
  'inputSchema',
  'signsAgain',
] satisfies (keyof ToolInfo)[]);

function readTools(tools: NonNullable<ApprovalGuardOptions['tools']>): ReadonlyMap<string, ToolInfo> {
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools)) {
    throw invalid('tools', 'an object that contains an object for each tool');
  }
  // A map, so that a missing tool named `constructor` is not found.
  const known = new Map(Object.entries(tools).map(([name, info]) => [name, { ...info }]));
  for (const [name, info] of known) {
    const given: unknown = tools[name];
    if (typeof given !== 'object' || given === null) throw invalid(`tools.${name}`, 'an object');
    const unknown = Object.keys(info).find((field) => !TOOL_FIELDS.has(field as keyof ToolInfo));
    if (unknown !== undefined) {
      throw new GuardError(
        'invalid-option',
        `tools.${name} has no field ${unknown}. The fields are ${[...TOOL_FIELDS].join(', ')}.`,
      );
    }
    const { title, server, dangerous, covers, annotations, editable, inputSchema, signsAgain } = info;
    for (const [field, text] of Object.entries({ title, server })) {
      if (text !== undefined && typeof text !== 'string') throw invalid(`tools.${name}.${field}`, 'a string');
    }
    if (dangerous !== undefined && typeof dangerous !== 'boolean' && typeof dangerous !== 'function') {
      throw invalid(`tools.${name}.dangerous`, 'true, false or a function that takes the input');
    }
    if (annotations !== undefined && (typeof annotations !== 'object' || annotations === null)) {
      throw invalid(`tools.${name}.annotations`, 'an object with annotations');
    }
    if (signsAgain !== undefined && typeof signsAgain !== 'boolean') {
      throw invalid(`tools.${name}.signsAgain`, 'true or false');
    }
    const isEditable = typeof editable === 'boolean' || typeof editable === 'function' || isFields(editable);
    if (editable !== undefined && !isEditable) {
      throw invalid(
        `tools.${name}.editable`,
        'true, a list of field names or a function that takes the input',
      );
    }
    if (inputSchema !== undefined && (typeof inputSchema !== 'object' || inputSchema === null)) {
      throw invalid(`tools.${name}.inputSchema`, 'a JSON schema as an object');
    }
    if (covers !== undefined && !isCovers(covers)) {
      throw invalid(`tools.${name}.covers`, "'input', 'tool' or a list of field names");
    }
  }
  return known;
}

/** A control character, or half of a surrogate pair. */
const CONTROL = /[\p{Cc}\p{Surrogate}]/u;

/** Whether a value is a name that can be recorded: plain text of 1 to 200 characters. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 200 && !CONTROL.test(value);

function readUser(user: ApprovalGuardOptions['user']): User | undefined {
  if (user === undefined) return undefined;
  const { id, name }: { id?: unknown; name?: unknown } = Object(user);
  if (!isName(id) || (name !== undefined && !isName(name)))
    throw invalid(
      'user',
      'an object { id, name }, with plain text of at most 200 characters; name can be left out',
    );
  return name === undefined ? { id } : { id, name };
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
  const { chatId, omitFromWire = NO_LIST } = options;
  const { clientTools = NO_LIST, unavailableTools = NO_LIST } = options;
  for (const [name, tools] of Object.entries({ clientTools, unavailableTools })) {
    if (name === 'clientTools' && typeof tools === 'function') continue;
    if (!Array.isArray(tools) || !tools.every((tool) => typeof tool === 'string')) {
      throw invalid(
        name,
        `an array of tool names${name === 'clientTools' ? ', or a function that takes one' : ''}`,
      );
    }
  }
  if (
    !Array.isArray(omitFromWire) ||
    !omitFromWire.every((pattern) => typeof pattern === 'string' && pattern)
  ) {
    throw invalid('omitFromWire', 'an array of tool names, in which a star stands for any text');
  }
  const { expiresMs } = options;
  if (
    expiresMs !== undefined &&
    typeof expiresMs !== 'function' &&
    !isDuration(expiresMs, SHORTEST_WAIT, LONGEST_WAIT)
  ) {
    throw invalid(
      'expiresMs',
      `a number of milliseconds from ${SHORTEST_WAIT} to ${LONGEST_WAIT}, or a function`,
    );
  }
  const user = readUser(options.user);
  const { rules, redact, record, describe } = options;
  if (rules !== undefined && typeof (rules as Partial<ApprovalRules> | null)?.judge !== 'function') {
    throw invalid('rules', 'the object returned by createRules() of tool-approval-guard/rules');
  }
  if (redact !== undefined && typeof redact !== 'function') {
    throw invalid('redact', 'a function that takes an input, such as redact of tool-approval-guard/redact');
  }
  if (describe !== undefined && typeof describe !== 'function') {
    throw invalid('describe', 'a function that takes a call, and returns what it shows, or undefined');
  }
  if (record !== undefined && typeof (record as Partial<ApprovalRecord> | null)?.connect !== 'function') {
    throw invalid('record', 'the object returned by createRecord() of tool-approval-guard/record');
  }
  return {
    policy: policyNames.map((name, i) => numberOf(name, options[name], policyTakes[i])),
    sendEach: options.sendEach === true,
    limitsOutputs: options.outputMs !== undefined,
    chatId,
    user,
    clientTools,
    unavailableTools: unavailableTools.length === 0 ? NO_NAMES : new Set(unavailableTools),
    expiresMs,
    tools: options.tools === undefined ? NO_TOOLS : new Tools(readTools(options.tools)),
    rules,
    redact,
    describe,
    record,
    omitFromWire,
    locale: options.locale,
    ...reasonsIn(options.locale),
  };
}
