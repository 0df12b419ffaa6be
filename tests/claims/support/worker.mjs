// A server that is killed. Each line of its input names the first chat and the one behind the last. The server takes the
// requests of these chats in random order, some of them at once and twice, and its tool writes a line into a file. Now
// and then its connection to the store breaks, before or after a transaction is stored. It prints a line when it is
// ready, and when no request is left. `node worker.mjs <file> <place of the store> <seed> <milliseconds that its clock
// is wrong>`.
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
/** The store, over a connection that breaks. */
const breaking = {
  ...store,
  transact: async (...transaction) => {
    const number = random();
    if (number < 0.005) throw new Error('The connection is gone.');
    await store.transact(...transaction);
    if (number > 0.995) throw new Error('The connection is gone.');
  },
};
// What is reported is in the claims, too.
const claims = createClaims({ store: breaking, leaseMs: 400, onError: () => {} });
const tool = {
  execute: async (_input, options) => {
    await pause();
    writeSync(effects, `${idempotencyKey(options)}\n`);
    await pause();
    return options.toolCallId;
  },
};
const DID_NOT_RUN = 'The store of the claims failed, so the tool did not run.';
const check = (toolCallId, { output, errorText }) => {
  if (output === toolCallId || output === 'settled' || errorText === DID_NOT_RUN) return;
  throw new Error(`${toolCallId} returned ${output ?? errorText}`);
};
/** The end of what has no connection meanwhile, or was refused. */
const unlessBroken = (error) => {
  if (error.code === 'storage-failed' || error.code === 'claim-refused') return undefined;
  throw error;
};

/** One request; returns whether there is nothing left to do for it. */
async function handle({ chatId, messages }) {
  const taken = await claims.take(chatId, messages).catch(unlessBroken);
  if (taken === undefined) return false;
  if (!taken.ok) return taken.error !== 'running';
  for (const { toolCallId, result } of taken.done) check(toolCallId, result);
  await pause();
  const { rm } = claims.tools({ rm: tool }, { chatId });
  // The SDK asks for what is done, too; now and then is enough here.
  const again = taken.done.filter(({ type }) => type === 'approved' && random() < 0.1);
  const modelMessages = modelMessagesOf(messages);
  // What another server's clock ended in between, or what was denied meanwhile, does not run here.
  const ends = await Promise.all(
    [...taken.run, ...again].map(async ({ toolCallId, part }) => {
      const options = { toolCallId, messages: modelMessages };
      const output = await rm.execute(part.input, options).catch((error) => {
        if (error.message === DID_NOT_RUN) return toolCallId;
        return unlessBroken(error);
      });
      if (output !== undefined) check(toolCallId, { output });
      return output !== undefined;
    }),
  );
  return ends.every(Boolean);
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
