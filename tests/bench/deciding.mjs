// What a question to the predicate costs, beside the predicates of the AI SDK.
import { answering, deep, spread, waiting } from './chats.mjs';
import { race, ratio, summary } from './measure.mjs';

const SIZES = [1, 10, 100, 1_000, 10_000];
const CALLS = [1, 10, 100];
/** How many copies of a chat are asked about in turn: no answer can be found by the identity of its list. */
const COPIES = 64;
/** How many guards give one yes each in a round. */
const YESES = 128;

/** A server that takes what a request carries, and responds with nothing. */
export const server = {
  sendMessages: async () => new ReadableStream({ start: (controller) => controller.close() }),
  reconnectToStream: async () => null,
};

/** Sends a list, and reads the response to its end. */
export async function send(transport, messages) {
  const options = { chatId: 'chat', messages, trigger: 'submit-message', messageId: undefined };
  const reader = (await transport.sendMessages(options)).getReader();
  while (!(await reader.read()).done);
  return true;
}

/**
 * A guard as a page has it: it is attached to its chat, which has these messages, and the server has them.
 *
 * @returns the chat, and what detaches it
 */
export async function prime(guard, messages) {
  const chat = { id: 'chat', messages, status: 'ready', sendMessage() {}, addToolApprovalResponse() {} };
  const detach = guard.attach(chat);
  if (messages.length > 0) await send(guard.transport(server), messages);
  return { chat, detach };
}

/** Questions in turn about each list. */
const asking = (predicate, questions) => ({ ask: (i) => predicate(questions[i % questions.length]) });

async function no(makers, stock, messages, calls, copy, options) {
  const { before, lists } = waiting(messages, calls, copy, COPIES);
  const questions = lists.map((list) => ({ messages: list }));
  const contenders = { approvals: asking(stock.approvals, questions), pair: asking(stock.pair, questions) };
  for (const [name, make] of Object.entries(makers)) {
    const guard = make({ chatId: 'chat', clientTools: ['pick_file'], ...options });
    const { chat } = await prime(guard, before);
    [chat.messages] = lists;
    for (const question of questions)
      if (guard.sendAutomaticallyWhen(question)) throw new Error(`${name} sends early`);
    contenders[name] = asking(guard.sendAutomaticallyWhen, questions);
  }
  return race(contenders);
}

/** The grid: every size and number of calls, as ratios to the predicates of the SDK. */
export async function deciding(makers, stock, log) {
  const rows = [];
  for (const [copy, name, sizes] of [
    [spread, 'spread', SIZES],
    [deep, 'deep', [10]],
  ]) {
    for (const calls of CALLS) {
      for (const messages of sizes) {
        const figures = await no(makers, stock, messages, calls, copy);
        rows.push({
          copies: name,
          messages,
          calls,
          micros: Object.fromEntries(Object.keys(figures).map((key) => [key, summary(figures[key])])),
          toApprovals: ratio(figures, 'guard', 'approvals'),
          toPair: ratio(figures, 'guard', 'pair'),
          toPlain: ratio(figures, 'guard', 'plain'),
        });
      }
      log(`deciding, ${name} copies, ${calls} calls`);
    }
  }
  return rows;
}

/** A question, with and without an end, which the guard has to ask its engine about, on both engines. */
export async function onBoth(makers, stock, log) {
  const rows = [];
  for (const calls of CALLS) {
    for (const [what, options] of [
      ['a question', {}],
      ['a question with an end', { expiresMs: 3_600_000 }],
    ]) {
      const figures = await no(makers, stock, 10, calls, spread, options);
      const micros = Object.fromEntries(Object.keys(makers).map((name) => [name, summary(figures[name])]));
      rows.push({ what, calls, micros, toWasm: ratio(figures, 'javascript', 'wasm') });
    }
  }
  for (const { calls, micros } of await yes(makers, stock, log)) {
    const toWasm = Object.entries(micros.javascript).map(([at, time]) => [at, time / micros.wasm.median]);
    rows.push({ what: 'one yes', calls, micros, toWasm: Object.fromEntries(toWasm) });
  }
  log('both engines');
  return rows;
}

/**
 * The same question while time or a draft matters to it: with `expiresMs`, and after a first decision. Then
 * a guard looks at the clock, and reads the inputs again.
 */
export async function expiring(make, stock, log) {
  const rows = [];
  for (const calls of [1, 10, 100]) {
    const { before, lists } = waiting(10, calls, spread, COPIES);
    const questions = lists.map((list) => ({ messages: list }));
    const contenders = { approvals: asking(stock.approvals, questions) };
    for (const [name, options, drafts] of [
      ['off', {}, false],
      ['on', { expiresMs: 3_600_000 }, false],
      ['drafted', { undoMs: Infinity }, true],
    ]) {
      const guard = make({ chatId: 'chat', clientTools: ['pick_file'], ...options });
      const { chat } = await prime(guard, before);
      [chat.messages] = lists;
      guard.sendAutomaticallyWhen(questions[0]);
      if (drafts) {
        const id = `open-${calls - 1}`;
        guard.decide(id, 'allow-once');
        if (guard.undo(id).type !== 'undone') throw new Error('a draft is not undone');
      }
      for (const question of questions)
        if (guard.sendAutomaticallyWhen(question)) throw new Error(`${name} sends early`);
      contenders[name] = asking(guard.sendAutomaticallyWhen, questions);
    }
    const figures = await race(contenders);
    rows.push({
      calls,
      micros: Object.fromEntries(Object.keys(figures).map((key) => [key, summary(figures[key])])),
      onToOff: ratio(figures, 'on', 'off'),
      toApprovals: Object.fromEntries(
        ['off', 'on', 'drafted'].map((name) => [name, ratio(figures, name, 'approvals')]),
      ),
    });
  }
  log('deciding, with an end');
  return rows;
}

/** One yes: a call goes from asked to answered. A guard says it once, so that each yes needs a guard of its own. */
export async function yes(makers, stock, log) {
  const rows = [];
  for (const calls of CALLS) {
    const figures = {
      approvals: [],
      pair: [],
      ...Object.fromEntries(Object.keys(makers).map((name) => [name, []])),
    };
    for (let round = 0; round < 14; round++) {
      const chats = Array.from({ length: YESES }, () => answering(calls));
      const predicates = {
        approvals: chats.map(() => stock.approvals),
        pair: chats.map(() => stock.pair),
      };
      const guards = [];
      for (const [name, make] of Object.entries(makers)) {
        predicates[name] = [];
        for (const { before, open } of chats) {
          const guard = make({ chatId: 'chat' });
          const { chat } = await prime(guard, before);
          chat.messages = open;
          guard.sendAutomaticallyWhen({ messages: open });
          predicates[name].push(guard.sendAutomaticallyWhen);
          guards.push(guard);
        }
      }
      for (const name of Object.keys(figures)) {
        let sum = 0;
        const start = performance.now();
        for (let i = 0; i < YESES; i++) sum += predicates[name][i]({ messages: chats[i].settled }) ? 1 : 0;
        const time = performance.now() - start;
        if (sum !== YESES) throw new Error(`${name} says ${sum} times yes, of ${YESES}`);
        // The first rounds are compiled to.
        if (round >= 3) figures[name].push((time * 1000) / YESES);
      }
      for (const guard of guards) guard.dispose?.();
      // The leases end with the turn.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    rows.push({
      calls,
      micros: Object.fromEntries(Object.keys(figures).map((key) => [key, summary(figures[key])])),
    });
  }
  log('one yes');
  return rows;
}
