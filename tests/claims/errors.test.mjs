// A store that is down, too old, too new or damaged: a GuardError with a stable code, nothing runs, nothing is lost.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { Redis } from 'ioredis';
import pg from 'pg';
import { createClaims, memoryClaims, sqliteClaims } from 'tool-approval-guard/claims';

import { sdk7 } from '../package/support/sdk.mjs';
import { answered, asking, assistant, user } from '../package/support/stored.mjs';
import { guarded } from './support/chat.mjs';
import { openFile, stores } from './support/stores.mjs';

const is = (code) => (error) => error.name === 'GuardError' && error.code === code;
const question = assistant('a1', asking('c1', 'rm'));
const yes = [user(), assistant('a1', answered('c1', 'rm', true))];

/** What `execute` is passed after an approval. */
const optionsOf = async (messages, tools) => ({
  toolCallId: 'c1',
  messages: await sdk7.ai.convertToModelMessages(messages, { tools }),
});

/** Everything that uses the store fails with this code, and the tool does not run. */
async function nothingRuns(claims, code) {
  const ran = [];
  const tools = { rm: guarded(sdk7, () => ran.push('ran')) };
  const wrapped = claims.tools(tools, { chatId: 'chat' });
  const options = await optionsOf(yes, tools);
  for (const use of [
    () => claims.asked('chat', question),
    () => claims.take('chat', yes),
    () => wrapped.rm.execute({}, options),
    () => claims.inDoubt(),
    () => claims.settle({ chatId: 'chat', approvalId: 'ap-c1' }, { output: 1 }),
    () => claims.forget({ before: new Date() }),
  ]) {
    await assert.rejects(use, is(code), String(use));
  }
  assert.deepEqual(ran, []);
}

/** A damaged claim is an error, and the tool does not run. The list of what is in doubt reports it, and has the others. */
async function isUnreadable(store, chatId) {
  const ran = [];
  const reported = [];
  const claims = createClaims({ store, onError: (error) => reported.push(error) });
  await comesInDoubt(claims, 'other');
  assert.deepEqual(
    (await claims.inDoubt()).map((doubt) => doubt.chatId),
    ['other'],
  );
  assert.deepEqual(
    reported.map((error) => [is('claims-unreadable')(error), error.message.includes(`chat ${chatId}`)]),
    [[true, true]],
  );
  const tools = { rm: guarded(sdk7, () => ran.push('ran')) };
  const options = await optionsOf(yes, tools);
  for (const use of [
    () => claims.asked(chatId, question),
    () => claims.take(chatId, yes),
    () => claims.tools(tools, { chatId }).rm.execute({}, options),
    () => claims.settle({ chatId, approvalId: 'ap-c1' }, { output: 1 }),
  ]) {
    await assert.rejects(use, is('claims-unreadable'), String(use));
  }
  assert.deepEqual(ran, []);
}

/** A call of the chat is stopped while it runs, so nobody knows whether it has run. */
async function comesInDoubt(claims, chatId) {
  const stop = new AbortController();
  const tools = {
    rm: guarded(sdk7, () => {
      stop.abort();
      throw new Error('stopped');
    }),
  };
  await claims.asked(chatId, question);
  await claims.take(chatId, yes);
  const options = { ...(await optionsOf(yes, tools)), abortSignal: stop.signal };
  await assert.rejects(claims.tools(tools, { chatId }).rm.execute({}, options));
}

/** How each database is made to have another schema, and a damaged claim. */
const damage = {
  sqlite: async ({ file }, sql) => void openFile(file).exec(sql),
  postgres: async ({ url }, sql) => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(sql);
    await client.end();
  },
};

for (const [name, change] of Object.entries(damage)) {
  describe(name, () => {
    let database;
    before(async () => (database = await stores[name]()));
    after(() => database.close());

    test('a schema that is too new or too old', async () => {
      await createClaims({ store: await database.open() }).asked('chat', question);
      for (const [version, code] of [
        [2, 'storage-newer'],
        [0, 'storage-older'],
      ]) {
        await change(database, `update tool_approval_claims_schema set version = ${version}`);
        await nothingRuns(createClaims({ store: await database.open() }), code);
      }
      await change(database, 'update tool_approval_claims_schema set version = 1');
      const { run } = await createClaims({ store: await database.open() }).take('chat', yes);
      assert.equal(run.length, 1, 'and nothing was lost');
    });

    test('a claim that cannot be read', async () => {
      const claims = createClaims({ store: await database.open() });
      await claims.asked('damaged', question);
      const where = "where chat = 'damaged'";
      await change(
        database,
        `update tool_approval_claims set data = replace(data, 'asked', 'lost'), doubtful = 1 ${where}`,
      );
      await isUnreadable(await database.open(), 'damaged');
      await claims.asked('well', question);
      assert.equal((await claims.take('well', yes)).ok, true, 'another chat goes on');
      await change(
        database,
        `update tool_approval_claims set data = replace(data, 'lost', 'asked'), doubtful = null ${where}`,
      );
      assert.equal((await claims.take('damaged', yes)).ok, true, 'and nothing was lost');
    });
  });
}

