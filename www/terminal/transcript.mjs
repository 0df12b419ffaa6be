// What there is to read without being asked: what the assistant says, what its tools gave, and what became
// of its calls. Each thing is printed once.
import { getToolName, isToolUIPart } from 'ai';
import { inspect } from '../../pkg/escape.js';
import { literal } from './print.mjs';
import { words } from './words.mjs';

/**
 * @import { BatchView, CallView } from '../../pkg/index.js'
 * @import { Token } from '../../pkg/escape.js'
 * @import { Room } from './chat.mjs'
 * @import { Printer } from './print.mjs'
 */

/** @param {readonly Token[]} tokens */
export const joined = (tokens) => tokens.map(({ text }) => text).join('');

/** A call in a few words: its tool, and where it goes. @param {CallView} call */
export function nameOf({ label, input }) {
  const inspection = inspect(input);
  const place = inspection.type === 'shown' ? inspection.places[0] : undefined;
  return place ? `${label} ${joined(place.tokens)}` : label;
}

/** As much of a tool's output as fits on a line or two. @param {unknown} output */
function brief(output) {
  const text = literal(JSON.stringify(output) ?? 'nothing');
  return text.length > 200 ? `${text.slice(0, 200)} … and ${text.length - 200} more characters` : text;
}

export class Transcript {
  #room;
  #conversation;
  #notes;
  /** How much of each text is printed, by message and part. @type {Map<string, number>} */
  #printed = new Map();
  /** What was said of each call last. @type {Map<string, string>} */
  #said = new Map();

  /**
   * @param {Room} room
   * @param {Printer} conversation for what is said
   * @param {Printer} notes for what is said about it
   */
  constructor(room, conversation, notes) {
    this.#room = room;
    this.#conversation = conversation;
    this.#notes = notes;
    room.bus.on('change', () => this.update());
  }

  update() {
    const { chat, guard } = this.#room;
    const message = chat.lastMessage;
    if (message?.role === 'assistant') {
      for (const [index, part] of message.parts.entries()) {
        const place = `${chat.messages.length} ${index}`;
        if (part.type === 'text')
          this.#text(place, part.text, part.state !== 'streaming' || chat.status === 'ready');
        if (isToolUIPart(part)) this.#result(place, part);
      }
    }
    const { calls, batch } = guard.getSnapshot();
    for (const call of calls) this.#outcome(call);
    this.#unattended(calls, batch);
  }

  /** @param {string} place @param {string} text @param {boolean} ended */
  #text(place, text, ended) {
    // Up to the last space: what makes a character odd may be the next one, which is not there yet.
    const to = ended ? text.length : Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
    const from = this.#printed.get(place) ?? 0;
    if (to <= from) return;
    if (from === 0) this.#conversation.line('Assistant:');
    this.#conversation.quote(literal(text.slice(from, to)).replace(/\n{3,}/g, '\n\n'));
    if (ended) this.#conversation.end();
    this.#printed.set(place, to);
  }

  /** @param {string} place @param {import('../src/message.ts').DemoToolPart} part */
  #result(place, part) {
    if (this.#printed.has(place)) return;
    const name = literal(getToolName(part));
    if (part.state === 'output-available') this.#notes.line(`${name} ran: ${brief(part.output)}`, 'quiet');
    else if (part.state === 'output-error') this.#notes.line(`${name} failed: ${literal(part.errorText)}`);
    else return;
    this.#printed.set(place, 1);
  }

  /** @param {CallView} call */
  #outcome(call) {
    const key = call.approvalId ?? call.toolCallId;
    const { outcome } = words.call(call);
    if (this.#said.get(key) === outcome) return;
    this.#said.set(key, outcome);
    if (outcome && call.outcome !== 'unattended') this.#notes.line(`${nameOf(call)}: ${outcome}`);
  }

  /** One line for a batch that nobody was asked about. @param {readonly CallView[]} calls @param {BatchView} batch */
  #unattended(calls, batch) {
    if (batch.phase === 'asking' || batch.phase === 'decided') return;
    const denied = calls.filter(({ position, outcome }) => position && outcome === 'unattended');
    const key = JSON.stringify(denied.map(({ approvalId }) => approvalId));
    if (denied.length === 0 || this.#said.has(key)) return;
    this.#said.set(key, 'unattended');
    const names = new Intl.ListFormat('en').format(denied.map(nameOf));
    const verb = denied.length === 1 ? 'was' : 'were';
    this.#notes.line(`Nobody is here to answer, so ${names} ${verb} denied.`);
  }
}
