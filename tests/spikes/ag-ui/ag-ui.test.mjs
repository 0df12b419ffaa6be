// Whether a guard can decide over AG-UI: the decision vectors, played through the real HttpAgent, and the states.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createApprovalGuard } from 'tool-approval-guard/sync';

import { GuardedAgent } from './guarded-agent.mjs';
import { agentOf, asks, calls, finished, LOST, result, text } from './support/server.mjs';
import { act, asThread, whyNot } from './support/vectors.mjs';

const vectors = JSON.parse(readFileSync(new URL('../../vectors/decide.json', import.meta.url), 'utf8'));

/** A thread with its guard. */
function thread({ runs, history = [], options = {} }) {
  const { agent, inputs } = agentOf(...runs);
  agent.setMessages(history);
  const problems = [];
  const guard = createApprovalGuard({
    chatId: agent.threadId,
    onError: ({ code }) => problems.push(code),
    ...options,
  });
  const page = new GuardedAgent(agent, guard);
  const statuses = () => guard.getSnapshot().calls.map(({ status }) => status);
  return { agent, guard, page, inputs, problems, statuses, resume: () => inputs.at(-1).resume };
}

/** A thread in which the first run asks about two calls. */
async function asked({ then = [], options, more } = {}) {
  const run = [...calls([['c1', 'rm'], ['c2', 'mv']], 'step'), finished(asks('c1', more), asks('c2'))]; // prettier-ignore
  const s = thread({ runs: [run, ...then], options });
  await s.page.sendMessage({ id: 'u1', text: 'go' });
  return s;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
const yes = (interruptId) => ({ interruptId, status: 'resolved', payload: { approved: true } });

describe('the decision vectors', () => {
  const applying = vectors.filter((vector) => whyNot(vector) === undefined);
  for (const vector of applying) {
    test(`${vector.id} ${vector.title}`, async () => {
      const { history, events, isAssistant, own } = asThread(vector);
      const s = thread({ runs: isAssistant ? [events] : [], history });
      // Another page of the thread sends it: in some of them this page could not.
      if (isAssistant) await s.agent.runAgent();
      s.guard.observe(s.page.messages);
      const before = s.inputs.length;
      await act(s.page, own, vector.decisions);
      await settled();
      assert.equal(s.inputs.length - before, vector.expect.send ? 1 : 0, vector.expect.why);
    });
  }

  test('which of them AG-UI cannot say, and why', () => {
    const why = {};
    for (const vector of vectors) {
      const reason = whyNot(vector);
      if (reason !== undefined) (why[reason] ??= []).push(vector.id);
    }
    assert.deepEqual(why, {
      'a call has no state': ['D075'],
      'a call id comes once in a thread': ['D064', 'D065'],
      'a step is nothing but text and calls': ['D054', 'D087'],
      'no answer lacks its yes or no': ['D074'],
      'no call says that a provider runs it': ['D015', 'D038', 'D043', 'D045', 'D046'],
      'no message says whether its text or its calls came first': ['D047', 'D048', 'D049', 'D057'],
      'no result is preliminary': ['D027', 'D029'],
      'no result says that a policy denied the call': ['D039', 'D040', 'D042'],
      'no run finishes within a call': ['D033', 'D080'],
    });
    assert.equal(applying.length, 34);
  });
});

describe('the states', () => {
  test('a decision is a draft until the last one, and all go in one run', async () => {
    const s = await asked({ then: [[result('c2'), ...text('Done.')]] });
    assert.deepEqual(s.statuses(), ['asking', 'asking']);
    const [first, second] = s.guard.getSnapshot().calls;
    assert.equal(s.guard.decide(first, 'deny', { reason: 'no' }).type, 'drafted');
    assert.equal(s.guard.undo(first).type, 'undone');
    s.guard.decide(first, 'deny', { reason: 'no' });
    assert.equal(s.inputs.length, 1, 'nothing is sent before');
    assert.equal(s.guard.decide(second, 'allow-once').type, 'committed');
    await settled();
    const denied = { interruptId: 'ap-c1', status: 'resolved', payload: { approved: false, reason: 'no' } };
    assert.deepEqual(s.resume(), [denied, yes('ap-c2')]);
    assert.deepEqual(s.statuses(), ['settled', 'settled']);
    assert.deepEqual(s.agent.pendingInterrupts, []);
    assert.deepEqual(s.problems, []);
  });

  test('the agent alone refuses a run that leaves an answer out', async () => {
    const s = await asked();
    await assert.rejects(s.agent.runAgent({ resume: [yes('ap-c1')] }), /pending interrupt/);
    assert.equal(s.inputs.length, 1);
  });

  test('a denial stays one, whatever is written as the result of its call', async () => {
    const s = await asked({ then: [[result('c1', 'it ran'), result('c2'), ...text('Done.')]] });
    await s.page.addToolApprovalResponse({ id: 'ap-c1', approved: false });
    await s.page.addToolOutput({ toolCallId: 'c1', output: 'made up by the page' });
    assert.equal(s.page.messages.at(-1).parts[1].state, 'output-denied');
    await s.page.addToolApprovalResponse({ id: 'ap-c2', approved: true });
    await settled();
    assert.deepEqual(s.resume()[0].payload, { approved: false });
    assert.equal(s.page.messages.at(-1).parts[1].state, 'output-denied');
  });

  test('a run that broke off leaves what was allowed in doubt; the agent alone would send it again', async () => {
    const s = await asked({ then: [[LOST], [result('c1'), result('c2'), ...text('Done.')]] });
    await s.page.addToolApprovalResponse({ id: 'ap-c1', approved: true });
    await s.page.addToolApprovalResponse({ id: 'ap-c2', approved: true }).catch(() => {});
    await settled();
    assert.deepEqual(s.statuses(), ['in-doubt', 'in-doubt']);
    assert.equal(s.agent.pendingInterrupts.length, 2, 'for the agent both are still open');
    assert.equal(s.guard.sendAutomaticallyWhen({ messages: s.page.messages }), false);
    assert.equal((await s.guard.retry()).type, 'sent');
    await settled();
    assert.deepEqual(s.statuses(), ['settled', 'settled']);
  });

  test('a message of the person cancels what nobody answered, and sends what was denied', async () => {
    const s = await asked({ then: [text('Fine.')] });
    s.guard.decide('ap-c1', 'deny', { reason: 'no' });
    await s.page.sendMessage({ id: 'u2', text: 'something else' });
    assert.deepEqual(
      s.resume().map(({ status }) => status),
      ['resolved', 'cancelled'],
    );
    assert.deepEqual(s.resume()[0].payload, { approved: false, reason: 'no' });
    assert.equal(s.statuses()[1], 'superseded');
  });

  test('an interrupt that is no tool approval keeps the batch open', async () => {
    const question = { id: 'q1', reason: 'input_required' };
    const run = [...calls([['c1', 'rm']], 'step'), finished(asks('c1'), question)];
    const s = thread({ runs: [run] });
    await s.page.sendMessage({ id: 'u1', text: 'go' });
    await s.page.addToolApprovalResponse({ id: 'ap-c1', approved: true });
    await settled();
    assert.equal(s.inputs.length, 1);
    assert.equal(s.guard.explain().reason, 'waiting');
  });
});
