// The page in which the queue is tried: a conversation, the queue, and a composer below it. Everything in it is real:
// the guard, a `Chat`, the element. Only the transport plays from a script. It is bundled by `./stage.mjs`.
import './without-eval.mjs';
import { Chat } from '@ai-sdk/react';
import { createApprovalGuard } from 'tool-approval-guard/sync';
import * as element from 'tool-approval-guard/element';
import { ar } from 'tool-approval-guard/locales/ar';
import { de } from 'tool-approval-guard/locales/de';
import { createWords } from 'tool-approval-guard/words';

import { EDITOR } from '../../pkg-template/src/text/editor-texts.ts';
import { QUEUE } from '../../pkg-template/src/text/queue-texts.ts';
import {
  finish,
  finishStep,
  gated,
  outputAvailable,
  outputDenied,
  start,
  startStep,
  text,
} from '../package/support/chunks.mjs';
import { broken, hanging, live, reject, ScriptedTransport } from '../package/support/scripted-transport.mjs';
import { installStanding, SETTLED_MS } from '../support/standing.mjs';
import { pseudo } from './pseudo.mjs';
import { STATES } from './states.mjs';

/**
 * @typedef {{ id?: string, tool?: string, input?: unknown, title?: string, reason?: string }} Asked a call that asks
 *
 * @typedef {object} Answer what the server answers to one request: what was decided is settled, and then
 * @property {string} [says] a text
 * @property {Asked[]} [asks] calls that ask, in a new step
 * @property {true} [waits] the request is on its way and stays so
 * @property {true} [hangs] the response stays open and says nothing
 * @property {true} [starts] it stays open, and has started
 * @property {true} [fails] the request fails
 * @property {true} [breaks] the response breaks before it has started
 * @property {true} [live] the test pushes the chunks, with `stage.push`
 *
 * @typedef {object} Spec what a scene is made of
 * @property {Asked[]} [calls] the first response asks for these
 * @property {string} [says] and says this before
 * @property {true} [live] or it is in the hands of the test
 * @property {true} [starts] or it has not ended yet
 * @property {true} [runs] the page goes on by itself after the first response
 * @property {Answer[]} [then] the later responses; the last one comes again
 * @property {unknown[]} [messages] what the chat starts with; then nothing is sent
 * @property {object} [options] of the guard
 * @property {'ar' | 'de' | object} [catalogue]
 * @property {Record<string, string>} [attributes] of the element
 * @property {boolean} [stop] the page can stop the chat; default true
 * @property {true} [cards] the conversation shows a card for each call, and there is no queue, or one without requests
 * @property {'app' | 'flow'} [layout] `flow`: what is said in the conversation moves the queue
 * @property {boolean} [records] the texts that the element asks for are kept
 */

const english = createWords(undefined, { ...QUEUE, ...EDITOR });

/** A value as it is passed to `text`: a number as it is, and for a text its name in braces. */
const passed = (values, name) => (typeof values[name] === 'string' ? `{${name}}` : values[name].value);

/** The English text of a message, with names in braces for its texts. */
const inEnglish = (id, values) =>
  english.text(
    id,
    new Proxy(
      {},
      {
        get: (_, name) => passed(values, name),
        getOwnPropertyDescriptor: (_, name) => ({ configurable: true, value: passed(values, name) }),
      },
    ),
  );

/** A catalogue in which `make` says every message that a person reads, from its id and its English text. */
const catalogueOf = (locale, make) => ({
  locale,
  messages: Object.fromEntries(
    Object.keys(de.messages)
      // The guard itself has these, as a text.
      .filter((id) => id !== 'prompt.quotes')
      .map((id) => [
        id,
        (values) => make(id, inEnglish(id, values)).replace(/\{(\w+)\}/g, (_, name) => values[name]),
      ]),
  ),
});

const LOCALES = {
  ar,
  de,
  // Greek, so that also numbers and times come without Latin letters.
  pseudo: catalogueOf('el', (_, text) => pseudo(text)),
};

