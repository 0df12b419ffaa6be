// A server that is killed: it takes the requests of a file in random order, some of them at once and twice, and its tool
// writes a line. `node worker.mjs <folder> <place of the store> <seed> <milliseconds that its clock is wrong>`.
import { openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';

import { createClaims, idempotencyKey } from 'tool-approval-guard/claims';

import { openStore } from './kills.mjs';

const [folder, place, seed, skew] = process.argv.slice(2);
const now = Date.now;
Date.now = () => now() + Number(skew);

/** A small generator of random numbers, so that a seed repeats a run. */
let state = Number(seed);
const random = () => {
  state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) >>> 0;
  return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
};
const pause = () => new Promise((resolve) => setTimeout(resolve, random() * 6));

const requests = JSON.parse(readFileSync(path.join(folder, 'requests.json'), 'utf8'));
const effects = openSync(path.join(folder, 'effects'), 'a');
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

/** One request; returns whether there is nothing left to do for it. */
async function handle({ chatId, messages, modelMessages }) {
  const taken = await claims.take(chatId, messages);
  if (!taken.ok) return taken.error !== 'running';
  await pause();
  const { rm } = claims.tools({ rm: tool }, { chatId });
  const calls = [...taken.run, ...taken.done].map(async ({ toolCallId, part }) => {
    const output = await rm.execute(part.input, { toolCallId, messages: modelMessages });
    if (output !== toolCallId && output !== 'settled') throw new Error(`${toolCallId} returned ${output}`);
  });
  // What another server's clock ended in between does not run here.
  const ends = await Promise.allSettled(calls);
  for (const { reason } of ends) if (reason !== undefined && reason.code !== 'claim-refused') throw reason;
  return ends.every(({ status }) => status === 'fulfilled');
}

process.stdout.write('ready\n');
let open = requests;
while (open.length > 0) {
  const order = open.map((request) => [random(), request]).sort(([a], [b]) => a - b);
  const left = new Set();
  for (let i = 0; i < order.length; i += 3) {
    const some = order.slice(i, i + 3).map(([, request]) => request);
    if (random() < 0.3) some.push(some[0]);
    await Promise.all(some.map(async (request) => void ((await handle(request)) || left.add(request))));
  }
  open = [...left];
  await pause();
}
await close();
