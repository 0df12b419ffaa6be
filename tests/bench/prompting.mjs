// What a person's decisions cost, and the snapshots that a page renders after them, beside what an
// application does by hand: a map over the parts, with what the SDK writes into one that is answered, and
// a filter over them for what waits.
import { Chat } from '@ai-sdk/react';
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses as approvals } from 'ai';

import { asked, assistant, history } from './chats.mjs';
import { staged, summary } from './measure.mjs';

const CALLS = [1, 10, 1_000];
/** How many chats do the same in a stage. */
const FLEET = { 1: 64, 10: 32, 1_000: 2 };
/** How often a page looks in vain, in a row: one look can be shorter than the clock of a page can tell. */
const LOOKS = 8;
/** How many calls a batch has that is committed, and how many chats commit one each in a round. */
const COMMITTED = 10;
const COMMITS = 64;

const asks = (part) => isToolUIPart(part) && part.state === 'approval-requested';

/** The list after `change` made other parts of those that have one of these approvals. */
function changed(messages, has, change) {
  const index = messages.findIndex(({ parts }) => parts.some(has));
  const message = messages[index];
  const copy = [...messages];
  copy[index] = { ...message, parts: message.parts.map((part) => (has(part) ? change(part) : part)) };
  return copy;
}

/** What `addToolApprovalResponse` of the AI SDK 7 makes of a part. */
const answered = (part) => ({
  ...part,
  state: 'approval-responded',
  approval: { ...part.approval, approved: true, reason: undefined },
});
const open = (part) => {
  const { approved, reason, ...approval } = part.approval;
  return { ...part, state: 'approval-requested', approval };
};
const byHand = {
  answer: (messages, id) => changed(messages, (part) => asks(part) && part.approval.id === id, answered),
  takeBack: (messages, id) =>
    changed(messages, (part) => isToolUIPart(part) && part.approval?.id === id, open),
  answerAll: (messages, ids) =>
    changed(messages, (part) => asks(part) && ids.has(part.approval.id), answered),
  takeBackAll: (messages, ids) =>
    changed(messages, (part) => isToolUIPart(part) && ids.has(part.approval?.id), open),
  pending: (messages) => messages.at(-1).parts.filter(asks),
};

const asking = (calls) => [
  ...history(9),
  assistant(
    'last',
    Array.from({ length: calls }, (_, i) => asked(`call-${i}`)),
  ),
];
const never = { sendMessages: () => new Promise(() => {}), reconnectToStream: async () => null };

/** A real chat with a guard, and a page that renders what changed. Decisions stay drafts, also the last one. */
function guarded(make, messages, inner = never) {
  const guard = make({ chatId: 'chat', undoMs: Infinity });
  const chat = new Chat({
    id: 'chat',
    messages,
    transport: guard.transport(inner),
    sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
  });
  guard.attach(chat);
  guard.subscribe(() => {});
  return { chat, guard, calls: waitingOf(guard) };
}
const waitingOf = (guard) => guard.getSnapshot().calls.filter(({ status }) => status === 'asking');

function expect(result, type) {
  if (result.type !== type) throw new Error(`a decision is ${result.type} and not ${type}`);
}

/** Does `work` to each of a fleet. */
const each = (fleet, work) => (cycle) => {
  for (const one of fleet) work(one, cycle);
  return fleet.length;
};

const often = (stage) => (cycle) => {
  let count = 0;
  for (let i = 0; i < LOOKS; i++) count += stage(cycle);
  return count;
};

