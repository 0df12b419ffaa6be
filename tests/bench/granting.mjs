// What it takes until a new call that a grant covers is answered by itself: from the question of the chat to
// the yes, beside the same call without a grant, and beside a set of texts as an application has it.
import { asked, assistant, user } from './chats.mjs';
import { staged, summary } from './measure.mjs';

const SIZES = { '1 KB': 1_024, '100 KB': 102_400 };

const input = (size, name) => ({
  path: `notes/${name}.md`,
  content: 'A line of text. '.repeat(Math.ceil(size / 16)).slice(0, size - 80),
  options: { force: false, depth: 2 },
});

/** Different inputs, of 1 KB but for the last one. */
export const inputs = (count) => [
  ...Array.from({ length: count - 2 }, (_, i) => input(1_024, `other-${i}`)),
  ...Object.entries(SIZES).map(([name, size]) => input(size, name)),
];

const first = user('first');
const listOf = (id, given) => [first, assistant(`message-of-${id}`, [{ ...asked(id), input: given }])];

/** A request and a response that has nothing to say. */
export async function request(transport, messages) {
  const stream = await transport.sendMessages({ chatId: 'chat', messages, trigger: 'submit-message' });
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}
const inner = {
  sendMessages: async () => new ReadableStream({ start: (controller) => controller.close() }),
  reconnectToStream: async () => null,
};

/**
 * A chat in which these inputs were decided, one call after the other, each with its request.
 * @returns beside the guard the microseconds of each decision
 */
export async function decided(make, given, choice, options) {
  const home = {
    id: 'chat',
    messages: [],
    sendMessage: async () => {},
    addToolApprovalResponse: async () => {},
  };
  const guard = make({ chatId: 'chat', ...options });
  guard.attach(home);
  const transport = guard.transport(inner);
  const times = [];
  for (const [i, one] of given.entries()) {
    const id = `granted-${i}`;
    home.messages = listOf(id, one);
    guard.sendAutomaticallyWhen({ messages: home.messages });
    const start = performance.now();
    const { type } = guard.decide(id, choice);
    times.push((performance.now() - start) * 1000);
    if (type !== 'committed') throw new Error(`a decision is ${type}`);
    await request(transport, home.messages);
  }
  return { guard, home, transport, times };
}

/** A new call again and again, at which the guard says yes or, without a grant, no. */
function asksGuard({ guard, home, transport }, given, says) {
  const ask = (cycle) => {
    home.messages = listOf(`call-${cycle}`, { ...given });
    if (guard.sendAutomaticallyWhen(home) !== says) throw new Error(`the guard does not say ${says}`);
    return 1;
  };
  // The call is taken away, and the yes is over.
  const between = () => {
    home.messages = [first];
    return request(transport, home.messages);
  };
  return { stages: { ask }, between };
}

/** The texts of what is allowed, in a set: keys in another order are another input. */
function asksSet(granted, given, stock) {
  const text = (part) => JSON.stringify([part.type, part.input]);
  const allowed = new Set(granted.map((one) => text({ ...asked(''), input: one })));
  const answer = (part) =>
    part.state === 'approval-requested' && allowed.has(text(part))
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part;
  const ask = (cycle) => {
    const [before, last] = listOf(`call-${cycle}`, { ...given });
    const messages = [before, { ...last, parts: last.parts.map(answer) }];
    if (!stock.approvals({ messages })) throw new Error('the set does not allow');
    return 1;
  };
  return { stages: { ask } };
}

export async function granting(make, stock, log) {
  const granted = inputs(1_000);
  const many = await decided(make, granted, 'allow-chat');
  log('1,000 grants given');
  const hundred = await decided(make, inputs(100), 'allow-chat');
  const rows = [];
  for (const [size, bytes] of Object.entries(SIZES)) {
    const given = input(bytes, size);
    const one = await decided(make, [given], 'allow-chat');
    const none = await decided(make, [given], 'allow-once');
    const figures = await staged({
      none: asksGuard(none, given, false),
      one: asksGuard(one, given, true),
      hundred: asksGuard(hundred, given, true),
      many: asksGuard(many, given, true),
      hand: asksSet(granted, given, stock),
    });
    one.guard.dispose();
    none.guard.dispose();
    rows.push({
      size,
      micros: Object.fromEntries(Object.entries(figures).map(([name, { ask }]) => [name, summary(ask)])),
    });
    log(`a call that a grant covers, ${size}`);
  }
  hundred.guard.dispose();
  many.guard.dispose();
  const giving = { few: summary(many.times.slice(10, 40)), many: summary(many.times.slice(-32, -2)) };
  return { rows, giving };
}