describe('redis', () => {
  let database;
  before(async () => (database = await stores.ioredis()));
  after(() => database.close());

  test('a schema that is too new or too old, and a claim that cannot be read', async (t) => {
    const client = new Redis(database.url);
    t.after(() => client.disconnect());
    await createClaims({ store: await database.open() }).asked('chat', question);
    for (const [version, code] of [
      ['2', 'storage-newer'],
      ['what', 'storage-older'],
    ]) {
      await client.set('{tool-approval-claims}:schema', version);
      await nothingRuns(createClaims({ store: await database.open() }), code);
    }
    await client.set('{tool-approval-claims}:schema', '1');
    const claims = createClaims({ store: await database.open() });
    const key = '{tool-approval-claims}:claims:chat';
    const kept = await client.hget(key, 'ap-c1');
    await client.hset(key, 'ap-c1', kept.replace('asked', 'lost'));
    await client.zadd('{tool-approval-claims}:doubtful', 1, '["chat","ap-c1"]');
    await isUnreadable(await database.open(), 'chat');
    await client.hset(key, 'ap-c1', kept);
    await client.zrem('{tool-approval-claims}:doubtful', '["chat","ap-c1"]');
    assert.equal((await claims.take('chat', yes)).ok, true, 'and nothing was lost');
  });
});

