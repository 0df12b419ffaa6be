// The memory of guards, each measurement in a process of its own with `--expose-gc`; imported, it starts
// these processes.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROUNDS = 10;
const GUARDS = 10_000;
/** Guards at rest: so many at a time that the pages of the wasm memory do not matter. */
const RESTING = 1_500;
const BATCHES = 4;
/** Guards that nobody disposes of. */
const DROPPED = 1_000;
/** Grants of one chat, and in how many chats. */
const GRANTS = 1_000;
const CHATS = 4;

const start = (...what) =>
  JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), ...what], {
      encoding: 'utf8',
    }),
  );

/**
 * @returns heap and wasm memory in bytes after each round of guards; of a guard at rest, by what it is
 * attached to; and of a grant
 */
export const memory = () => ({
  ...start('rounds'),
  dropped: start('dropped'),
  resting: Object.fromEntries(Object.keys(states).map((name) => [name, start('resting', name)])),
  inJavaScript: start('resting', RENDERED, 'javascript/sync'),
  grants: { once: start('grants', 'allow-once'), chat: start('grants', 'allow-chat') },
  day: start('day'),
});

/** The package keeps its memory to itself, so it is caught when it is made. */
let wasm;
/** Those of all modules. */
const modules = [];
/** @param entry `sync`, or `javascript/sync`, whose memory is an array buffer that the process counts */
async function load(entry = 'sync') {
  if (entry !== 'sync') {
    const { createApprovalGuard } = await import(`../../pkg/${entry}.js`);
    wasm = {
      buffer: {
        get byteLength() {
          return process.memoryUsage().arrayBuffers;
        },
      },
    };
    return createApprovalGuard;
  }
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function (...given) {
    const instance = new Instance(...given);
    // Another module, which imports nothing, only reads the text of the one that is meant.
    if (given.length === 1) return instance;
    // By its kind: the build shortens the names of what a module exports.
    wasm = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
    modules.push(wasm);
    return instance;
  };
  const { createApprovalGuard } = await import('../../pkg/sync.js');
  return createApprovalGuard;
}

async function now() {
  // Leases end with the turn.
  // Finalizers run in tasks of their own, and what they drop is collected only after them.
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc();
  }
  return { heap: process.memoryUsage().heapUsed, wasm: wasm.buffer.byteLength };
}

/** Creating and disposing guards must leave memory as it was. */
async function rounds() {
  const createApprovalGuard = await load();
  const { prime } = await import('./deciding.mjs');
  const { answering } = await import('./chats.mjs');
  const chat = answering(2);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let i = 0; i < GUARDS; i++) {
      const guard = createApprovalGuard({ chatId: 'chat' });
      const unsubscribe = guard.subscribe(() => {});
      void prime(guard, chat.before);
      guard.sendAutomaticallyWhen({ messages: chat.open });
      guard.getSnapshot();
      if (i % 2) guard.sendAutomaticallyWhen({ messages: chat.settled });
      unsubscribe();
      guard.dispose();
    }
    const time = performance.now() - start;
    rounds.push({ ...(await now()), micros: (time * 1000) / GUARDS });
  }
  return { guards: GUARDS, rounds };
}

/** Nobody disposes of these, and nobody holds them: how many are there after each round, and what they take. */
async function dropped() {
  const createApprovalGuard = await load();
  const { Chat } = await import('@ai-sdk/react');
  const chats = await import('./chats.mjs');
  const { calls, use } = states[RENDERED];
  /** In a function of its own, whose variables end with it. */
  const drop = (i) => {
    const guard = createApprovalGuard({ chatId: 'chat', expiresMs: 3_600_000 });
    const parts = calls.map((part, n) => part(`call-${i}-${n}`, chats));
    const messages = [chats.user('user'), chats.assistant('assistant', parts)];
    const transport = guard.transport({ sendMessages: () => {}, reconnectToStream: () => {} });
    const { sendAutomaticallyWhen } = guard;
    use(guard, new Chat({ id: 'chat', messages, transport, sendAutomaticallyWhen }));
    return new WeakRef(guard);
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const guards = Array.from({ length: DROPPED }, (_, i) => drop(i));
    await now();
    // Finalizers run in tasks.
    const { heap, wasm } = await now();
    rounds.push({ heap, wasm, held: guards.filter((guard) => guard.deref() !== undefined).length });
  }
  return { guards: DROPPED, rounds };
}

