// Tells the core what leaves, and asks it what the server does not have.
import type { UIMessage } from 'ai';

import { digestOf, INPUT_BUDGET, NO_DIGEST, type Digest } from '../chat/digest.js';
import { isBlankText, partsOf } from '../chat/part.js';
import { isObject, type Fields } from '../objects.js';
import type { Engine } from '../engine/engine.js';
import {
  adoptFact,
  carriedFact,
  lackingFact,
  RoleName,
  unsentFact,
  type ListedRow,
  type UnsentEffect,
} from '../generated/abi.js';

/** The lists of one guard that have left. Until somebody asks, nothing is told to the core. */
export class Unsent<M extends UIMessage> {
  #isTracking = false;
  /** The last list that has left. */
  #latest: { request: number; messages: readonly M[] } | undefined;
  /** The digests of the messages that are not the model's. */
  readonly #contents = new WeakMap<object, Digest>();

  /** Notes a list that leaves. */
  note(engine: Engine, request: number, messages: readonly M[]): void {
    this.#latest = { request, messages };
    if (this.#isTracking) this.#carry(engine);
  }

  #carry(engine: Engine): void {
    const latest = this.#latest;
    if (latest === undefined) return;
    const list = this.#list(engine, latest.messages);
    carriedFact(engine.core.facts, { request: latest.request, list });
  }

  #list({ ids, transcript }: Engine, messages: readonly M[]): ListedRow[] {
    return (messages as readonly unknown[]).map((message, index) => {
      const fields: Fields = isObject(message) ? message : {};
      const assistant = fields.role === RoleName.Assistant;
      const content = assistant ? NO_DIGEST : this.#contentOf(fields);
      const parts = assistant ? [...transcript.listedParts(fields, index)] : [];
      return { message: ids.of(fields.id), assistant, content, parts };
    });
  }

  /** Tells the core that these messages come from the server. */
  adopt({ core, ids, transcript }: Engine, given: readonly M[]): void {
    const all = (given as readonly unknown[]).filter(isObject);
    const isAnswer = (message: Fields) => message.role === RoleName.Assistant;
    const parts = all.filter(isAnswer).flatMap((message) => [...transcript.adopted(message)]);
    const others = all.filter((message) => !isAnswer(message));
    const messages = others.map((it) => ({ message: ids.of(it.id), content: this.#contentOf(it) }));
    adoptFact(core.facts, { messages, parts });
    transcript.tellAnsweredAgain();
  }

  #contentOf(message: Fields): Digest {
    let content = this.#contents.get(message);
    if (content === undefined) {
      content = digestOf(message.parts, INPUT_BUDGET);
      this.#contents.set(message, content);
    }
    return content;
  }

  /** The index of the first message that the server needs, and what is new. */
  ask(engine: Engine, messages: readonly M[]): UnsentEffect {
    if (!this.#isTracking) {
      this.#isTracking = true;
      this.#carry(engine);
    }
    unsentFact(engine.core.facts, { list: this.#list(engine, messages) });
    return engine.core.apply().unsent ?? { from: 0, news: [] };
  }

  /** Looks for what is new in the body of a request, and tells the core what is not there. */
  check(engine: Engine, request: number, messages: readonly M[], body: unknown): void {
    if ((Object(body) as { messages?: unknown }).messages === messages) return;
    const { news } = this.ask(engine, messages);
    const text = news.length > 0 ? textOf(body) : undefined;
    if (text === undefined) return;
    for (const { index, call } of news) {
      const message = messages[index] as unknown as Fields;
      const isThere = call === 0 ? hasMessage(text, message) : hasCall(engine, text, call);
      if (!isThere) lackingFact(engine.core.facts, { request, message: engine.ids.of(message.id), call });
    }
  }
}

/** The text of a body; `undefined` if it cannot be read. */
function textOf(body: unknown): string | undefined {
  try {
    return typeof body === 'string' ? body : JSON.stringify(body);
  } catch {
    return undefined;
  }
}

/** Whether a text has this string as a value. */
const has = (text: string, value: unknown): boolean =>
  typeof value === 'string' && text.includes(JSON.stringify(value));

/** Whether a text has a message of the user, by its id or by one of its texts. One that says nothing need not be there. */
function hasMessage(text: string, message: Fields): boolean {
  if (message.role !== RoleName.User || has(text, message.id)) return true;
  const parts = partsOf(message).filter((part) => isObject(part)) as Fields[];
  const texts = parts.filter((part) => !isBlankText(part.text));
  return (
    parts.every((part) => part.type === 'text' && isBlankText(part.text)) ||
    texts.some((part) => has(text, part.text))
  );
}

/** Whether a text has a call, by the id of its approval or by its own. */
function hasCall({ memory }: Engine, text: string, call: number): boolean {
  const { facts } = memory.of(call);
  return facts === undefined || has(text, facts.approvalId) || has(text, facts.toolCallId);
}
