// Rules in a real chat: a call that they answer is never shown as asking, and their decisions are recorded.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { redact } from 'tool-approval-guard/redact';
import { createRules, tryRules } from 'tool-approval-guard/rules';
import { createWords } from 'tool-approval-guard/words';

import { assertAllowed, assertAsking, assertDenied } from './support/assertions.mjs';
import {
  approvalRequest,
  finish,
  finishStep,
  gated,
  outputAvailable,
  response,
  says,
  start,
  startStep,
  toolCall,
} from './support/chunks.mjs';
import { scene, until } from './support/chat.mjs';
import { chained, entries, watch } from './support/decide.mjs';
import { live } from './support/scripted-transport.mjs';
import { forEachSdk } from './support/sdk.mjs';

const wordsOf = ({ guard }) => createWords(guard.locale);

const TOOLS = { bash: { target: 'command', kind: 'shell' }, fetch: { target: 'url', kind: 'url' } };
const bash = (id, command) => gated(id, 'bash', { command });

const rulesOf = (rules, more = {}) => {
  const made = createRules({ tools: TOOLS, rules, ...more });
  assert.deepEqual(made.problems, []);
  return made;
};

/** A chat with rules in which these calls ask. */
async function asked(sdk, rules, calls, { then = [says(), says()], guard, ...options } = {}) {
  const s = scene(sdk, {
    script: [response('a1', ...calls), ...then],
    guard: { rules, ...guard },
    ...options,
  });
  const page = watch(s);
  await s.say();
  await s.settle();
  return { s, page };
}

