// A server that is killed. For each line of its input, which names the first chat and the one behind the last, it takes the
// requests of these chats in random order, some of them at once and twice, and its tool writes a line into a file. It
// prints a line when it is ready, and when no request is left.
// `node worker.mjs <file> <place of the store> <seed> <milliseconds that its clock is wrong>`.
import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { createClaims, idempotencyKey } from 'tool-approval-guard/claims';

import { openStore } from './kills.mjs';
import { modelMessagesOf, requestsOf } from './requests.mjs';

const [file, place, seed, skew] = process.argv.slice(2);
const now = Date.now;
Date.now = () => now() + Number(skew);

/** A small generator of random numbers, so that a seed repeats a run. */
let state = Number(seed);
const random = () => {
  state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) >>> 0;
  return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
};
const pause = () => new Promise((resolve) => setTimeout(resolve, random() * 6));
const shuffled = (list) =>
  list
    .map((it) => [random(), it])
    .sort(([a], [b]) => a - b)
    .map(([, it]) => it);

const effects = openSync(file, 'a');
const { store, close } = await openStore(place);
const claims = createClaims({ store, leaseMs: 400 });
const tool = {
  execute: async (_input, options) => {
    await pause();
    writeSync(effects, `${idempotencyKey(options)}\n`);
    await pause();
    return options.toolCallId;
  },
};
const check = (toolCallId, output) => {
  if (output !== toolCallId && output !== 'settled') throw new Error(`${toolCallId} returned ${output}`);
};

/** One request; returns whether there is nothing left to do for it. */
async function handle({ chatId, messages }) {
  const taken = await claims.take(chatId, messages);
  if (!taken.ok) return taken.error !== 'running';
  for (const { toolCallId, result } of taken.done) check(toolCallId, result.output);
  await pause();
  const { rm } = claims.tools({ rm: tool }, { chatId });
  // The SDK asks for what is done, too; now and then is enough here.
  const again = taken.done.filter(({ type }) => type === 'approved' && random() < 0.1);
  const modelMessages = modelMessagesOf(messages);
  const calls = [...taken.run, ...again].map(async ({ toolCallId, part }) =>
    check(toolCallId, await rm.execute(part.input, { toolCallId, messages: modelMessages })),
  );
  // What another server's clock ended in between, or what was denied meanwhile, does not run here.
  const ends = await Promise.allSettled(calls);
  for (const { reason } of ends) if (reason !== undefined && reason.code !== 'claim-refused') throw reason;
  return ends.every(({ status }) => status === 'fulfilled');
}

async function handleAll(requests) {
  for (let open = requests; open.length > 0; await pause()) {
    const order = shuffled(open);
    const left = new Set();
    for (let i = 0; i < order.length; i += 3) {
      const some = order.slice(i, i + 3);
      if (random() < 0.3) some.push(some[0]);
      await Promise.all(some.map(async (request) => void ((await handle(request)) || left.add(request))));
    }
    open = [...left];
  }
}

process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [from, to] = line.split(' ').map(Number);
  const chats = Array.from({ length: to - from }, (_, i) => from + i);
  await handleAll(chats.flatMap(requestsOf));
  process.stdout.write('done\n');
}
await close();
