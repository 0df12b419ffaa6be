// @ts-check
// The names that the core gives, and the numbers that stand for strings.

/** The vocabularies of the core that reading and repairing need. */
export class Vocabulary {
  /** @param {readonly (readonly string[])[]} lines what `GuardCore.names()` answers, line by line */
  constructor(lines) {
    const [states = [], parts = [], roles = [], chunks = [], , repairs = []] = lines;
    const [, , , , , , , , , , actors = []] = lines;
    /** @type {Map<unknown, number>} */
    this.states = new Map(states.map((name, code) => [name, code]));
    this.states.delete('');
    this.unknownState = states.length - 1;
    const [, , requested = '', responded = '', output_ = '', outputError = '', outputDenied = ''] = states;
    this.state = { requested, responded, outputError, outputDenied };
    /** Nobody has to do anything for a call any more. @type {ReadonlySet<unknown>} */
    this.settled = new Set([output_, outputError, outputDenied]);
    this.requested = states.indexOf(requested);
    this.responded = states.indexOf(responded);
    [this.stepStart = '', this.text = '', this.dynamicTool = '', this.toolPrefix = ''] = parts;
    [this.user = '', this.assistant = ''] = roles;
    /** @type {Map<unknown, number>} */
    this.chunks = new Map(chunks.map((name, code) => [name, code]));
    const [, , inputError, request, response, output, error] = chunks;
    this.chunk = { inputError, request, response, output, error };
    this.repairs = repairs;
    /** The codes of those because of whom a message can be gone. */
    this.by = {
      edit: actors.indexOf('edit'),
      regenerate: actors.indexOf('regenerate'),
      application: actors.indexOf('application'),
    };
    this.causes = lines.at(-1) ?? [];
    /** What the model is told about a denial that no person made, by cause. @type {readonly string[]} */
    this.reasons = [];
  }
}

/** The same vocabulary, with words of its own. @param {Vocabulary} shared @param {readonly string[]} reasons @returns {Vocabulary} */
export const withReasons = (shared, reasons) =>
  Object.assign(Object.create(Vocabulary.prototype), shared, { reasons });

/** Strings and their numbers. Ids stay the strings they are: a lone surrogate survives. */
export class Symbols {
  constructor() {
    /** @type {Map<string, number>} */
    this.numbers = new Map();
    /** @type {(string | undefined)[]} */
    this.texts = [undefined];
    /** Numbers that nothing is known by any more. @type {number[]} */
    this.free = [];
  }

  /** The number of a string; 0 for anything else. @param {unknown} text */
  of(text) {
    if (typeof text !== 'string') return 0;
    let symbol = this.numbers.get(text);
    if (symbol === undefined) {
      symbol = this.free.pop() ?? this.texts.length;
      this.texts[symbol] = text;
      this.numbers.set(text, symbol);
    }
    return symbol;
  }

  /** Forgets the strings that nothing is known by. @param {ReadonlySet<number>} used */
  keep(used) {
    this.texts.forEach((text, symbol) => {
      if (text === undefined || used.has(symbol)) return;
      this.numbers.delete(text);
      this.texts[symbol] = undefined;
      this.free.push(symbol);
    });
  }
}