forEachSdk((sdk) =>
  describe(`rules in a chat, ${sdk.name}`, () => {
    test('C92 an allowed call is never shown as asking, and has its rule', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *', id: 'look', why: 'It only looks' }]);
      const { s, page } = await asked(sdk, rules, [bash('c1', 'ls -la')]);
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assert.ok(page.statuses('c1').length > 0);
      assert.ok(!page.statuses('c1').includes('asking'), page.statuses('c1').join());
      const { outcome, actor, ruling, can } = s.call('c1');
      const words = wordsOf(s).call(s.call('c1'));
      assert.deepEqual([outcome, actor, can.undo], ['allowed-by-rule', 'rule', false]);
      assert.deepEqual(
        [ruling.effect, ruling.because, ruling.ruleId, ruling.layer, ruling.why],
        ['allow', 'rule', 'look', 'app', 'It only looks'],
      );
      assert.equal(words.outcome, 'Allowed by a rule: It only looks');
      assert.deepEqual(
        entries(s, 'answered', 'c1').map(({ actor, ruleId }) => [actor, ruleId]),
        [['rule', 'look']],
      );
      assert.deepEqual(
        entries(s, 'rule-evaluated', 'c1').map(({ ruleId }) => ruleId),
        ['look'],
      );
      assert.deepEqual(s.codes(), []);
    });

    test('C92 chunk by chunk: not even for one turn of the event loop', async () => {
      const next = live();
      const rules = rulesOf([{ allow: 'bash:ls *' }, { deny: 'bash:rm*' }]);
      const s = scene(sdk, { script: [next, says()], guard: { rules } });
      const page = watch(s);
      void s.say();
      await next.started;
      for (const chunk of [
        start(),
        startStep,
        ...bash('c1', 'ls'),
        ...bash('c2', 'rm x'),
        finishStep,
        finish(),
      ]) {
        next.push(chunk);
        await until(() => true, { quiet: 2 });
        s.guard.observe(s.chat.messages);
        for (const id of ['c1', 'c2'])
          assert.notEqual(s.call(id)?.status, 'asking', `${id} after ${chunk.type}`);
      }
      next.close();
      await s.settle();
      assert.equal(s.count, 2);
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
      for (const id of ['c1', 'c2']) assert.ok(!page.statuses(id).includes('asking'));
    });

    test('a denied call is sent with the reason, and not as a refusal by a person', async () => {
      const rules = rulesOf([{ deny: 'bash:rm*', why: 'Files are deleted by people' }]);
      const { s } = await asked(sdk, rules, [bash('c1', 'sudo rm -rf /')]);
      assert.equal(s.count, 2);
      const reason =
        'A rule of the application denies this call. Do not ask for it again. The rule says: Files are deleted by people';
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason });
      const { outcome, actor } = s.call('c1');
      const words = wordsOf(s).call(s.call('c1'));
      assert.deepEqual([outcome, actor], ['denied-by-rule', 'rule']);
      assert.equal(words.outcome, 'Denied by a rule: Files are deleted by people');
    });

    test('C93 the order: a denial, a question that is always asked, a grant, a question, an allowance', async () => {
      const rules = rulesOf([
        { deny: 'bash:rm*' },
        { ask: 'bash:git push*', always: true },
        { ask: 'bash:cat *' },
        { allow: 'bash:cat *' },
      ]);
      const first = [gated('g1', 'bash', { command: 'cat a' })];
      const next = [bash('n1', 'rm x'), bash('n2', 'git push'), bash('n3', 'cat b')];
      const s = scene(sdk, {
        script: [response('a1', ...first), chained([outputAvailable('g1')], ...next), says()],
        guard: { rules },
      });
      await s.say();
      assert.equal(s.call('g1').status, 'asking', 'strictest wins');
      s.guard.decide('g1', 'allow-chat', { covers: 'tool' });
      await s.settle();
      assert.equal(s.call('n1').outcome, 'denied-by-rule');
      assert.equal(s.call('n2').status, 'asking', 'a grant does not answer it');
      assert.equal(s.call('n3').outcome, 'allowed-automatically', 'a grant does');
      assert.equal(wordsOf(s).call(s.call('n2')).why, 'A rule requires your approval before this tool runs.');
      s.guard.decide('n2', 'deny');
      await s.settle();
      assertDenied(s.wire('n1'), { id: 'ap-n1' });
      assertDenied(s.wire('n2'), { id: 'ap-n2' });
      assertAllowed(s.wire('n3'), { id: 'ap-n3' });
    });

    test('a denial for the whole chat overrides an allowance of a rule', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }]);
      const s = scene(sdk, {
        script: [response('a1', bash('c1', 'cat x')), chained([], bash('c2', 'ls')), says()],
        guard: { rules },
      });
      await s.say();
      s.guard.decide('c1', 'deny-chat', { covers: 'tool' });
      await s.settle();
      assert.equal(s.call('c2').outcome, 'denied-automatically');
    });

    test('an answer of a rule waits for a call that asks, and cannot be undone', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }, { deny: 'bash:rm*' }]);
      const { s } = await asked(sdk, rules, [bash('c1', 'ls'), bash('c2', 'rm x'), bash('c3', 'make')]);
      assert.equal(s.count, 1);
      assert.equal(s.guard.getSnapshot().batch.asking, 1);
      for (const id of ['c1', 'c2']) {
        assert.equal(s.call(id).can.undo, false);
        assert.equal(s.guard.undo(id).reason, 'already-answered');
      }
      assert.equal(s.guard.decide('c2', 'allow-once').reason, 'already-drafted');
      s.guard.decide('c3', 'allow-once');
      await s.settle();
      assertAllowed(s.wire('c1'), { id: 'ap-c1' });
      assertDenied(s.wire('c2'), { id: 'ap-c2' });
      assertAllowed(s.wire('c3'), { id: 'ap-c3' });
    });

    test('a call with a dangerous name is marked as dangerous, and a rule that allows it does not wait', async () => {
      const rules = rulesOf([{ allow: 'delete_draft' }]);
      const calls = [gated('c1', 'delete_file', { path: 'a' })];
      const { s } = await asked(sdk, rules, calls);
      assert.equal(s.call('c1').dangerous, true);
      const { s: other } = await asked(sdk, rules, [gated('c1', 'delete_draft', {})]);
      assert.equal(other.count, 2);
    });

    test('annotations of a server make a ruling stricter and allow nothing', async () => {
      const rules = rulesOf([{ allow: 'tidy' }]);
      const hinted = (annotations) => ({ tools: { tidy: { annotations }, other: { annotations } } });
      const { s } = await asked(sdk, rules, [gated('c1', 'tidy', {})], {
        guard: hinted({ destructiveHint: true }),
      });
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.call('c1').dangerous, true);
      assert.equal(wordsOf(s).call(s.call('c1')).why, 'Its server says that it may destroy something.');
      const safe = { readOnlyHint: true, destructiveHint: false };
      const { s: other } = await asked(sdk, rules, [gated('c1', 'other', {})], { guard: hinted(safe) });
      assert.equal(other.call('c1').status, 'asking');
    });

    test('C20 added rules apply to waiting calls, and only make rulings stricter', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }]);
      const { s } = await asked(sdk, rules, [bash('c1', 'make'), bash('c2', 'make clean'), bash('c3', 'ls')]);
      s.guard.decide('c2', 'allow-once');
      assert.equal(rules.tighten([{ allow: 'bash:make *' }])[0].code, 'loosens');
      assert.equal(s.call('c1').status, 'asking');
      assert.deepEqual(rules.tighten([{ deny: 'bash:make*', id: 'no-make' }]), []);
      await s.settle();
      assert.equal(s.count, 2);
      for (const id of ['c1', 'c2']) {
        assert.equal(s.call(id).outcome, 'denied-by-rule', id);
        assertDenied(s.wire(id), { id: `ap-${id}` });
      }
      assertAllowed(s.wire('c3'), { id: 'ap-c3' });
    });

    test('C20 a draft of a rule or a grant asks again if added rules ask', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }]);
      const { s } = await asked(sdk, rules, [bash('c1', 'ls'), bash('c2', 'make'), bash('c3', 'make')]);
      s.guard.decide('c2', 'allow-chat');
      assert.deepEqual(
        ['c1', 'c2', 'c3'].map((id) => s.call(id).outcome),
        ['allowed-by-rule', 'allowed-chat', 'allowed-automatically'],
      );
      await s.settle();
      const { s: other } = await asked(sdk, rules, [bash('c1', 'ls'), bash('c2', 'make'), bash('c4', 'cat')]);
      other.guard.decide('c2', 'allow-once');
      assert.deepEqual(rules.tighten([{ ask: 'bash', always: true }]), []);
      assert.deepEqual(
        ['c1', 'c2', 'c4'].map((id) => other.call(id).status),
        ['asking', 'drafted', 'asking'],
      );
      assert.equal(other.count, 1);
    });

    test('T2 a rule does not allow a call that shares its approval id with another one', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }]);
      const twin = (id, command) => [toolCall(id, 'bash', { command }), approvalRequest(id, 'ap-x')];
      const { s } = await asked(sdk, rules, [twin('c1', 'ls'), twin('c2', 'rm x'), bash('c3', 'ls')]);
      assert.deepEqual(
        ['c1', 'c2', 'c3'].map((id) => s.call(id).status),
        ['asking', 'asking', 'drafted'],
      );
    });

    test('a model that keeps repeating a call denied by a rule is looping', async () => {
      const rules = rulesOf([{ deny: 'bash:rm*' }]);
      const again = [1, 2, 3].map((i) => response(`a${i}`, bash(`c${i}`, 'rm x')));
      const s = scene(sdk, { script: [...again, says()], guard: { rules } });
      await s.say();
      await s.settle();
      assert.equal(s.count, 4);
      assert.equal(s.call('c3').refusals, 3);
    });

    test('a changed input is judged again', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }]);
      const { s } = await asked(sdk, rules, [bash('c1', 'ls'), bash('c2', 'make')]);
      assert.equal(s.call('c1').decision, 'allowed');
      const [part] = s.chat.messages.at(-1).parts.filter(({ toolCallId }) => toolCallId === 'c1');
      s.chat.messages = s.chat.messages.map((message) => ({
        ...message,
        parts: message.parts.map((other) =>
          other === part ? { ...other, input: { command: 'ls; make' } } : other,
        ),
      }));
      s.guard.observe(s.chat.messages);
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(s.call('c1').ruling.because, 'default');
    });

    test('unreadable rules ask about every call and say so, and others still deny', async () => {
      const rules = createRules({
        tools: TOOLS,
        rules: [{ allow: 'bash:ls *' }, { alow: 'x' }, { deny: 'bash:rm*' }],
      });
      assert.equal(rules.problems.length, 1);
      const { s } = await asked(sdk, rules, [bash('c1', 'ls'), bash('c2', 'rm x')]);
      assert.equal(s.call('c1').status, 'asking');
      assert.equal(
        wordsOf(s).call(s.call('c1')).why,
        'The rules of this page could not be read in full, so they do not allow this.',
      );
      assert.equal(s.call('c2').outcome, 'denied-by-rule');
      assertAsking(s.home('c1'), 'ap-c1');
    });

    test('a rule that is left out takes no grant away, except from what it might have denied', async () => {
      const rules = createRules({ tools: TOOLS, rules: [{ allow: '*' }, { deny: 'fetch: x' }] });
      assert.equal(rules.problems.length, 2);
      const next = [bash('n1', 'make'), gated('n2', 'fetch', { url: 'https://x.com/' })];
      const first = [bash('g1', 'make'), gated('g2', 'fetch', { url: 'https://x.com/' })];
      const s = scene(sdk, {
        script: [
          response('a1', ...first),
          chained([outputAvailable('g1'), outputAvailable('g2')], ...next),
          says(),
        ],
        guard: { rules },
      });
      await s.say();
      for (const id of ['g1', 'g2']) s.guard.decide(id, 'allow-chat', { covers: 'tool' });
      await s.settle();
      assert.equal(s.call('n1').outcome, 'allowed-automatically');
      assert.equal(s.call('n2').status, 'asking');
      assert.equal(s.call('n2').ruling.because, 'broken-rules');
    });

    test('rules that throw, or return nonsense, ask', async () => {
      for (const judge of [
        () => {
          throw new Error('no');
        },
        () => ({ effect: 'yes' }),
        () => ({ ...rulesOf([]).judge({ toolName: 'x', input: {} }), effect: 'permit' }),
      ]) {
        const { s } = await asked(sdk, { judge }, [bash('c1', 'ls')]);
        assert.equal(s.call('c1').status, 'asking');
        assert.equal(s.count, 1);
      }
    });

    test('in shadow mode nothing is done, and the snapshot shows what would be', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }, { deny: 'bash:rm*' }], { shadow: true });
      const { s } = await asked(sdk, rules, [bash('c1', 'ls'), bash('c2', 'rm x')]);
      for (const [id, effect] of [
        ['c1', 'allow'],
        ['c2', 'deny'],
      ]) {
        assert.equal(s.call(id).status, 'asking');
        assert.deepEqual([s.call(id).ruling.effect, s.call(id).ruling.shadow], [effect, true]);
      }
      s.guard.decideAll(['c1', 'c2'], 'allow-once');
      await s.settle();
      assertAllowed(s.wire('c2'), { id: 'ap-c2' });
    });

    test('if nobody attends, a rule still allows, and everything else is denied', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }, { ask: 'bash:cat *' }]);
      const { s } = await asked(sdk, rules, [bash('c1', 'ls'), bash('c2', 'cat x'), bash('c3', 'make')], {
        guard: { attended: false },
      });
      assert.equal(s.call('c1').outcome, 'allowed-by-rule');
      for (const id of ['c2', 'c3']) assert.equal(s.call(id).outcome, 'unattended');
    });

    test('after a stop a rule allows nothing automatically', async () => {
      const rules = rulesOf([{ allow: 'bash:ls *' }]);
      const next = live();
      const s = scene(sdk, { script: [next, says()], guard: { rules } });
      void s.say();
      await next.started;
      for (const chunk of [start(), startStep, ...bash('c1', 'ls'), ...bash('c2', 'make')]) next.push(chunk);
      await until(() => s.call('c2') !== undefined);
      await s.chat.stop();
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.verdict().send, false);
    });
  }),
);

