// What a request costs on its way out, beside the shortest `map` that does the same to the messages.
import { deep, finished, rejected, user } from './chats.mjs';
import { prime, send, server } from './deciding.mjs';
import { beyond, race, summary } from './measure.mjs';

const SIZES = [10, 100, 1_000, 10_000];
const COPIES = 16;

/** The leanest repair that one can write: the denials are known, and nothing else is. */
function mapping(remembered) {
  const repair = (part) => {
    const approval = remembered.get(part.toolCallId);
    if (approval === undefined || part.state !== 'output-available') return part;
    const { output, errorText, ...kept } = part;
    return { ...kept, state: 'approval-responded', approval };
  };
  const needs = (part) => part.state === 'output-available' && remembered.has(part.toolCallId);
  return (messages) =>
    messages.map((message) =>
      message.parts.some(needs) ? { ...message, parts: message.parts.map(repair) } : message,
    );
}

/** The transports: one that does nothing, one that maps, one of each guard. */
async function transports(makers, decided) {
  const remembered = new Map();
  for (const { parts } of decided) {
    for (const part of parts)
      if (part.approval?.approved === false) remembered.set(part.toolCallId, part.approval);
  }
  const map = mapping(remembered);
  const all = {
    nothing: { sendMessages: async (o) => await server.sendMessages(o) },
    map: { sendMessages: async (o) => await server.sendMessages({ ...o, messages: map(o.messages) }) },
  };
  const seen = {};
  for (const [name, make] of Object.entries(makers)) {
    const guard = make({ chatId: 'chat', clientTools: ['pick_file'] });
    const { detach } = await prime(guard, decided);
    // Otherwise the chat would be repaired, and the next request with it.
    detach();
    all[name] = guard.transport(server);
    seen[`${name}:look`] = guard.transport({
      ...server,
      sendMessages: (o) => ((seen[name] = o.messages), server.sendMessages(o)),
    });
  }
  return { all, seen, map };
}

/**
 * Checks that the guards do what the map does. A denial whose request the transport did not take leaves as
 * `output-denied` behind a later message of the person; the map does not know of requests.
 */
async function check({ seen, map }, makers, list) {
  const text = (messages) =>
    JSON.stringify(messages, (key, value) => {
      if (key === 'state' && value === 'output-denied') return 'approval-responded';
      return Object(value) === value && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value;
    });
  for (const name of Object.keys(makers)) {
    await send(seen[`${name}:look`], list);
    if (text(seen[name]) !== text(map(list))) throw new Error(`${name} repairs otherwise than the map`);
  }
}

const sending = (transport, lists) => ({
  asynchronous: true,
  ask: (i) => send(transport, lists[i % lists.length]),
});

async function row(makers, what, messages, decided, lists) {
  const scene = await transports(makers, decided);
  await check(scene, makers, lists[0]);
  const contenders = Object.fromEntries(
    Object.entries(scene.all).map(([name, t]) => [name, sending(t, lists)]),
  );
  const figures = await race(contenders, { rounds: 15, length: messages > 1_000 ? 6 : 3 });
  const net = Object.fromEntries(
    ['map', ...Object.keys(makers)].map((name) => [name, beyond(figures, name, 'nothing')]),
  );
  return { what, messages, nothing: summary(figures.nothing), net, toMap: net.guard.median / net.map.median };
}

/** New arrays that share all messages but the last, as each message that a user sends makes one. */
const appended = (messages) => Array.from({ length: COPIES }, (_, i) => [...messages, user(`next-${i}`)]);

export async function repairing(makers, log) {
  const rows = [];
  for (const messages of SIZES) {
    const plain = finished(messages - 1);
    rows.push(await row(makers, 'unchanged', messages, plain, [[...plain, user('next')]]));
    rows.push(await row(makers, 'a message more', messages, plain, appended(plain)));
    const copies = Array.from({ length: 4 }, (_, i) => [...plain, user(`next-${i}`)].map(deep));
    rows.push(await row(makers, 'every message copied', messages, plain, copies));
    for (const [share, every] of [
      ['1 %', 100],
      ['10 %', 10],
    ]) {
      if (messages < every) continue;
      const { decided, overwritten } = rejected(messages, every);
      rows.push(
        await row(makers, `rejections in ${share}, unchanged`, messages, decided, [
          [...overwritten, user('next')],
        ]),
      );
      rows.push(
        await row(makers, `rejections in ${share}, a message more`, messages, decided, appended(overwritten)),
      );
    }
    log(`repair, ${messages} messages`);
  }
  return rows;
}
