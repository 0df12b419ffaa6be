import { GuardCore } from 'virtual:glue';
import { startModule } from 'virtual:module';

import { Omission } from '../../src/web/omit.js';
import { Symbols, Vocabulary, withReasons } from '../../src/web/vocabulary.js';
import { Walker } from '../../src/web/walk.js';
import type { Describer } from '../../src/web/asking.js';
import { GuardError } from './error.js';
import { isDuration, LONGEST_WAIT, SHORTEST_WAIT, type Settings } from './options.js';
import { UNAVAILABLE } from './types/rules.js';
import type { MessageId } from './words.js';

/** What all guards share, made at the first use. */
let shared: { names: readonly (readonly string[])[]; vocabulary: Vocabulary } | undefined;

/** The core of one guard, with the walker that reads and repairs messages for it. */
export interface Engine {
  core: GuardCore;
  walker: Walker;
  /** The vocabularies of the core, in the order of `GuardCore.names`. */
  names: readonly (readonly string[])[];
  /** What leaves of the messages. */
  omission: Omission;
}

/** Says what the application knows of calls. What it throws is told to `failed`. */
function describerOf(
  settings: Settings,
  effects: readonly string[],
  dynamicTool: string,
  failed: (cause: unknown) => void,
): Describer {
  const ASK = effects.indexOf('ask');
  const { tools, expiresMs, rules, words, chatId = null } = settings;
  const asked = <T>(question: () => T, fallback: T): T => {
    try {
      return question();
    } catch (cause) {
      failed(cause);
      return fallback;
    }
  };
  return {
    describe(tool, { type, toolCallId, input }) {
      const { dangerous: danger = false, annotations } = tools.get(tool) ?? {};
      const said = typeof danger === 'function' ? asked(() => danger(input) !== false, true) : danger;
      const dangerous = said || annotations?.destructiveHint === true;
      const lifetime =
        typeof expiresMs === 'function'
          ? asked(
              () =>
                expiresMs({
                  toolName: tool,
                  dynamic: type === dynamicTool,
                  toolCallId: String(toolCallId),
                  input,
                }),
              SHORTEST_WAIT,
            )
          : expiresMs;
      if (!dangerous && lifetime === undefined) return undefined;
      if (lifetime === undefined || isDuration(lifetime, SHORTEST_WAIT, LONGEST_WAIT)) {
        return { dangerous, lifetime: lifetime ?? Infinity };
      }
      failed(new RangeError(`expiresMs answered ${String(lifetime)} for ${tool}.`));
      return { dangerous, lifetime: SHORTEST_WAIT };
    },
    judge(tool, { input }) {
      if (rules === undefined) return undefined;
      const { server, annotations } = tools.get(tool) ?? {};
      const ruling = asked(() => rules.judge({ toolName: tool, server, input, annotations }), UNAVAILABLE);
      // What is no answer is a question, and in shadow mode nothing is done.
      const effect = ruling.shadow ? ASK : effects.indexOf(ruling.effect);
      const { why } = ruling;
      return {
        effect: effect < 0 ? ASK : effect,
        denies: effects[effect] === 'deny',
        always: !ruling.shadow && (ruling.always || effect < 0),
        dangerous: !ruling.shadow && ruling.dangerous,
        rule: ruling.ruleId,
        reason: why === '' ? words.text('reason.rule') : words.text('reason.ruleWhy', { note: why }),
        ruling,
      };
    },
    identity: (tool) => [chatId, tools.get(tool)?.server ?? null],
  };
}

/**
 * Instantiates the wasm on first use, synchronously: a predicate that has to wait loses answers
 * when the user writes meanwhile.
 *
 * @throws GuardError `wasm-unavailable`
 */
export function startEngine(settings: Settings, failed: (cause: unknown) => void): Engine {
  try {
    startModule();
    const symbols = new Symbols();
    const core = new GuardCore(
      settings.flags,
      settings.maxAutomaticSends,
      symbols.of(settings.chatId),
      new Uint32Array(settings.clientTools.map((tool) => symbols.of(tool))),
      settings.undoMs,
      settings.undoMsWhenDangerous,
      settings.warnMs,
    );
    if (shared === undefined) {
      const names = GuardCore.names()
        .split('\n')
        .map((line) => line.split(' '));
      shared = { names, vocabulary: new Vocabulary(names) };
    }
    const { names, vocabulary } = shared;
    const reasons = vocabulary.causes.map((cause) => settings.words.text(`reason.${cause}` as MessageId));
    const describer = describerOf(settings, names[18] ?? [], vocabulary.dynamicTool, failed);
    return {
      core,
      walker: new Walker(core, withReasons(vocabulary, reasons), symbols, describer),
      names,
      omission: new Omission(settings.omitFromWire, vocabulary),
    };
  } catch (cause) {
    if (cause instanceof GuardError) throw cause;
    throw new GuardError(
      'wasm-unavailable',
      "The WebAssembly of tool-approval-guard could not be started. A strict Content-Security-Policy needs 'wasm-unsafe-eval' in script-src.",
      { cause },
    );
  }
}
