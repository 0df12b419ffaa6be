// What it costs that all tabs of a chat share one record in IndexedDB: two pages of one profile on a disk, each with a
// guard of the same chat.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { chromiumPath } from '../support/chromium.mjs';
import { summary } from './measure.mjs';

const ROUNDS = 100;
const ENTRIES = 10_000;

const PAGE = `
  import { createApprovalGuard } from '../../pkg/sync.js';
  import { createRecord } from '../../pkg/record.js';
  import { allowed, asked, assistant } from './chats.mjs';

  const now = () => performance.timeOrigin + performance.now();
  const newRecord = (keep = 1_000) => createRecord({ storage: 'indexeddb', keep });

  /** Shows a chat with one call that asks; \`known\` is when the answer of another page is known here. */
  window.show = async (id) => {
    const record = newRecord();
    const guard = createApprovalGuard({ chatId: id, record, undoMs: 0 });
    const chat = {
      id,
      messages: [assistant('last', [asked('call')])],
      sendMessage() {},
      addToolApprovalResponse() {
        const [message] = chat.messages;
        chat.messages = [{ ...message, parts: message.parts.map((part) => (part.approval ? allowed('call') : part)) }];
      },
    };
    guard.attach(chat);
    await record.settled();
    const isKnown = () => guard.getSnapshot().calls[0].status === 'elsewhere';
    const known = new Promise((resolve) => {
      guard.subscribe(() => {
        if (isKnown()) resolve(now());
      });
    });
    Object.assign(window, { record, guard, chat, known });
  };
  /** Commits an answer; returns when that was asked for. */
  window.commit = () => {
    const begun = now();
    guard.decide('call', 'allow-once');
    return begun;
  };
  /** A write of one text of so many letters: the least that a browser can do. */
  const plain = new Promise((resolve) => {
    const request = indexedDB.open('plain', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('texts');
    request.onsuccess = () => resolve(request.result);
  });
  window.write = async (size, key) => {
    const database = await plain;
    const begun = performance.now();
    await new Promise((resolve) => {
      const transaction = database.transaction('texts', 'readwrite', { durability: 'strict' });
      transaction.objectStore('texts').put('x'.repeat(size), key);
      transaction.oncomplete = resolve;
    });
    return performance.now() - begun;
  };
  /** The milliseconds that a request waits for its claim. */
  window.claim = async () => {
    const begun = performance.now();
    let left;
    await guard
      .transport({
        sendMessages: async () => {
          left = performance.now() - begun;
          return new ReadableStream({ start: (controller) => controller.close() });
        },
        reconnectToStream: async () => null,
      })
      .sendMessages({ chatId: chat.id, messages: chat.messages, trigger: 'submit-message' });
    return left;
  };
  /** A record with many entries: what it takes to open, append to and read it. */
  window.large = async (count) => {
    const chatId = 'large';
    const timed = async (work) => {
      const begun = performance.now();
      await work();
      return performance.now() - begun;
    };
    const calls = Array.from({ length: 100 }, (_, i) => asked('call-' + i));
    let entries = 0;
    const opened = async (record) => {
      const onEvent = () => (entries += 1);
      const guard = createApprovalGuard({ chatId, record, undoMs: Infinity, onEvent });
      guard.attach({ id: chatId, messages: [assistant('last', calls)], sendMessage() {} });
      await record.settled();
      return guard;
    };
    /** Decides and takes back, so many entries long; what happens in one task is written together. */
    const live = (guard, until) => {
      for (let i = 0; entries < until; i++) {
        guard.decide('approval-call-' + (i % 100), 'allow-once');
        guard.undo('approval-call-' + (i % 100));
      }
    };
    let record = newRecord(count);
    let page = await opened(record);
    const fill = await timed(async () => {
      live(page, count);
      await record.settled();
    });
    const append = [];
    for (let i = 0; i < 30; i++) {
      append.push(
        await timed(async () => {
          page.decide('approval-call-0', i % 2 ? 'deny' : 'allow-once');
          await record.settled();
        }),
      );
    }
    page.dispose();
    await record.settled();
    record = newRecord(count);
    const open = await timed(async () => (page = await opened(record)));
    if (record.head().entries < count) throw new Error('It was not read again.');
    const read = await timed(async () => record.entries());
    return { fill, append, open, read };
  };
`;

/** @returns figures in milliseconds */
export async function sharing(log) {
  const { outputFiles } = await build({
    stdin: { contents: PAGE, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    const html =
      '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>';
    response.end(isScript ? outputFiles[0].text : html);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { chromium } = await import('playwright-core');
  // Other profiles keep their databases in memory.
  const profile = mkdtempSync(path.join(tmpdir(), 'bench-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const open = async () => {
      const page = await context.newPage();
      page.on('console', (message) => log(message.text()));
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      await page.waitForFunction('window.show');
      return page;
    };
    const [one, two] = [await open(), await open()];
    const known = [];
    const claims = [];
    const writes = [];
    log('the record of two tabs');
    for (let i = 0; i < ROUNDS; i++) {
      await Promise.all([one, two].map((page) => page.evaluate((id) => show(id), `chat-${i}`)));
      const seen = one.evaluate('known');
      const begun = await two.evaluate('commit()');
      known.push((await seen) - begun);
      claims.push(await two.evaluate('claim()'));
      // What a claim writes: two entries, and the text beside them.
      writes.push(await two.evaluate((key) => write(1_000, key), i));
    }
    log('a record with many entries');
    const { fill, append, open: opened, read } = await one.evaluate((count) => large(count), ENTRIES);
    const worst = (values) => Math.max(...values);
    return {
      rounds: ROUNDS,
      entries: ENTRIES,
      known: { ...summary(known), worst: worst(known) },
      claim: { ...summary(claims), worst: worst(claims) },
      write: { ...summary(writes), worst: worst(writes) },
      claimToWrite: summary(claims.map((claim, i) => claim / writes[i])),
      fill,
      append: summary(append),
      open: opened,
      read,
    };
  } finally {
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
