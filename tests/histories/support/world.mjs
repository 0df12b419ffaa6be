// Plays a history: one chat with one or two pages, its server, and what the person and the application do.
import { clock } from './clock.mjs';
import { Laws } from './laws.mjs';
import { Page } from './page.mjs';
import { SERVER_TOOLS } from './replies.mjs';
import { Server } from './server.mjs';
import { isTool, nameOf, toolParts, Truth } from './truth.mjs';
import { heldEntry } from '../../support/late-engine.mjs';
import { storageOf } from '../../support/storage.mjs';

const copy = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
/** One of a list, by a number of any size. */
const pick = (list, at = 0) => (list.length > 0 ? list[at % list.length] : undefined);

/** How long each transaction of a storage takes that answers with promises. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

/** No module is ever let go, so a run has only so many entries of its own whose engine comes late. */
const MOST_ENTRIES = 500;
let entries = 0;

async function lateEngine() {
  if (entries >= MOST_ENTRIES) return undefined;
  entries += 1;
  return heldEntry();
}

/** How far the time passes at the end, in milliseconds: longer than any pause of the guard but a deadline. */
const END = 8_000;

class World {
  pages = [];
  /** The lists that the pages have had, also those that are closed. */
  lists = [];
  /** How often everything has happened that needs no time. */
  turns = 0;
  #texts = 0;

  /** @param late an entry whose engine comes in the course of the history; `undefined`: it is there */
  constructor(sdk, { options = {}, replies = [] }, late) {
    this.sdk = sdk;
    this.late = late;
    this.options = options;
    this.laws = new Laws(this);
    this.truth = new Truth(this.laws);
    this.server = new Server(sdk, replies, this.truth, SERVER_TOOLS);
    this.storage = options.record
      ? storageOf(new Map(), options.record === 'now' ? undefined : pause)
      : undefined;
    this.open([]);
  }

  open(messages, number = this.pages.length) {
    const page = new Page(this, number, {
      messages,
      storage: this.storage,
      name: `p${number}${this.laws.pages}`,
    });
    this.laws.pages += 1;
    this.pages[number] = page;
    return page;
  }

  /** Lets everything happen that needs no time, and looks. */
  async turn(ms = 0) {
    this.turns += 1;
    if (this.late && this.turns > this.options.engine) await this.#arrive();
    await clock.pass(ms);
    for (const response of this.server.open) if (response.breaks) response.break();
    await clock.turn();
    for (const page of this.pages) {
      page.render();
      page.remember();
    }
    await clock.turn();
    this.laws.check('looked');
  }