async function drafts(make, calls) {
  const fleet = Array.from({ length: FLEET[calls] }, () => guarded(make, asking(calls)));
  const lists = fleet.map(({ chat }) => ({ now: chat.messages, count: 0 }));
  const ids = Array.from({ length: calls }, (_, i) => `approval-call-${i}`);
  const all = new Set(ids);

  const look = ({ guard }) => void guard.getSnapshot();
  const filter = (list) => void (list.count += byHand.pending(list.now).length);
  const stagesOfGuard = {
    decide: each(fleet, ({ guard, calls: views }, i) =>
      expect(guard.decide(views[i % calls], 'allow-once'), 'drafted'),
    ),
    'snapshot after it': each(fleet, look),
    undo: each(fleet, ({ guard, calls: views }, i) => expect(guard.undo(views[i % calls]), 'undone')),
    'snapshot after that': each(fleet, look),
    'snapshot, unchanged': often(each(fleet, look)),
    'decide, by its id': each(fleet, ({ guard }, i) =>
      expect(guard.decide(ids[i % calls], 'allow-once'), 'drafted'),
    ),
    'undo, by its id': each(fleet, ({ guard }, i) => expect(guard.undo(ids[i % calls]), 'undone')),
    decideAll: each(fleet, ({ guard, calls: views }) =>
      expect(guard.decideAll(views, 'allow-once').at(-1), 'drafted'),
    ),
    'snapshot after all': each(fleet, look),
    undoAll: each(fleet, ({ guard }) => expect(guard.undoAll(), 'undone')),
    'decideAll, by ids': each(fleet, ({ guard }) =>
      expect(guard.decideAll(ids, 'allow-once').at(-1), 'drafted'),
    ),
    'undoAll after it': each(fleet, ({ guard }) => expect(guard.undoAll(), 'undone')),
  };
  const answer = each(lists, (list, i) => void (list.now = byHand.answer(list.now, ids[i % calls])));
  const takeBack = each(lists, (list, i) => void (list.now = byHand.takeBack(list.now, ids[i % calls])));
  const answerAll = each(lists, (list) => void (list.now = byHand.answerAll(list.now, all)));
  const takeBackAll = each(lists, (list) => void (list.now = byHand.takeBackAll(list.now, all)));
  const stagesByHand = {
    decide: answer,
    'snapshot after it': each(lists, filter),
    undo: takeBack,
    'snapshot after that': each(lists, filter),
    'snapshot, unchanged': often(each(lists, filter)),
    'decide, by its id': answer,
    'undo, by its id': takeBack,
    decideAll: answerAll,
    'snapshot after all': each(lists, filter),
    undoAll: takeBackAll,
    'decideAll, by ids': answerAll,
    'undoAll after it': takeBackAll,
  };
  // The page has rendered what was taken back, before the next decision.
  const between = (_, stage) => {
    if (stage.startsWith('undoAll')) for (const { guard } of fleet) guard.getSnapshot();
  };
  const figures = await staged(
    { guard: { stages: stagesOfGuard, between }, hand: { stages: stagesByHand } },
    calls > 100 ? { rounds: 7, length: 2 } : {},
  );
  for (const { guard } of fleet) guard.dispose();
  return figures;
}

/** Resolves when so many requests have arrived. */
function counting(count) {
  let arrived;
  const all = new Promise((resolve) => (arrived = resolve));
  let left = count;
  const sendMessages = () => {
    if (--left === 0) arrived();
    return new Promise(() => {});
  };
  return { all, inner: { ...never, sendMessages } };
}

/** Real chats in which the decisions are made and sent; each can do it once. */
async function commits(make) {
  const figures = { guard: { last: [], all: [] }, hand: { last: [], all: [] } };
  const ids = Array.from({ length: COMMITTED }, (_, i) => `approval-call-${i}`);
  const makers = {
    guard: (messages, inner) => {
      const { guard, calls } = guarded((options) => make({ ...options, undoMs: 0 }), messages, inner);
      return {
        answer: (i) => guard.decide(calls[i], 'allow-once'),
        done: () => guard.dispose(),
      };
    },
    hand: (messages, transport) => {
      const chat = new Chat({ id: 'chat', messages, transport, sendAutomaticallyWhen: approvals });
      return { answer: (i) => chat.addToolApprovalResponse({ id: ids[i], approved: true }), done: () => {} };
    },
  };
  for (let round = 0; round < 16; round++) {
    for (const name of round % 2 === 0 ? ['guard', 'hand'] : ['hand', 'guard']) {
      for (const what of ['last', 'all']) {
        const { all, inner } = counting(COMMITS);
        const chats = Array.from({ length: COMMITS }, () => makers[name](asking(COMMITTED), inner));
        const before = what === 'last' ? COMMITTED - 1 : 0;
        for (const chat of chats) for (let i = 0; i < before; i++) await chat.answer(i);
        const start = performance.now();
        for (const chat of chats) for (let i = before; i < COMMITTED; i++) void chat.answer(i);
        await all;
        const time = performance.now() - start;
        // The first rounds are compiled to.
        if (round >= 3) figures[name][what].push((time * 1000) / COMMITS);
        for (const chat of chats) chat.done();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
  }
  return figures;
}

const row = (calls, what, guard, hand) => ({
  calls,
  what,
  guard: summary(guard),
  hand: summary(hand),
  ratio: summary(guard.map((figure, round) => figure / hand[round])),
});

export async function prompting(make, log) {
  const rows = [];
  for (const calls of CALLS) {
    const { guard, hand } = await drafts(make, calls);
    const sum = (figures) => figures.decide.map((figure, i) => figure + figures['snapshot after it'][i]);
    rows.push(row(calls, 'decide and render', sum(guard), sum(hand)));
    for (const what of Object.keys(guard)) rows.push(row(calls, what, guard[what], hand[what]));
    log(`decisions, ${calls} calls`);
  }
  const { guard, hand } = await commits(make);
  rows.push(row(COMMITTED, 'the last decision, to the request', guard.last, hand.last));
  rows.push(row(COMMITTED, 'all decisions, to the request', guard.all, hand.all));
  log('commits');
  return rows;
}
