// Guards that are used and then held by nothing, or by a single object. `let-go.test.mjs` starts this with
// `--expose-gc` and a major of the SDK, and reads what it prints.
const modules = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...given) {
  const instance = new Instance(...given);
  // Another module, which imports nothing, only reads the text of the one that is meant.
  if (given.length === 1) return instance;
  modules.push(Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory));
  return instance;
};

const { createRecord } = await import('tool-approval-guard/record');
const { createRules } = await import('tool-approval-guard/rules');
const broken = await import(`${import.meta.resolve('tool-approval-guard/sync')}?broken`);
const { createApprovalGuards } = await import('tool-approval-guard/threads');
const { createApprovalGuard, macrotask, scene } = await import('./chat.mjs');
const { gated, response, says } = await import('./chunks.mjs');
const { storageOf } = await import('./reload.mjs');
const { live } = await import('./scripted-transport.mjs');
const { sdk6, sdk7 } = await import('./sdk.mjs');
const { asking, assistant, user } = await import('./stored.mjs');

const sdk = process.argv[2] === '6' ? sdk6 : sdk7;
const GUARDS = 30;
const MINUTE = 60_000;
const two = () => response('a1', gated('c1', 'rm', { path: '/a' }), gated('c2', 'mv', { path: '/b' }));

/** Finalizers run in tasks of their own. */
async function collect() {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc();
  }
  await macrotask();
}

/** A chat with an answered call, and one with a call that is answered or only drafted. */
async function used(options) {
  const s = scene(sdk, { script: [two(), says()], ...options });
  s.guard.subscribe(() => {});
  s.guard.getSnapshot();
  await s.say();
  s.guard.getSnapshot();
  s.guard.decide('c1', 'allow-once');
  s.guard.decide('c2', 'deny');
  await s.settle();
  s.guard.getSnapshot();
  s.guard.explain();
  return s;
}

/** Objects that live as long as the page. */
const rules = createRules({ rules: [{ effect: 'deny', tool: 'mv' }] });
const kept = [];
const recordOf = (options) => {
  const record = createRecord(options);
  kept.push(record);
  return record;
};
const deadlines = { expiresMs: 60 * MINUTE, undoMs: MINUTE };

const uses = {
  'asked, answered and sent': () => used(),
  'drafts that can be undone, and deadlines': () => used({ guard: deadlines }),
  'rules that others share': () => used({ guard: { rules } }),
  'a record that is kept': () => used({ guard: { record: recordOf() } }),
  'a record with a storage that answers later, and tabs': async () => {
    const record = recordOf({ storage: storageOf(new Map(), { later: true }) });
    const s = await used({ guard: { record, ...deadlines } });
    await record.settled();
    return s;
  },
  'a response that never ends': async () => {
    const entry = live();
    const s = scene(sdk, { script: [entry] });
    void s.send();
    await entry.started;
    entry.push(two().slice(0, -2));
    await macrotask();
    s.guard.getSnapshot();
    return s;
  },
  'a module that cannot be started': () => {
    const { WebAssembly } = globalThis;
    delete globalThis.WebAssembly;
    const guard = broken.createApprovalGuard({ onError: () => {} });
    guard.sendAutomaticallyWhen({ messages: [] });
    globalThis.WebAssembly = WebAssembly;
    return { guard };
  },
  'disposed of': async () => {
    const s = await used({ guard: { rules, ...deadlines } });
    s.guard.dispose();
    return s;
  },
};

/** What is left of guards that nothing holds. */
async function dropped() {
  const found = {};
  for (const [name, use] of Object.entries(uses)) {
    const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;
    await collect();
    const before = timers();
    const all = [];
    for (let i = 0; i < GUARDS; i++) all.push(new WeakRef((await use()).guard));
    await collect();
    found[name] = {
      held: all.filter((guard) => guard.deref() !== undefined).length,
      timers: timers() - before,
    };
  }
  return found;
}

/** Whether a guard is alive, and hears its chat, while a single object is held. */
async function holding() {
  const ways = {
    transport: (s) => s.guard.transport(s.transport),
    predicate: ({ guard }) => guard.sendAutomaticallyWhen,
    unsubscribe: ({ guard }) => guard.subscribe(() => {}),
    chat: ({ chat }) => chat,
  };
  const found = {};
  for (const [name, way] of Object.entries(ways)) {
    let guard;
    let transport;
    const begin = async () => {
      // Without a chat that holds them both.
      const s = scene(sdk, { script: [two(), says()], guard: { expiresMs: 1_000 } });
      await s.say();
      guard = new WeakRef(s.guard);
      transport = s.transport;
      return way(s);
    };
    const held = await begin();
    await collect();
    found[name] = { lives: guard.deref() !== undefined };
    if (name === 'chat') {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      found[name].expired = transport.requests.length === 2 && held.messages.length > 0;
    }
    kept.push(held);
  }
  return found;
}

/** What is left of the guards of chats that come and go, while their transport and predicate are held. */
async function threads() {
  const guards = createApprovalGuards(deadlines);
  const { ScriptedTransport } = await import('./scripted-transport.mjs');
  /** Every third chat is attached, and every third one has the parts of its own guard. */
  const open = async (id, i) => {
    const inner = new ScriptedTransport([two(), says()]);
    const { transport, sendAutomaticallyWhen } = i % 3 === 2 ? guards.get(id) : guards;
    const chat = new sdk.Chat({ id, transport: transport(inner), sendAutomaticallyWhen });
    if (i % 3 === 0) guards.get(id).attach(chat);
    await chat.sendMessage({ text: 'go' });
    await chat.addToolApprovalResponse({ id: 'ap-c1', approved: false, reason: id });
    await macrotask();
    return { chat, guard: new WeakRef(guards.get(id)) };
  };
  const chats = [];
  const dropped = [];
  for (let i = 0; i < GUARDS; i++) dropped.push((await open(`d${i}`, i)).guard);
  for (let i = 0; i < 6; i++) chats.push(await open(`k${i}`, i));
  await collect();
  return {
    dropped: dropped.filter((guard) => guard.deref() !== undefined).length,
    kept: chats.map(({ chat, guard }) => guard.deref() === guards.get(chat.id)),
    knows: chats.map(({ guard }) => guard.deref()?.getSnapshot().calls[0].outcome),
  };
}

/** The memory of all modules after each of several rounds. */
async function rounds() {
  const sizes = [];
  const messages = [
    user(),
    assistant('a1', ...Array.from({ length: 20 }, (_, i) => asking(`c${i}`, i % 2 ? 'rm' : 'mv'))),
  ];
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 60; i++) {
      const guard = createApprovalGuard({ chatId: 'c', rules, record: createRecord(), ...deadlines });
      guard.subscribe(() => {});
      guard.observe(messages);
      guard.getSnapshot();
      guard.decide('c1', 'deny');
      // Collections in between, as in a page that runs for hours.
      if (i % 30 === 0) await collect();
    }
    await collect();
    sizes.push(modules.reduce((sum, { buffer }) => sum + buffer.byteLength, 0));
  }
  return sizes;
}

const [, , , what] = process.argv;
console.log(JSON.stringify(await { dropped, holding, rounds, threads }[what]()));
process.exit(0);