  /** The engine is there. */
  async #arrive() {
    const { load } = this.late;
    this.late = undefined;
    this.truth.saw('an engine that comes late');
    load();
    await Promise.all(this.pages.filter(({ isClosed }) => !isClosed).map(({ guard }) => guard.ready));
  }

  /** Lets all responses end, and all timers fire. */
  async settle() {
    if (this.late) await this.#arrive();
    for (let i = 0; i < 30; i += 1) {
      await this.turn(10);
      const [response] = this.server.open;
      if (response === undefined) break;
      response.push();
    }
    await clock.pass(END);
    for (let i = 0; i < 30 && this.server.open.length > 0; i += 1) {
      for (const response of this.server.open) response.push();
      await this.turn(10);
    }
    await this.turn(10);
    // As the guides tell an application that sets lists.
    for (const { isClosed, guard, messages } of this.pages) if (!isClosed) guard.observe(messages);
    await this.turn(10);
  }

  // ---- what the person and the application do -----------------------------------------------

  /** Carries out one act of a history. */
  do({ do: act, tab = 0, ...given }) {
    const page = pick(this.pages, tab);
    const done = this[act](page, given);
    Promise.resolve(done).catch((error) => page.errors.push(error));
  }

  say(page, { text = `u${(this.#texts += 1)}` } = {}) {
    const { chat } = page;
    if (chat.status === 'submitted' || chat.status === 'streaming')
      this.truth.saw('a message overlaps a response');
    if (toolParts(chat.messages).some(({ state }) => state === 'approval-requested')) {
      this.truth.saw('a message over a question');
    }
    const said = this.truth.act(page, 'say', { text, errors: page.errors.length });
    return chat.sendMessage({ text }).catch((error) => {
      said.isTold = true;
      throw error;
    });
  }

  /** A person changes the input of a call, and allows it. */
  correct(page, given) {
    return this.decide(page, { ...given, choice: 'allow-once', changes: true });
  }

  decide(page, { at, choice = 'allow-once', covers, wild = false, source, changes = false }) {
    const calls = page.calls;
    // Mostly those whose input may be changed.
    const isFree = ({ approvalId }) => this.truth.questions.get(approvalId)?.fields.signature === undefined;
    const waiting = calls.filter((call) => call.waiting && (!changes || isFree(call)));
    const call = pick(wild || waiting.length === 0 ? calls : waiting, at);
    if (call === undefined) return;
    const isLasting = choice.endsWith('chat');
    const keys = new Map(calls.map((one) => [one.key, one.approvalId]));
    const shown = this.truth.shownInput(page, call.approvalId);
    const input = changes ? { ...shown, changed: this.truth.acts.length } : undefined;
    const done = this.truth.act(page, 'decide', {
      approvalId: call.approvalId,
      status: call.status,
      mayHaveRun: call.mayHaveRun,
      choice,
      covers: covers ?? 'input',
      source: source && !isLasting,
      shown,
      input,
      result: {},
      also: [],
    });
    const result = page.guard.decide(call, choice, {
      ...(covers && isLasting && { covers }),
      ...(source && !isLasting && { source: 'program' }),
      ...(changes && { input }),
    });
    done.result = result;
    done.also = (result.also ?? []).map((key) => keys.get(key));
    this.truth.saw(`${changes ? 'a changed input' : `decide ${choice}`}: ${result.type}`);
    this.laws.check('refused', page, done);
    if (changes) this.laws.check('changed', done);
  }

  answer(page, { at, approved }) {
    const asking = toolParts(page.messages).filter(({ state }) => state === 'approval-requested');
    const part = pick(asking, at);
    if (part === undefined) return;
    const call = page.calls.find(({ approvalId }) => approvalId === part.approval.id);
    const { approval, input: shown } = part;
    this.truth.act(page, 'answer', { approvalId: approval.id, approved, status: call?.status, shown });
    this.truth.saw(approved ? 'an Allow through the chat' : 'a Deny through the chat');
    return page.chat.addToolApprovalResponse({ id: part.approval.id, approved });
  }

  put(page, { at, wild = false, error = false }) {
    // No page has an output for a call that the provider runs.
    const parts = toolParts(page.messages).filter(({ providerExecuted }) => !providerExecuted);
    const waiting = parts.filter((part) => this.laws.calls.waitsForPage(part));
    const part = pick(wild || waiting.length === 0 ? parts : waiting, at);
    if (part === undefined) return;
    const number = this.truth.acts.length;
    const before = { state: part.state, approval: copy(part.approval ?? null) };
    this.truth.act(page, 'put', { part, before, value: error ? `e${number}` : { page: number }, error });
    if (part.state === 'approval-requested') this.truth.saw('an output over a question');
    if (part.approval?.approved === false) this.truth.saw('an output over a denial');
    const named = { tool: nameOf(part), toolCallId: part.toolCallId };
    return page.chat.addToolOutput(
      error
        ? { ...named, state: 'output-error', errorText: `e${number}` }
        : { ...named, output: { page: number } },
    );
  }

  undo(page, { at, all = false }) {
    const drafted = page.calls.filter((call) => call.can.undo);
    const call = pick(drafted, at);
    const keys = new Map(page.calls.map((one) => [one.key, one.approvalId]));
    if (call === undefined && !all) return;
    const done = this.truth.act(page, 'undo', { undone: [] });
    const result = all ? page.guard.undoAll() : page.guard.undo(call);
    done.undone = (result.keys ?? []).map((key) => keys.get(key));
    if (result.type === 'undone') this.truth.saw('an undo');
  }

  revoke(page) {
    this.truth.act(page, 'revoke');
    page.guard.revokeAll();
  }

  commit(page) {
    const done = this.truth.act(page, 'commit');
    done.result = page.guard.commit();
  }

  /** A person asks to send. What is still going on from an earlier press may be what this one is told of. */
  #pressed(page, act) {
    const going = this.truth.acts.find((one) => one.page === page && one.isGoing);
    const done = this.truth.act(page, act, { isGoing: true });
    done.since = going?.since ?? done.at;
    // The guard may be sending what the chat did not ask about: that is what is pressed for.
    done.isSending = page.requests.some(({ isContinued, response }) => isContinued && !response?.isOver);
    return done;
  }

  async retry(page) {
    const done = this.#pressed(page, 'retry');
    done.result = await page.guard.retry();
    done.isGoing = false;
    this.laws.check('permitted', page, done);
    if (done.result.type === 'sent') this.truth.saw('a retry');
  }

  async resume(page) {
    const done = this.#pressed(page, 'resume');
    done.result = await page.guard.resume();
    done.isGoing = false;
    this.laws.check('permitted', page, done);
    if (done.result.type === 'sent') this.truth.saw('a resume');
  }

  go(page) {
    if (page.chat.lastMessage === undefined) return;
    this.truth.act(page, 'go');
    return page.chat.sendMessage();
  }

  regenerate(page) {
    if (page.messages.length < 2) return;
    this.truth.act(page, 'regenerate');
    this.truth.saw('a regeneration');
    return page.chat.regenerate();
  }

  edit(page, { at }) {
    const message = pick(
      page.messages.filter(({ role }) => role === 'user'),
      at,
    );
    if (message === undefined) return;
    const text = `u${(this.#texts += 1)}`;
    this.truth.act(page, 'edit', { text, errors: page.errors.length });
    this.truth.saw('an edit');
    if (page.calls.some(({ status }) => status === 'drafted')) this.truth.saw('an edit with drafts');
    return page.chat.sendMessage({ text, messageId: message.id });
  }

  stop(page) {
    const isPressed = this.truth.acts.some((one) => one.page === page && one.isGoing);
    if (isPressed) this.truth.saw('a stop during a press');
    if (this.truth.unsent.some((one) => one.page === page)) this.truth.saw('a stop while a request waits');
    this.truth.act(page, 'stop');
    if (page.calls.some(({ status }) => status === 'drafted')) this.truth.saw('a stop with drafts');
    return page.chat.stop();
  }

  /** @param none whether the server has nothing to resume any more */
  reconnect(page, { none = false }) {
    // A page resumes what it does not read already.
    if (!['ready', 'error'].includes(page.chat.status)) return;
    page.resumesNothing = none;
    if (none) this.truth.saw('nothing is resumed');
    return page.chat.resumeStream();
  }

  /** The application sets another list. */
  list(page, { how, at }) {
    const { messages } = page;
    if (messages.length === 0 && how !== 'elsewhere') return;
    let next;
    const older = pick(page.lists.slice(0, -1), at);
    if (how === 'older' && older) next = older.list;
    else if (how === 'stored' && older) next = copy(older.copy);
    else if (how === 'elsewhere') {
      const others = this.lists.filter((one) => one.page !== page);
      next = copy(pick(others, at)?.copy);
    } else if (how === 'copied') next = copy(messages);
    else if (how === 'pruned') next = messages.filter((_, i) => i !== at % messages.length);
    else if (how === 'cut') next = messages.slice(0, -1);
    else if (how === 'parts') {
      next = messages.map((message, i) =>
        i === messages.length - 1 && message.parts.length > 1
          ? {
              ...message,
              parts: message.parts.filter((part, k) => k !== at % message.parts.length || !isTool(part)),
            }
          : message,
      );
    } else if (how === 'reordered') {
      next = messages.map((message) => {
        if (message.role !== 'assistant') return message;
        const tools = message.parts.filter(isTool).reverse();
        return { ...message, parts: message.parts.map((part) => (isTool(part) ? tools.shift() : part)) };
      });
    }
    if (next === undefined) return;
    this.truth.act(page, 'list', { how });
    this.truth.saw(`a list that is ${how}`);
    page.chat.messages = next;
  }

  /** The application gets the list of the server, and says so. */
  adopt(page, { sets }) {
    if (page.messages.length === 0) return;
    const stored = this.truth.stored(page.messages);
    this.truth.act(page, 'list', { how: 'adopted', stored: copy(stored) });
    this.truth.saw('a list that is adopted');
    if (sets === 'before') page.chat.messages = stored;
    page.guard.adopt(stored);
    if (sets === 'after') page.chat.messages = stored;
  }

  flow(_page, { at, count = 1 }) {
    pick(this.server.open, at)?.push(count);
  }

  cut(_page, { at }) {
    const response = pick(this.server.open, at);
    if (response === undefined) return;
    this.truth.saw('a response breaks');
    this.truth.act(response.page, 'break', { response });
    response.break();
  }

  /** The connections of a response are lost, and the server goes on. */
  drop(_page, { at }) {
    const response = pick(this.server.open, at);
    if (response === undefined) return;
    this.truth.saw('a connection is lost');
    this.truth.act(response.page, 'break', { response });
    response.drop();
  }

  ask(page) {
    this.laws.asked(page, () => page.guard.sendAutomaticallyWhen({ messages: page.messages }));
    this.truth.act(page, 'ask');
  }

  /** The page is closed in the middle of whatever it does, and loaded again with a stored list. */
  reload(page, { how = 'home', at = 0 }) {
    const stored = how === 'older' ? pick(page.lists, at)?.copy : page.messages;
    page.close();
    this.truth.act(page, 'reload', { how });
    this.truth.saw(this.options.record ? 'a reload with a record' : 'a reload without a record');
    this.open(copy(stored ?? []), page.number);
  }

  /** A second tab of the same chat. */
  tab() {
    if (this.pages.length > 1 || !this.options.record) return;
    this.truth.saw('two tabs');
    this.open(copy(this.pages[0].messages));
  }
}