// No style sheet and no style attribute: the policy of the page forbids both.
const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { margin: 0; background: Canvas; color: CanvasText; }
  main { max-width: 720px; margin: 0 auto; padding: 16px; }
  #conversation { max-height: 30vh; overflow: auto; margin-block-end: 16px; overflow-wrap: anywhere; }
  .flow #conversation { max-height: none; }
  .user { font-weight: bold; }
  form { display: flex; gap: 8px; margin-block-start: 16px; }
  input { flex: 1; min-width: 0; font: inherit; padding: 8px; }
  form button { font: inherit; }
`);
document.adoptedStyleSheets.push(sheet);

const { define = element.defineToolApprovalQueue } = {};
define?.();
element.defineToolApprovalCard?.();

/** Is the element there at all? */
export const ELEMENT = define !== undefined;

let chats = 0;

const chunksOf = (calls = []) =>
  calls.map(({ id, tool = 'delete_file', input = {}, title, reason }, i) =>
    gated(id ?? `c${i + 1}`, tool, input, {
      call: { ...(title !== undefined && { title }) },
      approval: { ...(reason !== undefined && { reason }) },
    }),
  );

/** What the server makes of the answers in a request. */
const settled = (request) =>
  (request.messages.at(-1)?.parts ?? [])
    .filter(({ state }) => state === 'approval-responded')
    .map(({ toolCallId, approval }) =>
      approval.approved ? outputAvailable(toolCallId, 'done') : outputDenied(toolCallId),
    );

let made = 0;

/** An entry of the script, see `scripted-transport.mjs`. */
function entry(scene, { says, asks, waits, hangs, starts, fails, breaks, live: pushed }) {
  if (fails) return reject();
  if (breaks) return broken([]);
  if (waits || hangs) return hanging();
  if (pushed) return (scene.live = live());
  return (request) => {
    const mine = request.messages.at(-1)?.role === 'assistant';
    const chunks = [
      start(mine ? undefined : `m${made++}`),
      mine ? settled(request) : [],
      startStep,
      ...(says === undefined ? [] : text(says)),
      chunksOf(asks),
    ].flat(Infinity);
    return starts ? hanging(chunks) : [...chunks, finishStep, finish()];
  };
}

/** A chat with its guard, its queue and its script. */
class Scene {
  /** @type {string[]} */
  problems = [];
  /** @type {unknown[]} */
  decisions = [];
  /** The texts that the element asked for, by id, with their English. @type {Record<string, string>} */
  texts = {};
  submitted = 0;
  subscriptions = 0;
  /** The response that the test pushes. */
  live = undefined;

  /** @param {Spec} spec @param {HTMLElement} main */
  constructor(spec, main) {
    this.spec = spec;
    this.main = main;
    const id = `chat-${chats++}`;
    const script = spec.messages ? [] : [entry(this, firstAnswer(spec))];
    const answers = [...(spec.then ?? [{ says: 'All done.' }])];
    this.transport = new ScriptedTransport(script, { cap: 100 });
    const play = this.transport.sendMessages;
    this.transport.sendMessages = async (options) => {
      const answer = this.transport.requests.length < script.length ? {} : answers[0];
      if (answer === answers[0]) {
        if (answers.length > 1) answers.shift();
        this.transport.also(entry(this, answer));
      }
      const response = await play(options);
      if (answer.waits) await new Promise(() => {});
      return response;
    };
    const catalogue = spec.records
      ? this.#recorded()
      : typeof spec.catalogue === 'string'
        ? LOCALES[spec.catalogue]
        : spec.catalogue;
    this.guard = createApprovalGuard({
      chatId: id,
      onError: (error) => this.problems.push(String(error)),
      ...spec.options,
      ...(catalogue && { locale: catalogue }),
    });
    this.chat = new Chat({
      id,
      messages: spec.messages ?? [],
      transport: this.guard.transport(this.transport),
      sendAutomaticallyWhen: this.guard.sendAutomaticallyWhen,
      onError: () => {},
    });
    this.detach = this.guard.attach(this.chat);
    this.seen = watched(this);
    this.build();
  }

  build() {
    const { spec, main } = this;
    this.conversation = Object.assign(document.createElement('div'), { id: 'conversation', tabIndex: 0 });
    this.conversation.setAttribute('role', 'log');
    // The queue has the live region of this page; a page has its own for what is said.
    this.conversation.setAttribute('aria-live', 'off');
    this.conversation.setAttribute('aria-label', 'Conversation');
    const column = document.createElement('div');
    column.className = spec.layout ?? 'app';
    this.queue = document.createElement('tool-approval-queue');
    for (const [name, value] of Object.entries(spec.attributes ?? {})) this.queue.setAttribute(name, value);
    this.queue.guard = this.seen;
    if (spec.stop !== false) this.queue.stop = () => this.chat.stop();
    (spec.cards ? column : this.queue).addEventListener('tool-approval-decide', (event) => {
      const { calls, choice, occluded, ...edit } = event.detail;
      this.decisions.push({ calls: calls.map((call) => call.toolCallId ?? call), choice, occluded, ...edit });
    });
    this.composer = document.createElement('form');
    const input = Object.assign(document.createElement('input'), { autocomplete: 'off' });
    input.setAttribute('aria-label', 'Message');
    this.composer.append(input, Object.assign(document.createElement('button'), { textContent: 'Send' }));
    this.composer.addEventListener('submit', (event) => {
      event.preventDefault();
      this.submitted += 1;
      // The message would close what waits, so this page holds it back.
      if (input.value && !this.guard.getSnapshot().batch.inputLocked) {
        void this.chat.sendMessage({ text: input.value });
        input.value = '';
      }
    });
    const queue = spec.cards && spec.attributes?.show !== 'none' ? [] : [this.queue];
    column.append(this.conversation, ...(spec.cards ? [this.buildCards()] : []), ...queue, this.composer);
    main.append(column);
    this.column = column;
    const draw = () => this.draw();
    this.chat['~registerMessagesCallback'](draw);
    draw();
  }

  /** A card for each call, each in an element of its own, as an application shows the parts of a message. */
  buildCards() {
    const place = Object.assign(document.createElement('div'), { id: 'cards' });
    const cards = new Map();
    const draw = () => {
      for (const call of this.guard.getSnapshot().calls) {
        if (cards.has(call.key)) continue;
        const card = document.createElement('tool-approval-card');
        for (const [name, value] of Object.entries(this.spec.attributes ?? {}))
          card.setAttribute(name, value);
        cards.set(call.key, card);
        Object.assign(card, { guard: this.seen, call });
        place.append(card);
      }
    };
    this.guard.subscribe(draw);
    draw();
    return place;
  }

  draw() {
    this.conversation.replaceChildren(
      ...this.chat.messages.flatMap((message) =>
        message.parts
          .filter((part) => part.type === 'text' && part.text)
          .map((part) =>
            Object.assign(document.createElement('p'), { className: message.role, textContent: part.text }),
          ),
      ),
    );
    this.conversation.scrollTop = this.conversation.scrollHeight;
  }

  /** A catalogue in English that keeps the texts that the element asks for. */
  #recorded() {
    return catalogueOf('en', (id, text) => (this.texts[id] = text));
  }

  /** Waits until no response streams and nothing is to be sent. */
  async settle() {
    for (let quiet = 0, i = 0; quiet < 4; i++) {
      if (i > 2000) throw new Error('the scene did not settle');
      await new Promise((resolve) => setTimeout(resolve, 0));
      const still = this.chat.status === 'ready' || this.chat.status === 'error';
      quiet = still && !this.transport.busy ? quiet + 1 : 0;
    }
  }

  /** Waits until `done` holds. @param {() => boolean} done */
  async until(done, what = 'what was awaited') {
    const end = performance.now() + 30_000;
    while (!done()) {
      if (performance.now() > end) throw new Error(`it did not come: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Pushes chunks into the response that is in the hands of the test. */
  push(...chunks) {
    this.live.push(...chunks);
  }

  call(toolCallId) {
    return this.guard
      .getSnapshot()
      .calls.filter((call) => call.toolCallId === toolCallId)
      .at(-1);
  }

  /** Opens the editor of a card, and types into its fields. @param {Record<string, string>} typed */
  async edit(toolCallId, typed = {}) {
    const card = this.column
      .querySelector('tool-approval-queue, tool-approval-card')
      .shadowRoot.querySelector(`[data-call="${toolCallId}"]`);
    const button = card.querySelector('[part~="edit"]');
    button.focus();
    button.click();
    await this.until(() => card.querySelector('[part="editor"]') !== null, 'the editor');
    for (const [name, text] of Object.entries(typed)) {
      const label = [...card.querySelectorAll('[part="editor"] label')].find(
        ({ textContent }) => textContent === name,
      );
      const control = card.querySelector(`#${label.htmlFor}`);
      control.value = text;
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }

  /** Decides as the application could, without the element. */
  decide(toolCallId, choice, options) {
    return this.guard.decide(this.call(toolCallId), choice, options);
  }

  close() {
    this.detach();
    this.column.remove();
    void this.chat.stop();
    this.guard.dispose();
  }
}

