// A small application on one origin: a page with a real `Chat` and a guard with a record, and the backend of
// its chats, which asks for two calls, runs the allowed ones, and counts.
import { createServer } from 'node:http';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import {
  continued,
  finish,
  finishStep,
  gated,
  outputAvailable,
  outputDenied,
  response,
  start,
  text,
} from '../package/support/chunks.mjs';
import { launchBrowser } from '../support/browsers.mjs';
import { openPlainBrowser } from '../support/plain-browser.mjs';

/** @type {Awaited<ReturnType<typeof serveChats>>} */
export let server;
/** @type {import('playwright-core').Browser} */
export let browser;
/** @type {Awaited<ReturnType<typeof openPlainBrowser>> | undefined} */
let plain;

let isStarted = false;

/** The browser in which pages are hidden and kept for the way back. It starts when the first test asks for it. */
export const plainBrowser = async () => (plain ??= await openPlainBrowser());

/** Starts the server and the browser before the tests of a process, and closes them after these. */
export function startServerAndBrowser() {
  if (isStarted) return;
  isStarted = true;
  before(async () => {
    [server, browser] = await Promise.all([serveChats(), launchBrowser()]);
  });
  after(async () => {
    await plain?.close();
    await browser?.close();
    await server?.close();
  });
}

/** The storage that most tests use. */
export const STORAGE = process.env.RECORD_STORAGE ?? 'indexeddb';

/**
 * The page. `?chat=` is the id of the chat; `storage`, `undo` and `at` are options; `without` names what the
 * browser should lack.
 */
const page = `
  import { Chat } from '@ai-sdk/react';
  import { DefaultChatTransport } from 'ai';
  import { createApprovalGuard } from 'tool-approval-guard/sync';
  import { createRecord } from 'tool-approval-guard/record';
  import { createWords } from 'tool-approval-guard/words';

  const words = createWords();

  const asked = new URLSearchParams(location.search);
  let id = asked.get('chat');
  let undo = asked.get('undo') ?? '0';
  let storage = asked.get('storage') ?? 'indexeddb';
  window.errors = [];
  /** The sessions of the records of this page: each is made of 8 random bytes. */
  window.sessions = [];
  const { getRandomValues } = Crypto.prototype;
  Crypto.prototype.getRandomValues = function (bytes) {
    const result = getRandomValues.call(this, bytes);
    if (bytes.length === 8) sessions.push([...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
    return result;
  };
  const newRecord = () => createRecord({ storage });
  /** The guards of this page that were not disposed of by \`leave\`. Nobody is held by this list. */
  const guards = [];
  window.newGuard = (record, chatId = id) => {
    const { errors } = window;
    const guard = createApprovalGuard({
      chatId,
      record,
      undoMs: undo === 'Infinity' ? Infinity : Number(undo),
      tools: { rm: { editable: true } },
      onError: (error) => errors.push(error.code ?? String(error)),
    });
    guards.push(new WeakRef(guard));
    return guard;
  };
  /** A component that shows the chat is mounted: with what it is not given it makes its own. */
  window.mount = async ({ record = newRecord(), guard = newGuard(record), messages, chat } = {}) => {
    chat ??= new Chat({
      id,
      messages,
      transport: guard.transport(new DefaultChatTransport({ api: '/chat' })),
      sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
      onError: () => {},
    });
    const detach = guard.attach(chat);
    Object.assign(window, { record, guard, chat, detach });
    await record.settled();
    // What was read is told to the guard one microtask later.
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  /** Makes a guard of the chat with all that belongs to it, and after another one a second one. */
  window.begin = async () => mount({ messages: await fetch('/messages?chat=' + id).then((r) => r.json()) });
  window.ready = id === null ? Promise.resolve() : begin();
  /** Ends all that the page does, so that another test can use it. */
  window.leave = () => {
    for (const guard of guards.splice(0)) guard.deref()?.dispose();
    Object.assign(window, { guard: undefined, chat: undefined, record: undefined, detach: undefined });
    Object.assign(window, { chats: {}, errors: [], sessions: [] });
  };
  /** Shows a chat in the place of what the page has shown, as if it had been loaded for that. */
  window.enter = async (chat, options) => {
    become(options);
    id = chat;
    await begin();
  };
  /** Takes other options, and shows no chat. */
  window.become = (options) => {
    leave();
    ({ undo, storage } = { undo: '0', storage: 'indexeddb', ...options });
  };
  /** Waits until this holds. A person who looks at the page sees it as soon. */
  window.comes = async (done, argument, patience) => {
    for (const end = performance.now() + patience; !done(argument); ) {
      if (performance.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return true;
  };
  /** Other chats that the page shows beside it, by id: each with a guard and a record of its own. */
  window.chats = {};
  window.show = async (id, record = newRecord()) => {
    const messages = await fetch('/messages?chat=' + id).then((r) => r.json());
    const guard = newGuard(record, id);
    const chat = new Chat({
      id,
      messages,
      transport: guard.transport(new DefaultChatTransport({ api: '/chat' })),
      sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
      onError: () => {},
    });
    const detach = guard.attach(chat);
    chats[id] = { record, guard, chat, detach };
    await record.settled();
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  /** What the guard of one of them says of each call. */
  window.look = (id) => Object.fromEntries(chats[id].guard.getSnapshot().calls.map(
    ({ toolCallId, status, decision }) => [toolCallId, { status, decision }],
  ));
  /** What the guard says of each call. */
  window.calls = () => Object.fromEntries(guard.getSnapshot().calls.map(
    (call) => {
      const { toolCallId, status, decision, edited } = call;
      return [toolCallId, { status, decision, outcome: words.call(call).outcome, ...(edited && { path: edited.to.path }) }];
    },
  ));
  /** Runs this in the millisecond that all pages were told, so that they meet. */
  window.at = (time, work) => {
    while (Date.now() < time);
    return work();
  };
  /** The same, and the processor is left to the other pages until shortly before. */
  window.meet = async (time, work) => {
    await new Promise((resolve) => setTimeout(resolve, time - Date.now() - 3));
    return at(time, work);
  };
  /** Decides the calls of a chat, in the order of their names. */
  window.press = (id, choices) =>
    Object.entries(choices).map(([call, choice]) => chats[id].guard.decide(call, choice).type);
`;