describe('rules without a chat', () => {
  const { config, cases } = JSON.parse(
    readFileSync(new URL('../vectors/rules.json', import.meta.url), 'utf8'),
  );

  test('the frozen vectors', () => {
    const rules = createRules(config);
    assert.deepEqual(rules.problems, []);
    for (const { tool: toolName, input, effect } of cases) {
      assert.equal(rules.judge({ toolName, input }).effect, effect, JSON.stringify(input).slice(0, 80));
    }
  });

  test('an explanation names the rule, its layer and the near rules', () => {
    const rules = createRules({
      tools: TOOLS,
      rules: [
        { allow: 'bash:ls *', id: 'look' },
        { deny: 'bash:rm*', id: 'no-rm' },
      ],
      layers: { organisation: [{ ask: 'bash', id: 'all' }] },
    });
    const [asks, denied, other] = tryRules(rules, [
      { toolName: 'bash', input: { command: 'ls; make' } },
      { toolName: 'bash', input: { command: 'rm x' } },
      { toolName: 'zip', input: {} },
    ]);
    assert.deepEqual([asks.effect, asks.rule.id, asks.layer], ['ask', 'all', 'organisation']);
    assert.deepEqual(
      asks.near.map(({ rule, miss }) => [rule.id, miss]),
      [
        ['look', 'part'],
        ['no-rm', 'pattern'],
      ],
    );
    assert.deepEqual([denied.effect, denied.ruleId], ['deny', 'no-rm']);
    assert.deepEqual([other.effect, other.because, other.near.length], ['ask', 'default', 0]);
    for (const { message, near } of [asks, denied, other]) {
      assert.match(message, /\.$/);
      for (const miss of near) assert.match(miss.message, /\.$/);
    }
  });

  test('problems and lints are sentences', () => {
    const rules = createRules({
      tools: TOOLS,
      rules: [{ allow: 'bash:ls*' }, { allow: 'bash: ls' }, { deny: 'bash' }],
    });
    const [problem] = rules.problems;
    assert.deepEqual([problem.code, problem.place, problem.at], ['syntax', 'rules[1].allow', 5]);
    assert.ok(problem.message.length > 10 && problem.mend.length > 10);
    assert.deepEqual(
      rules.lints.map(({ code, ruleId, otherId }) => [code, ruleId, otherId]),
      [
        ['shadowed', 'rules[0]', 'rules[2]'],
        ['word-boundary', 'rules[0]', undefined],
      ],
    );
  });

  test('rules are read at creation, and a value that is not JSON is reported', () => {
    const list = [{ deny: 'bash:rm*' }];
    const rules = createRules({ tools: TOOLS, rules: list });
    list.pop();
    assert.equal(rules.judge({ toolName: 'bash', input: { command: 'rm x' } }).effect, 'deny');

    const many = createRules({
      rules: Array.from({ length: 1_999 }, (_, i) => ({ deny: `${'t'.repeat(200)}${i}` })),
    });
    assert.deepEqual(many.problems, []);
    assert.equal(many.judge({ toolName: `${'t'.repeat(200)}7`, input: {} }).effect, 'deny');

    const optional = createRules({ tools: undefined, rules: [{ deny: 'a', id: undefined }] });
    assert.deepEqual(optional.problems, []);
    const cyclic = { rules: [] };
    cyclic.rules.push(cyclic);
    for (const config of [
      { rules: [{ deny: () => 'a' }] },
      { rules: [{ deny: 'a\ud800' }] },
      cyclic,
      { rules: [1n] },
    ]) {
      const broken = createRules(config);
      assert.equal(broken.problems[0].code, 'wrong-type');
      assert.match(broken.problems[0].message, /could not be read/);
      const { effect, because } = broken.judge({ toolName: 'a', input: {} });
      assert.deepEqual([effect, because], ['ask', 'broken-rules']);
    }
    assert.equal(createRules({ rules: [, { deny: 'a' }] }).problems[0].place, 'rules[0]'); // eslint-disable-line no-sparse-arrays
    assert.equal(rules.judge({ toolName: 7, input: {} }).because, 'unreadable-input');
  });

  test('an argument is read by its kind, also if it is named', () => {
    const kinds = {
      bash: { target: 'command', kind: 'shell' },
      copy: { args: { from: 'path', to: 'path' } },
      fetch: { args: { url: 'url' } },
      read: { server: 'files' },
    };
    const effectOf = (rule, toolName, input, tools = kinds) => {
      const rules = createRules({ tools, rules: [rule] });
      assert.deepEqual(rules.problems, [], JSON.stringify(rule));
      return rules.judge({ toolName, input }).effect;
    };
    for (const [rule, toolName, input, expected] of [
      [{ allow: 'copy(from=/tmp/**, deep=true)' }, 'copy', { from: '/tmp/a/b', deep: true }, 'allow'],
      [{ allow: 'copy(from=/tmp/**, deep=true)' }, 'copy', { from: '/tmp/../etc/x', deep: true }, 'ask'],
      [{ allow: 'copy(from=/tmp/*)' }, 'copy', { from: '/tmp/a/b' }, 'ask'],
      [{ allow: 'bash(command=ls *)' }, 'bash', { command: 'ls x' }, 'allow'],
      [{ allow: 'bash(command=ls *)' }, 'bash', { command: 'ls x; rm -rf /' }, 'ask'],
      [{ allow: 'bash(command=ls *)' }, 'bash', { command: 'ls $(rm -rf /)' }, 'ask'],
      [{ allow: 'fetch(url=https://good.com/*)' }, 'fetch', { url: 'https://good.com/a' }, 'allow'],
      [{ allow: 'fetch(url=https://good.com/*)' }, 'fetch', { url: 'https://good.com@evil.com/' }, 'ask'],
      [{ deny: 'bash(command=rm*)' }, 'bash', { command: 'sudo rm x' }, 'deny'],
      [{ deny: 'copy(from=/etc/**)' }, 'copy', { from: '/x/../etc/passwd' }, 'deny'],
      [{ deny: 'fetch(url=https://evil.com/*)' }, 'fetch', { url: 'http://EVIL.com/' }, 'deny'],
      // The kind of the argument is not known, so a denial applies all kinds.
      [{ deny: 'run(cmd=rm*)' }, 'run', { cmd: 'ls; r\\m x' }, 'deny'],
      [{ deny: 'open(path=/etc/**)' }, 'open', { path: '//etc/./passwd' }, 'deny'],
      [{ deny: 'run(cmd=rm*)' }, 'run', { cmd: ['sudo', 'rm', 'x'] }, 'deny'],
      // Numbers are compared as numbers; for a denial also with texts of the same meaning.
      [{ deny: 'rel(version=1.10)' }, 'rel', { version: '1.10' }, 'deny'],
      [{ deny: 'rel(version=1.10)' }, 'rel', { version: 1.1 }, 'deny'],
      [{ allow: 'pay(amount=100.0)' }, 'pay', { amount: 100 }, 'allow'],
      [{ allow: 'pay(amount=1e2)' }, 'pay', { amount: 100 }, 'allow'],
      [{ allow: 'pay(amount=100)' }, 'pay', { amount: '100' }, 'ask'],
      [{ deny: 'pay(amount=10*)' }, 'pay', { amount: [100] }, 'deny'],
      [{ allow: { tool: 'pay', args: { id: '100' } } }, 'pay', { id: '100' }, 'allow'],
      [{ allow: { tool: 'pay', args: { id: '100' } } }, 'pay', { id: 100 }, 'ask'],
      // A tool's profile includes its server.
      [{ deny: 'files/read' }, 'read', {}, 'deny'],
      [{ allow: 'files/read' }, 'read', {}, 'allow'],
      [{ allow: 'read' }, 'read', {}, 'ask'],
      // A program and its arguments in two fields.
      [{ deny: 'bash:rm -rf*' }, 'bash', { command: 'rm', args: ['-rf', '/'] }, 'deny'],
    ]) {
      assert.equal(
        effectOf(rule, toolName, input),
        expected,
        `${JSON.stringify(rule)} on ${JSON.stringify(input)}`,
      );
    }
    const text = { db: { target: 'id' }, say: { target: 'text' } };
    assert.equal(effectOf({ deny: 'db:123' }, 'db', { id: 123 }, text), 'deny');
    assert.equal(effectOf({ deny: 'db:1e5' }, 'db', { id: '1e5' }, text), 'deny');
    for (const padded of ['delete ', ' delete', '\tdelete\n'])
      assert.equal(effectOf({ deny: 'say:delete' }, 'say', { text: padded }, text), 'deny', padded);

    // Denials hold whatever else is in the input, and wherever the arguments are.
    const decoys = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`a${i}`, 'x']));
    for (const input of [
      { ...decoys, command: 'git', args: ['push'] },
      { command: 'git', args: 'push origin' },
      { command: ['git', ['push']] },
      { command: 'git', z: { args: ['push'] } },
    ]) {
      const rules = createRules({ tools: kinds, rules: [{ deny: 'bash:git push*' }, { allow: 'bash' }] });
      assert.equal(rules.judge({ toolName: 'bash', input }).effect, 'deny', JSON.stringify(input));
    }
    const json = { js: { target: 'v', kind: 'json' } };
    for (const [deny, v] of [
      ['js:{"mode":"wipe"}', { mode: 'wipe' }],
      ['js:{"mode":"wipe"}', [{ a: { mode: 'wipe' } }]],
      ['js:"secret"', 'secret'],
      ['js:7', 7],
    ]) {
      const rules = createRules({ tools: json, rules: [{ deny }, { allow: 'js' }] });
      assert.equal(rules.judge({ toolName: 'js', input: { v } }).effect, 'deny', deny);
    }
    for (const n of ['100', ' 100 ', '1e2', '100.0', '0100', 100]) {
      const rules = createRules({ rules: [{ deny: 'f(n=100)' }, { allow: 'f(n=*)' }] });
      assert.equal(rules.judge({ toolName: 'f', input: { n } }).effect, 'deny', String(n));
    }
    // A wildcard for an argument of unknown kind matches no character that has a meaning in any kind.
    for (const [allow, value] of [
      ['x(q=*.md)', '../../etc/x.md'],
      ['x(q=ls *)', 'ls ; rm x'],
      ['x(q=a?c)', 'a/c'],
    ]) {
      const rules = createRules({ rules: [{ allow }] });
      assert.deepEqual(rules.problems, []);
      assert.equal(rules.judge({ toolName: 'x', input: { q: value } }).effect, 'ask', value);
    }

    for (const allow of ['copy(from=/tmp/*)', 'bash(command=ls *)', 'fetch(url=https://good.com*)']) {
      const [problem] = createRules({ rules: [{ allow }] }).problems;
      assert.equal(problem.code, 'no-kind', allow);
      assert.match(problem.mend, /args: \{/);
    }
    // The same holds for a main argument whose kind nobody stated.
    const unstated = { run: { target: 'q' }, execute: { target: 'x' }, get: { target: 'url' } };
    for (const [allow, tool, kind] of [
      ['run:/work/**', 'run', 'path'],
      ['get:https://*', 'get', 'url'],
      ['execute:git *', 'execute', 'shell'],
    ]) {
      const [problem] = createRules({ tools: unstated, rules: [{ allow }] }).problems;
      assert.equal(problem.code, 'no-kind', allow);
      assert.ok(
        problem.mend.includes(`"${tool}": { target: '${unstated[tool].target}', kind: '${kind}' }`),
        problem.mend,
      );
    }
    const words = createRules({ tools: unstated, rules: [{ allow: 'run:git *' }, { deny: 'run:rm *' }] });
    assert.deepEqual(words.problems, []);
    for (const [q, effect] of [
      ['git log', 'allow'],
      ['git log; ls /', 'ask'],
      ['git log && rm -rf /', 'deny'],
      ['git ../../x', 'ask'],
    ]) {
      assert.equal(words.judge({ toolName: 'run', input: { q } }).effect, effect, q);
    }
    // Where no argument is known, the kind that is proposed fits the pattern.
    for (const [allow, kind] of [
      ['bash:ls*', 'shell'],
      ['web-fetch:https://*', 'url'],
      ['read:/work/**', 'path'],
      ['note:hello *', 'text'],
    ]) {
      const [problem] = createRules({ rules: [{ allow }] }).problems;
      assert.equal(problem.code, 'no-target', allow);
      assert.ok(problem.mend.includes(`kind: '${kind}'`), problem.mend);
    }
    for (const allow of ['?*', '*?', '*', '**', '*/?*'])
      assert.equal(createRules({ rules: [{ allow }] }).problems[0]?.code, 'unclear-pattern', allow);
  });

  test('a rule that matches but does not decide says why', () => {
    const look = { allow: 'bash:ls *', id: 'look' };
    const call = { toolName: 'bash', input: { command: 'ls' } };
    const missOf = (rules, more = {}) => {
      const explained = createRules({ tools: TOOLS, rules }).explainRule({ ...call, ...more });
      return [explained.effect, explained.near.find(({ rule }) => rule.id === 'look')?.miss];
    };
    assert.deepEqual(missOf([look]), ['allow', undefined]);
    assert.deepEqual(missOf([look], { annotations: { destructiveHint: true } }), ['ask', 'hint']);
    assert.deepEqual(missOf([look, { deny: 'bash(' }]), ['ask', 'broken-rules']);
    assert.deepEqual(
      missOf([look, { allow: 'bash(' }]),
      ['allow', undefined],
      'a refused allowance denies nothing',
    );
    assert.deepEqual(missOf([look, { ask: 'bash' }]), ['ask', 'overruled']);
    const find = { allow: 'bash:find *', id: 'look' };
    const missOfCommand = (command) => missOf([find], { input: { command } });
    assert.deepEqual(missOfCommand('find . -delete'), ['ask', 'runs-others']);
    assert.deepEqual(missOfCommand('sudo ls'), ['ask', 'pattern']);
    assert.deepEqual(missOfCommand('find $HOME'), ['ask', 'not-simple']);
    assert.deepEqual(missOfCommand('find a; ls'), ['ask', 'part']);
  });

  test('rules as people first write them: a command, every page over https, a tool that reads, and lists of tasks', () => {
    const rules = createRules({
      tools: { bash: { target: 'command', kind: 'shell' }, 'web-fetch': { target: 'url', kind: 'url' } },
      layers: { builtin: ['create', 'list', 'complete'].map((verb) => ({ allow: `task-${verb}` })) },
      rules: [{ allow: 'bash:ls*' }, { allow: 'web-fetch:https://*' }, { allow: 'read_file' }],
    });
    assert.deepEqual(rules.problems, []);
    const effectOf = (toolName, input) => rules.judge({ toolName, input }).effect;
    for (const [toolName, input, effect] of [
      ['bash', { command: 'ls -la' }, 'allow'],
      ['bash', { command: 'ls; rm -rf /' }, 'ask'],
      ['web-fetch', { url: 'https://example.com/a?b=c' }, 'allow'],
      ['web-fetch', { url: 'http://example.com/' }, 'ask'],
      ['web-fetch', { url: 'https://user@example.com/' }, 'ask'],
      ['web-fetch', { url: 'https://example.com:8443/' }, 'ask'],
      ['web-fetch', { url: 'https://169.254.169.254/' }, 'ask'],
      ['web-fetch', { url: 'https://localhost/' }, 'ask'],
      ['read_file', { path: '/etc/hosts' }, 'allow'],
      ['task-create', { title: 'Tidy up' }, 'allow'],
      ['task-delete', { id: 1 }, 'ask'],
    ]) {
      assert.equal(effectOf(toolName, input), effect, `${toolName} ${JSON.stringify(input)}`);
    }
  });

  test('an input that is not JSON, too deep or too large can only be denied', () => {
    const rules = createRules({ rules: [{ allow: 't' }, { deny: 'u' }] });
    const cyclic = {};
    cyclic.self = cyclic;
    let deep = {};
    for (let i = 0; i < 100; i++) deep = { deep };
    for (const input of [cyclic, deep, { a: 'x'.repeat(300_000) }, { a: 1n }, { a: '\ud800' }, () => {}]) {
      const ruling = rules.judge({ toolName: 't', input });
      assert.deepEqual([ruling.effect, ruling.always, ruling.because], ['ask', true, 'unreadable-input']);
      assert.equal(rules.judge({ toolName: 'u', input }).effect, 'deny');
      assert.equal(redact(input), undefined);
    }
  });

  test('the displayed input contains no secret', () => {
    const input = {
      url: 'https://u:hunter2@good.com/a?token=abcdef',
      headers: { authorization: 'Bearer abc.def' },
    };
    const shown = redact(input);
    const text = JSON.stringify(shown.value);
    for (const secret of ['hunter2', 'abcdef', 'abc.def']) assert.ok(!text.includes(secret), text);
    assert.match(text, /good\.com\/a/);
    assert.ok(shown.hidden.length >= 2);
    assert.equal(input.url.includes('hunter2'), true, 'the input is what it was');
  });
});
