// What `omitFromWire` costs: a request of a chat with settled calls of which none or all stay at home, beside the
// shortest `map` that leaves the same calls out.
import { finished, user } from './chats.mjs';
import { prime, send, server } from './deciding.mjs';
import { beyond, race, summary } from './measure.mjs';

const CALLS = [1, 100, 1_000];

const isLeftOut = ({ type, state }) => type === 'tool-read_file' && state === 'output-available';
const mapping = (messages) =>
  messages.map((message) =>
    message.parts.some(isLeftOut)
      ? { ...message, parts: message.parts.filter((part) => !isLeftOut(part)) }
      : message,
  );

async function row(make, calls) {
  // One call for each two messages.
  const plain = finished(2 * calls);
  const list = [...plain, user('next')];
  let seen;
  const looking = { ...server, sendMessages: (o) => ((seen = o.messages), server.sendMessages(o)) };
  const contenders = {
    nothing: { sendMessages: async (o) => await server.sendMessages(o) },
    map: { sendMessages: async (o) => await server.sendMessages({ ...o, messages: mapping(o.messages) }) },
  };
  for (const [name, omitFromWire] of [
    ['none', []],
    ['all', ['read_*']],
  ]) {
    const guard = make({ chatId: 'chat', omitFromWire });
    await prime(guard, plain);
    contenders[name] = guard.transport(server);
    await send(guard.transport(looking), list);
    const left = JSON.stringify(seen) === JSON.stringify(name === 'all' ? mapping(list) : list);
    if (!left) throw new Error(`a guard that leaves out ${name} sends otherwise than the map`);
  }
  const figures = await race(
    Object.fromEntries(
      Object.entries(contenders).map(([name, transport]) => [
        name,
        { asynchronous: true, ask: () => send(transport, list) },
      ]),
    ),
    { rounds: 15, length: calls > 100 ? 6 : 3 },
  );
  const net = Object.fromEntries(
    ['map', 'none', 'all'].map((name) => [name, beyond(figures, name, 'nothing')]),
  );
  return { calls, nothing: summary(figures.nothing), net };
}

export async function omitting(make, log) {
  const rows = [];
  for (const calls of CALLS) rows.push(await row(make, calls));
  log('omitFromWire');
  return rows;
}