const copy = (value) => JSON.parse(JSON.stringify(value));
const toolsOf = (messages) => messages.at(-1)?.parts.filter(({ toolCallId }) => toolCallId) ?? [];

/** The backend of one chat: its data, what it has done, and how it behaves. */
class Backend {
  /** The stored messages. */
  messages = [];
  /** The requests, as they arrived. */
  requests = [];
  /** How often each call ran, by call id, and the path that it had the last time. */
  runs = {};
  paths = {};
  /** How many requests carried an answer, by approval id, and the answer of the first one. */
  sends = {};
  answers = {};
  /** How long to wait before the response begins, and in the middle of it, in milliseconds. */
  wait = 0;
  /** Whether the connection breaks in the middle of the response. */
  breaks = false;
  /** Whether answers are not stored, so that the next page gets messages that still ask. */
  lags = false;
  /** While this promise is pending, no response to answers begins. */
  held = Promise.resolve();
  release = () => {};
  constructor(ids) {
    this.ids = ids;
  }

  /** Lets no response to answers begin until `release()`. */
  hold() {
    this.held = new Promise((resolve) => (this.release = resolve));
  }

  /** All answers that arrived, by approval id and in the order of the requests. `true` is an allowance. */
  received = {};

  /** The number of requests that carried answers. */
  get carried() {
    return this.requests.filter(({ answers }) => answers > 0).length;
  }