/** The network in front of a server, which can be taken away. */
async function network(url) {
  const { port, hostname } = new URL(url);
  const sockets = new Set();
  let isDown = false;
  const server = net.createServer((socket) => {
    if (isDown) return void socket.destroy();
    const other = net.connect(Number(port), hostname);
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ]) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => (sockets.delete(one), two.destroy()));
      one.pipe(two);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = new URL(url);
  address.port = `${server.address().port}`;
  return {
    url: address.href,
    set: (isNowDown) => {
      isDown = isNowDown;
      if (isDown) for (const socket of sockets) socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

for (const name of ['postgres', 'ioredis']) {
  test(`${name} that is down, and comes back`, async (t) => {
    const database = await stores[name]();
    const between = await network(database.url);
    // What is left open would keep the process from ending.
    t.after(async () => {
      between.set(true);
      await database.close();
      await between.close();
    });
    const claims = createClaims({ store: await database.open(between.url) });
    await claims.asked('chat', question);
    between.set(true);
    await nothingRuns(claims, 'storage-failed');
    between.set(false);
    const { run } = await claims.take('chat', yes);
    assert.equal(run.length, 1, 'and nothing was lost');
  });
}

test('a file that another process keeps, and one that is closed', async () => {
  const database = await stores.sqlite();
  const store = await database.open();
  await createClaims({ store }).asked('chat', question);
  const other = openFile(database.file);
  other.exec('begin immediate');
  const impatient = openFile(database.file);
  const claims = createClaims({
    store: sqliteClaims({
      prepare: (sql) => impatient.prepare(sql),
      exec: (sql) => impatient.exec(sql.replace('5000', '50')),
    }),
  });
  await nothingRuns(claims, 'storage-busy');
  other.exec('rollback');
  assert.equal((await claims.take('chat', yes)).ok, true);
  impatient.close();
  await nothingRuns(createClaims({ store: sqliteClaims(impatient) }), 'storage-failed');
  await database.close();
});

/** A store over another one, in which some transactions break before or after they are stored. */
function breaking(store) {
  const plan = [];
  return {
    plan,
    ...store,
    transact: async (...transaction) => {
      const when = plan.shift();
      if (when === 'before') throw new Error('The connection is gone.');
      await store.transact(...transaction);
      if (when === 'after') throw new Error('The connection is gone.');
    },
  };
}

describe('a connection that breaks', () => {
  async function scene() {
    const ran = [];
    const problems = [];
    const store = breaking(memoryClaims());
    const claims = createClaims({ store, leaseMs: 100, onError: (error) => problems.push(error.code) });
    await claims.asked('chat', question);
    const tools = { rm: guarded(sdk7, () => (ran.push('ran'), 'removed')) };
    const options = await optionsOf(yes, tools);
    const execute = () => claims.tools(tools, { chatId: 'chat' }).rm.execute({}, options);
    return { ran, problems, claims, execute, plan: store.plan };
  }
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  for (const when of ['before', 'after']) {
    test(`${when} taking is stored: nothing runs, and after the lease it can be taken`, async () => {
      const { ran, claims, execute, plan } = await scene();
      plan.push(when);
      await assert.rejects(claims.take('chat', yes), is('storage-failed'));
      await assert.rejects(execute(), is('claim-refused'));
      await pause(120);
      assert.equal((await claims.take('chat', yes)).ok, true);
      assert.equal(await execute(), 'removed');
      assert.deepEqual([ran, await claims.inDoubt()], [['ran'], []]);
    });
  }

  test('after the start is stored: the call does not run, and whoever knows that says so', async () => {
    const { ran, claims, execute, plan } = await scene();
    await claims.take('chat', yes);
    plan.push('after');
    await assert.rejects(execute(), is('storage-failed'));
    const { done } = await claims.take('chat', yes);
    assert.match(done[0].result.errorText, /did not run/);
    assert.deepEqual([ran, await claims.inDoubt()], [[], []]);
  });

  test('for longer after the start is stored: the call did not run, and is in doubt', async () => {
    const { ran, claims, execute, plan } = await scene();
    await claims.take('chat', yes);
    plan.push('after', 'before');
    await assert.rejects(execute(), is('storage-failed'));
    await pause(120);
    assert.deepEqual([ran, (await claims.inDoubt()).length], [[], 1]);
  });

  for (const when of ['before', 'after']) {
    test(`${when} the result is stored: it is stored again`, async () => {
      const { ran, problems, claims, execute, plan } = await scene();
      await claims.take('chat', yes);
      plan.push(undefined, when);
      assert.equal(await execute(), 'removed');
      const { done } = await claims.take('chat', yes);
      assert.deepEqual([ran, done[0].result, problems], [['ran'], { output: 'removed' }, []]);
    });
  }

  test('for so long that the result is lost: the model gets it, and the call is in doubt', async () => {
    const { ran, problems, claims, execute, plan } = await scene();
    await claims.take('chat', yes);
    plan.push(undefined, ...Array(4).fill('before'));
    assert.equal(await execute(), 'removed');
    assert.deepEqual([ran, problems], [['ran'], ['storage-failed']]);
    await pause(120);
    assert.equal((await claims.take('chat', yes)).error, 'in-doubt');
  });
});

/** What an earlier call of the list may have come to, and its reason. */
const earlier = [
  { output: 12.5 },
  { output: 1e21 },
  { output: -0.1 },
  { output: { lat: 48.2, lone: '\ud83d' } },
  { output: JSON.parse('['.repeat(500) + ']'.repeat(500)) },
  { state: 'output-error', output: undefined, errorText: 'half \ude00' },
];

for (const [at, fields] of earlier.entries()) {
  test(`a list with an earlier result that the claims need not read, ${at + 1}`, async () => {
    const claims = createClaims({ store: memoryClaims() });
    await claims.asked('chat', question);
    const before = { type: 'tool-price', toolCallId: 'c0', state: 'output-available', input: {}, ...fields };
    const answer = yes[1];
    const approval = { ...answer.parts.at(-1).approval, reason: 'cut \ud83d' };
    const last = { ...answer.parts.at(-1), approval };
    const parts = [{ type: 'step-start' }, before, { type: 'step-start' }, last];
    const { ok, run } = await claims.take('chat', [yes[0], { ...answer, parts }]);
    assert.deepEqual([ok, run.length], [true, 1]);
  });
}

test('a lease of a part of a millisecond', async () => {
  const claims = createClaims({ store: memoryClaims(), leaseMs: 1000.5 });
  await claims.asked('chat', question);
  assert.equal((await claims.take('chat', yes)).ok, true);
});

test('options and arguments that are wrong', async () => {
  const store = memoryClaims();
  for (const options of [
    undefined,
    {},
    { store: {} },
    { store, leaseMs: 1 },
    { store, lease: 1 },
    { store, clientTools: 1 },
  ]) {
    assert.throws(() => createClaims(options), is('invalid-option'));
  }
  const claims = createClaims({ store });
  for (const use of [
    () => claims.asked('', question),
    () => claims.asked('a\0', question),
    () => claims.asked('\ud800', question),
    () => claims.asked('chat', [question]),
    () => claims.asked('chat', { ...question, role: undefined }),
    () => claims.asked('chat', { ...question, role: 'user' }),
    () => claims.asked('chat', question, { until: 'soon' }),
    () => claims.take('chat', [], { user: 7 }),
    () => claims.settle({ chatId: 'chat', approvalId: 'a' }, {}),
    () => claims.settle({ chatId: 'chat', approvalId: 'a' }, { output: 1n }),
    () => claims.forget({}),
  ]) {
    await assert.rejects(use, is('invalid-input'), String(use));
  }
  assert.throws(() => claims.tools({}, {}), is('invalid-input'));
  assert.throws(() => claims.tools(undefined, { chatId: 'chat' }), is('invalid-option'));
  await assert.rejects(claims.inDoubt({ limit: 0 }), is('invalid-option'));
});

test('an output that JSON cannot express reaches the model, and is not stored', async () => {
  const claims = createClaims({ store: memoryClaims() });
  await claims.asked('chat', question);
  await claims.take('chat', yes);
  const tools = { rm: guarded(sdk7, () => 1n) };
  const wrapped = claims.tools(tools, { chatId: 'chat' });
  assert.equal(await wrapped.rm.execute({}, await optionsOf(yes, tools)), 1n);
  assert.equal((await claims.take('chat', yes)).error, 'replayed');
});

test('a wrapped tool that is not told its messages does not run: they alone say which approval it has', async () => {
  const ran = [];
  const claims = createClaims({ store: memoryClaims() });
  const tools = { rm: guarded(sdk7, () => ran.push('ran')) };
  await claims.asked('chat', question);
  const { run } = await claims.take('chat', yes);
  assert.equal(run.length, 1);
  const { rm } = claims.tools(tools, { chatId: 'chat' });
  for (const messages of [undefined, [], 'text']) {
    assert.throws(() => rm.execute({}, { toolCallId: 'c1', messages }), is('claim-refused'));
  }
  assert.deepEqual(ran, []);
  await rm.execute({}, await optionsOf(yes, tools));
  assert.deepEqual(ran, ['ran'], 'nothing was lost');
  await rm.execute({}, await optionsOf(yes, tools));
  assert.deepEqual(ran, ['ran'], 'the second time it gets the stored result');
});

test('a call whose messages have its request alone, without the call, is claimed as any other', async () => {
  const ran = [];
  const claims = createClaims({ store: memoryClaims() });
  const { rm } = claims.tools({ rm: guarded(sdk7, () => ran.push('ran')) }, { chatId: 'chat' });
  const request = { type: 'tool-approval-request', approvalId: 'ap-c1', toolCallId: 'c1' };
  const options = { toolCallId: 'c1', messages: [{ role: 'assistant', content: [request] }] };
  await claims.asked('chat', question);
  await assert.rejects(rm.execute({}, options), is('claim-refused'));
  assert.equal((await claims.take('chat', yes)).run.length, 1);
  await rm.execute({}, options);
  await rm.execute({}, options);
  assert.deepEqual(ran, ['ran']);
});

test('a call that ends while its lease is renewed is not renewed any more', async () => {
  const inner = memoryClaims();
  let transactions = 0;
  let isOver = false;
  let renewing;
  const renewal = new Promise((resolve) => (renewing = resolve));
  let release = () => {};
  const store = {
    ...inner,
    transact: async (...given) => {
      transactions += 1;
      // If it is renewed all the same, that ends with this test.
      if (isOver) await new Promise(() => {});
      await inner.transact(...given);
      // After asking, taking and starting, the first renewal: the tool ends before it is over.
      if (transactions !== 4) return;
      renewing();
      await new Promise((resolve) => (release = resolve));
    },
  };
  const claims = createClaims({ store, leaseMs: 100 });
  const tools = { rm: guarded(sdk7, () => renewal) };
  const { rm } = claims.tools(tools, { chatId: 'chat' });
  await claims.asked('chat', question);
  await claims.take('chat', yes);
  await rm.execute({}, await optionsOf(yes, tools));
  release();
  const ended = transactions;
  await new Promise((resolve) => setTimeout(resolve, 200));
  isOver = true;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(transactions, ended);
});