const firstAnswer = (spec) =>
  spec.live ? { live: true } : { says: spec.says, asks: spec.calls, ...(spec.starts && { starts: true }) };

/** The guard with counted subscriptions. */
function watched(scene) {
  const { guard } = scene;
  return Object.create(guard, {
    subscribe: {
      value: (listener) => {
        scene.subscriptions += 1;
        const end = guard.subscribe(listener);
        let ended = false;
        return () => {
          if (!ended) scene.subscriptions -= 1;
          ended = true;
          end();
        };
      },
    },
  });
}

const main = document.createElement('main');
document.body.append(main);
const standing = installStanding(SETTLED_MS);

const stage = {
  ELEMENT,
  STATES,
  chunks: { start, startStep, finishStep, finish, text, gated, outputAvailable, outputDenied },
  createApprovalGuard,
  define,
  locales: LOCALES,
  pressedAt: 0,
  standing,
  /** @type {Scene[]} */
  scenes: [],
  /** The scene that was opened last. */
  get scene() {
    return stage.scenes.at(-1);
  },

  /** Opens one more scene on the page. @param {Spec} spec */
  async add(spec) {
    const scene = new Scene(spec, main);
    stage.scenes.push(scene);
    if (!spec.messages) {
      const sent = scene.chat.sendMessage({ text: 'Please tidy up.' });
      void sent.catch(() => {});
      if (spec.live) {
        await scene.until(() => scene.live !== undefined && scene.transport.busy, 'the first request');
        await scene.live.started;
        scene.push(start(`m${made++}`), startStep);
      } else if (spec.starts || spec.runs) {
        const calls = spec.calls?.length ?? 0;
        await scene.until(() => scene.guard.getSnapshot().calls.length >= calls, 'the calls');
      } else {
        await scene.settle();
      }
    }
    return scene;
  },

  /** Opens a scene in the place of all others. @param {Spec} spec */
  async open(spec) {
    stage.clear();
    return stage.add(spec);
  },

  clear() {
    for (const scene of stage.scenes.splice(0)) scene.close();
  },

  /**
   * What tests have left of the page without their scenes: it is as it was loaded, or it is but somebody has pressed, which
   * changes what the browser does with the focus, or it is changed.
   */
  left: () => (pageState() !== asLoaded ? 'changed' : stage.pressedAt > 0 ? 'pressed' : 'as loaded'),

  /** Brings the queue into one of its states. @param {string} name */
  async show(name, more = {}) {
    await STATES[name](stage, more);
  },
};
Object.assign(window, { stage });

/** What a test can have changed in the page. */
function pageState() {
  const { documentElement: html, body, adoptedStyleSheets } = document;
  // What axe leaves behind helps the next scene.
  const names = Object.getOwnPropertyNames(window).filter((name) => !/^axe|^__core-js/.test(name));
  const inside = [html.cloneNode(false), body].map((element) => element.outerHTML);
  return JSON.stringify([...inside, adoptedStyleSheets.length, scrollX, scrollY, ...names]);
}
const asLoaded = pageState();

// When a person last pressed, by the clock of the browser: a test that wants to be quick knows whether it was.
for (const type of ['pointerdown', 'keydown']) {
  window.addEventListener(
    type,
    (event) => {
      stage.pressedAt = event.timeStamp;
    },
    true,
  );
}