  /** Handles a request. Returns the chunks of the response, and the messages to store at its end. */
  take({ messages }) {
    const answered = toolsOf(messages).filter(({ state }) => state === 'approval-responded');
    this.requests.push({ messages, answers: answered.length });
    if (messages.at(-1).role === 'user') {
      const chunks = response('a1', ...this.ids.map((id) => gated(id, 'rm', { path: '/' + id })));
      const parts = this.ids.map((id) => ({
        type: 'tool-rm',
        toolCallId: id,
        state: 'approval-requested',
        input: { path: '/' + id },
        approval: { id: 'ap-' + id },
      }));
      const stored = [
        ...messages,
        { id: 'a1', role: 'assistant', parts: [{ type: 'step-start' }, ...parts] },
      ];
      return { chunks, stored };
    }
    const results = answered.map(({ toolCallId, approval, input }) => {
      this.sends[approval.id] = (this.sends[approval.id] ?? 0) + 1;
      this.answers[approval.id] ??= approval.approved;
      (this.received[approval.id] ??= []).push(approval.approved);
      if (!approval.approved) return outputDenied(toolCallId);
      this.runs[toolCallId] = (this.runs[toolCallId] ?? 0) + 1;
      this.paths[toolCallId] = input.path;
      return outputAvailable(toolCallId);
    });
    const stored = copy(messages);
    for (const part of toolsOf(stored)) {
      if (part.state !== 'approval-responded') continue;
      part.state = part.approval.approved ? 'output-available' : 'output-denied';
      if (part.approval.approved) part.output = 'done';
    }
    stored.at(-1).parts.push({ type: 'step-start' }, { type: 'text', text: 'All done.', state: 'done' });
    return { chunks: continued(results), stored };
  }
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bodyOf = async (request) => {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += piece;
  return JSON.parse(body);
};

/** @param {(code: string) => string} [change] makes a different page of it, to check that a test can fail */
export async function serveChats(change = (code) => code) {
  const { outputFiles } = await build({
    stdin: { contents: page, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    format: 'iife',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  const code = change(outputFiles[0].text);
  const html =
    '<!doctype html><link rel="icon" href="data:,"><title>A chat</title><script src="/page.js"></script>';
  /** @type {Map<string, Backend>} */
  const backends = new Map();

  const answer = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    if (pathname === '/page.js') {
      const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'max-age=3600' };
      return response.writeHead(200, headers).end(code);
    }
    if (pathname === '/messages') {
      const { messages } = backends.get(searchParams.get('chat') ?? '') ?? { messages: [] };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(messages));
    }
    if (pathname !== '/chat') return response.writeHead(404).end();
    const body = await bodyOf(request);
    const backend = backends.get(body.id);
    if (backend === undefined) return response.writeHead(404).end();
    const { chunks, stored } = backend.take(body);
    const carries = stored.length === body.messages.length;
    const { wait, breaks } = carries ? backend : { wait: 0, breaks: false };
    if (carries) await backend.held;
    if (wait > 0) await later(wait);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' });
    const write = (chunk) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    const middle = Math.ceil(chunks.length / 2);
    chunks.slice(0, middle).forEach(write);
    if (wait > 0) await later(wait);
    // Like an application that consumes the stream even when the page is gone.
    if (!(carries && backend.lags)) backend.messages = stored;
    if (breaks) {
      // Only after the browser has received the beginning; otherwise it would repeat the request by itself.
      await later(20);
      return response.destroy();
    }
    chunks.slice(middle).forEach(write);
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  let chats = 0;
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** Creates a new chat whose two calls ask. Returns its id and its backend. */
    async chat({ ids = ['c1', 'c2'], holds = false, ...how } = {}) {
      const id = `chat-${chats++}`;
      const backend = Object.assign(new Backend(ids), how);
      backend.messages = backend.take({
        messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
      }).stored;
      if (holds) backend.hold();
      backends.set(id, backend);
      return { id, backend };
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Opens a page of this chat, and waits until it is ready. @param {import('playwright-core').BrowserContext}
 * context
 */
export async function openChat(context, server, id, more = '') {
  const page = await context.newPage();
  await loadChat(page, server, id, more);
  return page;
}

/** Contexts that no test uses, with their pages. @type {{ context: any, pages: any[] }[]} */
const idle = [];

/**
 * Plays in a context, in pages that belong to no chat yet: `open()` returns one. A new page takes twenty times as long
 * as a chat that is shown in one, so the next test gets the pages that are left. A test that has changed more in a page
 * than what it shows closes it.
 */
export async function withTabs(play) {
  const { context, pages } = idle.pop() ?? { context: await browser.newContext(), pages: [] };
  const used = [];
  const open = async () => {
    const page = pages.pop() ?? (await context.newPage());
    used.push(page);
    if (page.url() === 'about:blank') await page.goto(server.url);
    return page;
  };
  try {
    await play({ context, open });
    for (const page of used.filter((page) => !page.isClosed())) {
      await page.evaluate(() => leave());
      pages.push(page);
    }
    idle.push({ context, pages });
  } catch (error) {
    await context.close();
    throw error;
  }
}

/** Shows a chat in this page, as if it had been loaded for that. `options` are its `undo` and its `storage`. */
export const enterChat = (page, id, options = {}) =>
  page.evaluate(([id, options]) => enter(id, options), [id, options]);

/** Loads a page of this chat in the place of what the tab shows, and waits until it is ready. */
export async function loadChat(page, { url }, id, more = '') {
  await page.goto(`${url}?chat=${id}${more}`);
  await page.evaluate(() => window.ready);
}

/** The process of a page, which is the one that is busy while the page is. */
export async function rendererOf(page) {
  const session = await browser.newBrowserCDPSession();
  const times = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return new Map(processInfo.filter(({ type }) => type === 'renderer').map((one) => [one.id, one.cpuTime]));
  };
  const before = await times();
  await page.evaluate(() => {
    for (const end = performance.now() + 200; performance.now() < end;);
  });
  const spent = [...(await times())].map(([id, time]) => [id, time - (before.get(id) ?? 0)]);
  await session.detach();
  return spent.sort(([, a], [, b]) => b - a)[0][0];
}

/** Crashes the renderer, as if it had run out of memory, and takes the tab away that is left of it. */
export async function crash(page) {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // This promise never settles.
  void session.send('Page.crash').catch(() => {});
  await crashed;
  await page.close();
}

/**
 * Waits until `done(argument)` holds in the page. It is the page that looks again and again: asking it that often from here
 * takes as much of the processor as the tabs that are tested.
 */
export async function untilIn(page, done, what, argument, patience = 40_000) {
  const came = await page.evaluate(`comes(${done}, ${JSON.stringify(argument)}, ${patience})`);
  if (!came) throw new Error(`it did not come: ${what}`);
}

/** Waits until `done()` holds. The patience only has to be longer than a busy machine takes. */
export async function until(done, what, patience = 40_000) {
  const end = performance.now() + patience;
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`it did not come: ${what}`);
    await later(5);
  }
}

/** Waits long enough for anything that a page would still send. */
export const quiet = (ms = 150) => later(ms);

/**
 * Waits until a page that is alone has given up all earlier pages of its chat: until then it is unknown that they are
 * gone.
 */
export async function untilAlone(page) {
  const own = await page.evaluate(() => window.sessions);
  // Nobody gives up the pages of a chat that is not shown any more.
  const chat = new URL(page.url()).searchParams.get('chat');
  const isAlone = async () => {
    const { records } = await dump(page);
    const shown = records.filter(([id]) => id === chat);
    const tabs = shown.flatMap(([, { state }]) => Object.keys(JSON.parse(state.split('\n')[1]).tabs));
    return tabs.every((tab) => own.includes(tab));
  };
  await until(isAlone, 'the end of the lease');
  await page.evaluate(() => record.settled());
}

/**
 * Brings a tab back to this page of its history. Returns '' if the browser has kept the page, which it need not do;
 * otherwise it has loaded the page again, and this returns its reasons.
 */
export async function goBack(tab) {
  await tab.run('history.back()').catch(() => {});
  const isShown = () => tab.run('typeof window.ready === "object" && document.readyState === "complete"');
  await until(() => isShown().catch(() => false), 'the way back');
  await tab.run('window.ready');
  if ((await tab.run('window.back')) === true) return '';
  return tab.run(`JSON.stringify(performance.getEntriesByType('navigation')[0].notRestoredReasons)`);
}

/** Returns everything that the page's record has stored of its chats, or of this one, as rows of its database. */
export const dump = (page, chat) =>
  page.evaluate(async (chat) => {
    const done = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await done(indexedDB.open('tool-approval-guard'));
    const transaction = database.transaction(['records', 'entries']);
    const all = async (name) => {
      const store = transaction.objectStore(name);
      const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
      return keys
        .map((key, i) => [key, values[i]])
        .filter(([key]) => chat === undefined || [key].flat()[0] === chat);
    };
    const [records, entries] = await Promise.all([all('records'), all('entries')]);
    database.close();
    return { records, entries };
  }, chat);

/** Replaces the stored rows. */
export const restore = (page, rows) =>
  page.evaluate(async ({ records, entries }) => {
    const database = await new Promise((resolve) => {
      const request = indexedDB.open('tool-approval-guard');
      request.onsuccess = () => resolve(request.result);
    });
    const transaction = database.transaction(['records', 'entries'], 'readwrite');
    for (const [name, rows] of [
      ['records', records],
      ['entries', entries],
    ]) {
      const store = transaction.objectStore(name);
      store.clear();
      for (const [key, value] of rows) store.put(value, key);
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  }, rows);