/** Cases that only the ledger knows, by the type and the actor of an entry. */
const LOGGED = {
  'answered grant': 'a grant answers',
  'answered rule': 'a rule answers',
  'answered unattended': 'nobody is there',
  'answered external': 'a program decides',
  'expired timer': 'a call expires',
  'late-denial person': 'a late Deny counts',
  'withdrawn stop': 'a stop takes an answer back',
  recalled: 'a record restores an answer',
};

/** What happens between two acts. */
const PAUSES = {
  sync: () => {},
  micro: () => null,
  micros: async () => {
    for (let i = 0; i < 6; i += 1) await null;
  },
  task: (world) => world.turn(),
  // Long enough for a transaction of a record.
  turn: (world) => world.turn(10),
};

/**
 * Plays a history.
 *
 * @param history see `history.mjs`
 * @returns the promises that were broken, and how often each interesting case occurred
 */
export async function play(sdk, history) {
  clock.reset();
  const late = history.options?.engine ? await lateEngine() : undefined;
  const world = new World(sdk, history, late);
  const { laws } = world;
  try {
    for (const { then = 'turn', ...act } of history.acts) {
      if (act.do === 'wait') await clock.pass(act.ms);
      else if (act.do === 'sleep') clock.sleep(act.ms);
      else if (act.do === 'clock') clock.set(act.ms);
      else world.do(act);
      if (then !== 'sync') await PAUSES[then](world);
      if (laws.broken.length > 0) break;
    }
    if (laws.broken.length === 0) await world.settle();
    laws.ended();
    if (laws.broken.length === 0) {
      for (const page of world.pages) world.say(page);
      await world.settle();
      laws.ended();
    }
  } catch (error) {
    laws.breaks('nothing throws', { error: String(error?.stack ?? error) });
  } finally {
    for (const page of world.pages) {
      for (const { type, actor } of page.events) {
        const what = LOGGED[type] ?? LOGGED[`${type} ${actor}`];
        if (what) world.truth.saw(what);
      }
      if (page.calls.some(({ status }) => status === 'in-doubt')) world.truth.saw('a call is in doubt');
      page.close();
    }
    await clock.microtasks();
  }
  return { broken: laws.broken, seen: world.truth.seen, world };
}
