// What the record costs: an entry, a look at what waits, what is stored and what is read again, after ten thousand
// entries and with a hundred calls that wait; with as many entries as are kept by default, and with all of them.
import { storageOf } from '../support/storage.mjs';
import { asked, assistant, history } from './chats.mjs';
import { summary } from './measure.mjs';

const ENTRIES = 10_000;
const PENDING = 100;
const ROUNDS = 5;
const KEPT = { byDefault: 1_000, all: ENTRIES };

/** A guard of a chat in which a hundred calls ask. */
async function opened(createApprovalGuard, record) {
  const events = [];
  const onEvent = (entry) => events.push(entry);
  const guard = createApprovalGuard({ chatId: 'chat', undoMs: Infinity, record, onEvent });
  const calls = Array.from({ length: PENDING }, (_, i) => asked(`call-${i}`));
  guard.attach({ id: 'chat', messages: [...history(9), assistant('last', calls)], sendMessage() {} });
  await guard.ready;
  await record?.settled();
  return { guard, events };
}

/** The calls are decided, and that is taken back, again and again. */
function live({ guard, events }) {
  for (let i = 0; events.length < ENTRIES; i++) {
    const call = `approval-call-${i % PENDING}`;
    guard.decide(call, i % 3 === 0 ? 'deny' : 'allow-once');
    guard.undo(call);
  }
}

const timed = (work) => {
  const start = performance.now();
  const result = work();
  return { ms: performance.now() - start, result };
};

async function awaited(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** What the entries cost where so many are kept: beside a guard without a record, which lives through the same. */
async function kept({ createApprovalGuard, createRecord }, keep) {
  const figures = { appendMicros: [], storeMs: [], saveMs: [], restoreMs: [], exportMs: [] };
  let bytes = 0;
  let stored = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let bare;
    const opening = await awaited(async () => (bare = await opened(createApprovalGuard)));
    const without = timed(() => live(bare));
    bare.guard.dispose();
    // It answers later, so what happens in one task is written together.
    const storage = storageOf(new Map(), async () => {});
    const record = createRecord({ storage, keep });
    const page = await opened(createApprovalGuard, record);
    const { ms } = timed(() => {
      live(page);
      return record.head();
    });
    figures.appendMicros.push(((ms - without.ms) * 1_000) / ENTRIES);
    figures.storeMs.push(await awaited(() => record.settled()));
    // One decision later.
    page.guard.decide('approval-call-0', 'allow-once');
    figures.saveMs.push(await awaited(() => record.settled()));
    const { ms: exported, result: text } = timed(() => record.export('jsonl'));
    figures.exportMs.push(exported);
    bytes = text.length / record.entries().length;
    const { head, state, entries } = storage.rows.get('chat');
    stored = [head, state, ...entries].join('').length;
    page.guard.dispose();
    const again = createRecord({ storage, keep });
    let next;
    const reopening = await awaited(async () => (next = await opened(createApprovalGuard, again)));
    figures.restoreMs.push(reopening - opening);
    if (again.head().entries < ENTRIES) throw new Error('It was not restored.');
    next.guard.dispose();
  }
  const summaries = Object.entries(figures).map(([name, values]) => [name, summary(values)]);
  return { ...Object.fromEntries(summaries), bytes, stored };
}

/** @returns figures in the unit that their name says */
export async function recording(entries, log) {
  log('the record');
  const { createApprovalGuard, createRecord } = entries;
  const page = await opened(createApprovalGuard, createRecord());
  live(page);
  if (page.guard.pending().length !== PENDING) throw new Error('Not all of them wait.');
  const pendingMs = Array.from({ length: ROUNDS }, () => timed(() => page.guard.pending()).ms);
  page.guard.dispose();
  return {
    entries: page.events.length,
    pending: PENDING,
    pendingMs: summary(pendingMs),
    byDefault: await kept(entries, KEPT.byDefault),
    all: await kept(entries, KEPT.all),
  };
}

/** How many messages an application keeps of a chat that goes on all day. */
const WINDOW = 40;

/**
 * A day of a busy chat: call after call is asked about, allowed, sent and carried out, while the application keeps only
 * the latest messages.
 *
 * @param look called with the number of events each time when `every` more have happened
 */
export async function day({ createApprovalGuard, createRecord }, { events, every, look }) {
  let count = 0;
  const guard = createApprovalGuard({
    chatId: 'chat',
    record: createRecord(),
    onEvent: () => (count += 1),
  });
  const transport = guard.transport({
    sendMessages: async () => new ReadableStream({ start: (controller) => controller.close() }),
    reconnectToStream: async () => null,
  });
  const chat = {
    id: 'chat',
    messages: [],
    sendMessage() {},
    addToolApprovalResponse({ id, approved }) {
      put(
        (part) =>
          part.approval?.id === id && {
            ...part,
            state: 'approval-responded',
            approval: { ...part.approval, approved },
          },
      );
    },
  };
  const put = (change) => {
    chat.messages = chat.messages.map((message) => {
      const parts = message.parts.map((part) => change(part) || part);
      return parts.some((part, i) => part !== message.parts[i]) ? { ...message, parts } : message;
    });
  };
  guard.attach(chat);
  let next = every;
  await look(0);
  for (let i = 0; count < events; i++) {
    const call = asked(`call-${i}`);
    chat.messages = [
      ...chat.messages.slice(-WINDOW),
      { id: `u-${i}`, role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
      assistant(`a-${i}`, [call]),
    ];
    guard.sendAutomaticallyWhen(chat);
    guard.decide(call.approval.id, 'allow-once');
    guard.sendAutomaticallyWhen(chat);
    const messages = chat.messages;
    const response = await transport.sendMessages({ chatId: 'chat', messages, trigger: 'submit-message' });
    const reader = response.getReader();
    while (!(await reader.read()).done);
    put(
      (part) => part.toolCallId === call.toolCallId && { ...part, state: 'output-available', output: 'done' },
    );
    guard.sendAutomaticallyWhen(chat);
    if (count >= next) {
      next += every;
      await look(count);
    }
  }
  const kept = guard.ledger().length;
  guard.dispose();
  return { events: count, kept };
}