const settled = (call, { allowed }) => ({
  ...allowed(call),
  state: 'output-available',
  output: { text: 'A line of text.' },
});
const RENDERED = 'and a page has rendered them';
/** What a guard at rest has done, and the parts of its chat. */
const states = {
  'created, not used': { calls: [], use: () => {} },
  'attached, 2 settled calls': { calls: [settled, settled], use: (guard, chat) => void guard.attach(chat) },
  'attached, 2 open calls': {
    calls: [(call, { asked }) => asked(call), (call, { asked }) => asked(call)],
    use: (guard, chat) => void guard.attach(chat),
  },
  [RENDERED]: {
    calls: [(call, { asked }) => asked(call), (call, { asked }) => asked(call)],
    use: (guard, chat) => {
      guard.attach(chat);
      guard.subscribe(() => {});
      guard.getSnapshot();
    },
  },
};

/** What guards add to chats that are there already, and what is left when they are disposed of. */
async function resting(name, entry) {
  const createApprovalGuard = await load(entry);
  const { Chat } = await import('@ai-sdk/react');
  const chats = await import('./chats.mjs');
  const { calls, use } = states[name];
  const all = Array.from({ length: RESTING * (BATCHES + 1) }, (_, i) => {
    const parts = calls.map((part, n) => part(`call-${i}-${n}`, chats));
    const messages = [chats.user('user'), chats.assistant('assistant', parts)];
    return new Chat({ id: 'chat', messages });
  });
  const guards = new Array(all.length);
  const create = (from, to) => {
    for (let i = from; i < to; i++) use((guards[i] = createApprovalGuard({ chatId: 'chat' })), all[i]);
  };
  const dispose = () => {
    for (const [i, guard] of guards.entries()) {
      guard?.dispose();
      guards[i] = undefined;
    }
  };
  // What all guards share is there before, and so are the shapes of the functions that `attach` puts on a chat.
  createApprovalGuard().sendAutomaticallyWhen({ messages: [] });
  create(0, RESTING);
  const batches = [await now()];
  for (let batch = 1; batch <= BATCHES; batch++) {
    create(RESTING * batch, RESTING * (batch + 1));
    batches.push(await now());
  }
  const each = (field) => batches.slice(1).map((after, i) => (after[field] - batches[i][field]) / RESTING);
  dispose();
  const disposed = await now();
  // What was given back is used again.
  create(0, all.length);
  const again = await now();
  dispose();
  const end = await now();
  return {
    guards: all.length,
    heap: each('heap'),
    wasm: each('wasm'),
    // What the second time left beyond the first one, and the pages that it needed beyond those.
    left: { heap: (end.heap - disposed.heap) / all.length, wasm: again.wasm - disposed.wasm },
  };
}

/** Chats in which many different inputs were decided. */
async function grants(choice) {
  const createApprovalGuard = await load();
  const { decided, inputs } = await import('./granting.mjs');
  const given = inputs(GRANTS);
  (await decided(createApprovalGuard, given, choice)).guard.dispose();
  const chats = [];
  const before = await now();
  for (let i = 0; i < CHATS; i++) chats.push(await decided(createApprovalGuard, given, choice));
  const after = await now();
  for (const { guard } of chats) guard.dispose();
  chats.length = 0;
  const disposed = await now();
  const per = (field) => (after[field] - before[field]) / CHATS / GRANTS;
  return {
    grants: GRANTS,
    heap: per('heap'),
    wasm: per('wasm'),
    left: (disposed.heap - before.heap) / CHATS / GRANTS,
  };
}

/** How many events of a busy chat, and how often the memory is looked at: it is flat from the second look on. */
const EVENTS = 100_000;
const LOOKS = 10;

/** A chat that goes on all day, with a record, of which the application keeps the latest messages. */
async function day() {
  const createApprovalGuard = await load();
  const { createRecord } = await import('../../pkg/record.js');
  const recording = await import('./recording.mjs');
  const looks = [];
  const look = async (events) => {
    const { heap } = await now();
    looks.push({ events, heap, wasm: modules.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) });
  };
  const begin = performance.now();
  const options = { events: EVENTS, every: EVENTS / LOOKS, look };
  const { events, kept } = await recording.day({ createApprovalGuard, createRecord }, options);
  return { events, kept, looks, seconds: (performance.now() - begin) / 1_000 };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, ...of] = process.argv.slice(2);
  console.log(JSON.stringify(await { rounds, dropped, resting, grants, day }[what](...of)));
  process.exit(0);
}
