// Creates the engine of one guard: its core, and what reads and repairs messages for it.
import { ApprovalFacts, type Describer } from '../chat/approval-facts.js';
import { ClientTools } from '../chat/client-tools.js';
import { CallMemory } from '../chat/call-memory.js';
import { Descriptions } from '../chat/description.js';
import { Fingerprints } from '../chat/fingerprints.js';
import { Omission } from '../chat/omission.js';
import { callIn, toolNameOf, type PartFacts } from '../chat/part.js';
import { isObject } from '../objects.js';
import { Repairs } from '../chat/repairs.js';
import { ChunkReader } from '../chat/stream.js';
import { StringIds } from '../chat/string-ids.js';
import { TranscriptReader } from '../chat/transcript.js';
import {
  Effect,
  effectNames,
  LONGEST_WAIT,
  optionsRow,
  SHORTEST_WAIT,
  StatusField,
  Table,
} from '../generated/abi.js';
import { unavailable } from '../module/start.js';
import { isDuration, type Settings } from '../options.js';
import { CallKeys } from './call-keys.js';
import { Core, type Effects, type Wakeable } from './core.js';
import type { Reference } from '../lifetime.js';
import { UNAVAILABLE, type Ruling } from '../types/rules.js';

/** The core of one guard, and the objects that read and repair messages for it. */
export interface Engine {
  readonly core: Core;
  readonly ids: StringIds;
  readonly keys: CallKeys;
  readonly memory: CallMemory;
  readonly fingerprints: Fingerprints;
  readonly approvals: ApprovalFacts;
  readonly stream: ChunkReader;
  readonly transcript: TranscriptReader;
  readonly repairs: Repairs;
  readonly omission: Omission;
  readonly clientTools: ClientTools;
  readonly descriptions: Descriptions;
}

/** Receives the errors that the application throws. */
export interface Failures {
  failed(cause: unknown): void;
}

/** Asks the application about calls. */
class Application implements Describer {
  readonly #settings: Settings;
  readonly #failures: Failures;

  constructor(settings: Settings, failures: Failures) {
    this.#settings = settings;
    this.#failures = failures;
  }

  #ask<T>(ask: () => T, fallback: T): T {
    try {
      return ask();
    } catch (cause) {
      this.#failures.failed(cause);
      return fallback;
    }
  }

  /** Whether the function `clientTools` says that a tool runs in the page. In doubt it does, because then it is not sent early. */
  readonly runsHere = (tool: string): boolean =>
    this.#ask(() => {
      const { clientTools } = this.#settings;
      const says: unknown = typeof clientTools === 'function' ? clientTools(tool) : undefined;
      if (typeof says === 'boolean') return says;
      throw new TypeError(
        `clientTools returned ${String(says)} for ${tool}, which is neither true nor false.`,
      );
    }, true);

  describe(facts: PartFacts) {
    const { tools, expiresMs } = this.#settings;
    const dangerous = tools.isDangerous(facts, (danger) =>
      this.#ask(() => danger(facts.input) !== false, true),
    );
    const lifetime =
      typeof expiresMs === 'function' ? this.#ask(() => expiresMs(callIn(facts)), SHORTEST_WAIT) : expiresMs;
    if (lifetime === undefined || isDuration(lifetime, SHORTEST_WAIT, LONGEST_WAIT)) {
      return { dangerous, lifetime };
    }
    const sentence = `expiresMs returned ${String(lifetime)} for ${toolNameOf(facts)}, which is not a valid time.`;
    this.#failures.failed(new RangeError(sentence));
    // The core replaces an invalid value.
    return { dangerous, lifetime: NaN };
  }

  judge(facts: PartFacts) {
    const { tools, rules, reasons } = this.#settings;
    if (rules === undefined) return undefined;
    const { input } = facts;
    const [server, annotations] = [tools.serverOf(facts), tools.annotationsOf(facts)];
    const ruling = this.#ask(() => {
      const ruling: unknown = rules.judge({ toolName: toolNameOf(facts), server, input, annotations });
      if (!isObject(ruling)) throw new TypeError('The rules returned no ruling.');
      return ruling as unknown as Ruling;
    }, UNAVAILABLE);
    // In shadow mode the rules have no effect.
    const effect = ruling.shadow ? Effect.Ask : effectNames.indexOf(ruling.effect);
    const { why } = ruling;
    return {
      effect,
      denies: effect === Effect.Deny,
      always: !ruling.shadow && ruling.always,
      dangerous: !ruling.shadow && ruling.dangerous,
      rule: ruling.ruleId,
      reason: why === '' ? reasons('reason.rule') : reasons('reason.ruleWhy', why),
      ruling,
    };
  }
}

/**
 * Instantiates the wasm on first use. This is synchronous, because a predicate that has to wait loses answers
 * if the user writes a message meanwhile.
 *
 * @throws GuardError `wasm-unavailable`
 */
export function startEngine(settings: Settings, failures: Failures, owner: Reference<Wakeable>): Engine {
  try {
    const ids = new StringIds();
    const { clientTools } = settings;
    const core = new Core((facts) => {
      optionsRow(facts, {
        policy: settings.policy,
        chat: ids.of(settings.chatId),
        user: ids.of(settings.user?.id),
        clientTools: typeof clientTools === 'function' ? [] : clientTools.map((tool) => ids.of(tool)),
        unavailableTools: [...settings.unavailableTools].map((tool) => ids.of(tool)),
      });
    }, owner);
    const { ownReasons, tools, chatId = null } = settings;
    const describer = new Application(settings, failures);
    const runsHere = typeof clientTools === 'function' ? describer.runsHere : undefined;
    const toolsOfPage = new ClientTools(core, ids, runsHere);
    const stream = new ChunkReader(core, ids, toolsOfPage);
    const memory = new CallMemory(ids, ownReasons, stream);
    const fingerprints = new Fingerprints(core, ids, chatId, tools);
    const descriptions = new Descriptions(settings.describe, failures);
    const approvals = new ApprovalFacts(core, ids, memory, fingerprints, describer, descriptions);
    const transcript = new TranscriptReader(core, ids, ownReasons, tools, memory, approvals, toolsOfPage);
    const repairs = new Repairs(core, transcript, memory, ownReasons);
    const omission = new Omission(settings.omitFromWire);
    return {
      core,
      ids,
      keys: new CallKeys(),
      memory,
      fingerprints,
      approvals,
      stream,
      transcript,
      repairs,
      omission,
      clientTools: toolsOfPage,
      descriptions,
    };
  } catch (cause) {
    throw unavailable('tool-approval-guard', cause);
  }
}

/** Passes the waiting facts to the core, and also the whole list if a call is not in its old place. */
export function tell({ core, transcript }: Engine): Readonly<Effects> {
  const effects = core.apply();
  if (transcript.isDisplaced) {
    transcript.readWhole();
    core.apply();
  }
  return effects;
}

/** Drops what the core has dropped: the calls below a number. */
export function prune({ core, memory, ids, fingerprints, transcript, stream }: Engine, first: number): void {
  memory.prune(first);
  const used = new Set(core.read(Table.Strings));
  transcript.collectIds(used);
  ids.keep(used);
  fingerprints.keep(new Set(core.read(Table.Fingerprints)));
  stream.prune();
}

/** Whether this is the chat of the guard, as far as it is known. */
export function isChatOf({ core, ids }: Engine, chatId: unknown): boolean {
  const chat = core.get(StatusField.Chat);
  return chat === 0 || chat === ids.of(chatId);
}
