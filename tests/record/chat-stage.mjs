// A small application on one origin: a page with a real `Chat` beside a guard with a record, and the backend of its
// chats, which asks for two calls, runs what was allowed, and counts.
import { createServer } from 'node:http';
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

/**
 * The page. `?chat=` names the chat, `storage`, `undo` and `at` are options, and what stands after `without` is a
 * browser that lacks it.
 */
const page = `
  import { Chat } from '@ai-sdk/react';
  import { DefaultChatTransport } from 'ai';
  import { createApprovalGuard } from 'tool-approval-guard';
  import { createRecord } from 'tool-approval-guard/record';

  const asked = new URLSearchParams(location.search);
  const id = asked.get('chat');
  const undo = asked.get('undo') ?? '0';
  window.errors = [];
  const newRecord = () => createRecord({ storage: asked.get('storage') ?? 'local' });
  window.newGuard = (record, chatId = id) =>
    createApprovalGuard({
      chatId,
      record,
      undoMs: undo === 'Infinity' ? Infinity : Number(undo),
      onError: (error) => errors.push(error.code ?? String(error)),
    });
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
  window.ready = begin();
  /** What the guard says of each call. */
  window.calls = () => Object.fromEntries(guard.getSnapshot().calls.map(
    ({ toolCallId, status, decision, words }) => [toolCallId, { status, decision, outcome: words.outcome }],
  ));
  /** Runs this in the millisecond that all pages were told, so that they meet. */
  window.at = (time, work) => {
    while (Date.now() < time);
    return work();
  };
`;

const copy = (value) => JSON.parse(JSON.stringify(value));
const toolsOf = (messages) => messages.at(-1)?.parts.filter(({ toolCallId }) => toolCallId) ?? [];

/** The backend of one chat: what it keeps, what it has done, and how it is to behave. */
class Backend {
  /** The messages as they are stored. */
  messages = [];
  /** The requests, as they came. */
  requests = [];
  /** How often each call ran, by call id. */
  runs = {};
  /** How many requests carried an answer, by approval id, and what the first one said. */
  sends = {};
  answers = {};
  /** Milliseconds before the response begins, and in the middle of it. */
  wait = 0;
  /** The connection breaks in the middle of the response. */
  breaks = false;
  /** What answers is not stored: the next page gets the messages that ask. */
  lags = false;
  constructor(ids) {
    this.ids = ids;
  }

  /** How many requests carried answers. */
  get carried() {
    return this.requests.filter(({ answers }) => answers > 0).length;
  }

  /** Takes a request; answers the chunks of its response and what to store at its end. */
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
    const results = answered.map(({ toolCallId, approval }) => {
      this.sends[approval.id] = (this.sends[approval.id] ?? 0) + 1;
      this.answers[approval.id] ??= approval.approved;
      if (!approval.approved) return outputDenied(toolCallId);
      this.runs[toolCallId] = (this.runs[toolCallId] ?? 0) + 1;
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

/** @param {(code: string) => string} [change] makes another page of it, to see that a test can fail */
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
    if (wait > 0) await later(wait);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' });
    const write = (chunk) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    const middle = Math.ceil(chunks.length / 2);
    chunks.slice(0, middle).forEach(write);
    if (wait > 0) await later(wait);
    // As an application does that consumes the stream, also when the page is gone.
    if (!(carries && backend.lags)) backend.messages = stored;
    if (breaks) {
      // Not before the browser has the beginning: it would repeat the request by itself.
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
    /** A new chat whose two calls ask: its id and its backend. */
    async chat({ ids = ['c1', 'c2'], ...how } = {}) {
      const id = `chat-${chats++}`;
      const backend = Object.assign(new Backend(ids), how);
      backend.messages = backend.take({
        messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
      }).stored;
      backends.set(id, backend);
      return { id, backend };
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of this chat, ready. @param {import('playwright-core').BrowserContext} context */
export async function openChat(context, { url }, id, more = '') {
  const page = await context.newPage();
  await page.goto(`${url}?chat=${id}${more}`);
  await page.evaluate(() => window.ready);
  return page;
}

/** The renderer dies, as when it runs out of memory. */
export async function crash(page) {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // It never answers.
  void session.send('Page.crash').catch(() => {});
  await crashed;
}

/** Waits until `done()` holds. */
export async function until(done, what, patience = 10_000) {
  const end = performance.now() + patience;
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`it did not come: ${what}`);
    await later(5);
  }
}

/** Nothing more comes: long enough for whatever a page would still send. */
export const quiet = (ms = 150) => later(ms);
