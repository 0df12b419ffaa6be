// Law 14: who decided. The person at the screen, as the application knows that person, or a program.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createRecord } from 'tool-approval-guard/record';
import { createWords } from 'tool-approval-guard/words';
import { de } from 'tool-approval-guard/locales/de';
import { assertDenied } from './support/assertions.mjs';
import { asked, one, three } from './support/asked.mjs';
import { createApprovalGuard } from './support/chat.mjs';
import { says } from './support/chunks.mjs';
import { entries } from './support/decide.mjs';
import { forEachSdk } from './support/sdk.mjs';

const ada = { id: 'u-17', name: 'Ada' };
const who = ({ type, toolCallId, actor, user, userName, source, outcome }) => ({
  type,
  toolCallId,
  actor,
  user,
  userName,
  source,
  outcome,
});

forEachSdk((sdk) =>
  describe(`who decided, ${sdk.name}`, () => {
    test('each act of a person names the user of the page, and nothing else does', async () => {
      const s = await asked(sdk, three(), { guard: { user: ada, undoMs: 60_000 } });
      s.guard.decide('c1', 'allow-chat');
      s.guard.undo('c1');
      s.guard.decide('c1', 'allow-once');
      s.guard.decide('c2', 'deny');
      s.guard.decide('c3', 'deny');
      assert.deepEqual(s.call('c1').user, ada);
      assert.equal(s.call('c1').source, undefined);
      s.guard.commit();
      await s.settle();
      const all = s.guard.ledger();
      const persons = all.filter(({ actor }) => actor === 'person');
      for (const type of ['requested', 'drafted', 'granted', 'undone', 'answered'])
        assert.ok(
          persons.some((entry) => entry.type === type),
          type,
        );
      for (const entry of all) {
        const expected =
          entry.actor === 'person' ? [ada.id, ada.name, undefined] : [undefined, undefined, undefined];
        assert.deepEqual([entry.user, entry.userName, entry.source], expected, JSON.stringify(entry));
      }
    });

    test('without the option an act of a person names nobody', async () => {
      const s = await asked(sdk, one());
      s.guard.decide('c1', 'deny');
      await s.settle();
      assert.deepEqual(
        s.guard.ledger().filter(({ user, userName, source }) => user ?? userName ?? source),
        [],
      );
      assert.equal(s.call('c1').user, undefined);
    });

    test('what a program decides is never recorded as an act of the person', async () => {
      const s = await asked(sdk, three(), { guard: { user: ada, undoMs: 60_000 } });
      const before = s.guard.ledger().length;
      assert.equal(s.guard.decide('c1', 'allow-once', { source: 'policy-engine' }).type, 'drafted');
      assert.equal(s.guard.decide('c1', 'allow-once', { source: 'policy-engine' }).type, 'refused');
      assert.equal(s.guard.decide('no such call', 'deny', { source: 'policy-engine' }).type, 'refused');
      s.guard.decideAll(['c2', 'c3'], 'deny', { source: 'chat bot', reason: 'Not at night' });
      const said = s.guard.ledger().slice(before);
      assert.deepEqual(
        said.map(({ type, actor, user, source }) => [type, actor, user, source]),
        [
          ['drafted', 'external', undefined, 'policy-engine'],
          ['refused', 'external', undefined, 'policy-engine'],
          ['refused', 'external', undefined, 'policy-engine'],
          ['drafted', 'external', undefined, 'chat bot'],
          ['drafted', 'external', undefined, 'chat bot'],
        ],
      );
      const { actor, user, source, outcome, can } = s.call('c1');
      assert.deepEqual(
        [actor, user, source, outcome, can.undo],
        ['external', undefined, 'policy-engine', 'allowed-externally', true],
      );
      assert.equal(s.call('c2').outcome, 'denied-externally');

      // A person can undo it, and that is the person's act.
      s.guard.undo('c1');
      assert.deepEqual(who(s.guard.ledger().at(-1)), {
        ...who({ type: 'undone', toolCallId: 'c1', actor: 'person', user: ada.id, userName: ada.name }),
      });
      s.guard.decide('c1', 'deny');
      s.guard.commit();
      await s.settle();
      assert.equal(s.count, 2);
      assertDenied(s.wire('c1'), { id: 'ap-c1', reason: 'The user denied permission for this call.' });
      assertDenied(s.wire('c2'), { id: 'ap-c2', reason: 'Not at night' });
      assert.deepEqual(
        entries(s, 'answered').map(({ toolCallId, actor, user, source }) => [
          toolCallId,
          actor,
          user,
          source,
        ]),
        [
          ['c1', 'person', ada.id, undefined],
          ['c2', 'external', undefined, 'chat bot'],
          ['c3', 'external', undefined, 'chat bot'],
        ],
      );
    });

    test('a program is no person: its answers do not end the limit of automatic sends', async () => {
      const s = await asked(sdk, one(), {
        guard: { maxAutomaticSends: 0 },
        then: [says()],
      });
      s.guard.decide('c1', 'allow-once', { source: 'policy-engine' });
      await s.settle();
      assert.equal(s.count, 1);
      assert.equal(s.guard.explain().reason, 'limit');
    });

    test('a record and its exports name the user and the program', async () => {
      const record = createRecord({ storage: 'memory' });
      const s = await asked(sdk, three(), { guard: { user: ada, record } });
      s.guard.decide('c1', 'deny', { source: 'policy-engine' });
      s.guard.decide('c2', 'deny');
      s.guard.decide('c3', 'deny');
      await s.settle();
      const answered = record.entries().filter(({ type }) => type === 'answered');
      assert.match(s.wire('c1').approval.reason, /^A program .* not a refusal by the user\.$/);
      assert.match(s.wire('c2').approval.reason, /^The user denied/);
      assert.deepEqual(
        answered.map(({ actor, user, userName, source }) => [actor, user, userName, source]),
        [
          ['external', undefined, undefined, 'policy-engine'],
          ['person', ada.id, ada.name, undefined],
          ['person', ada.id, ada.name, undefined],
        ],
      );
      const [header, ...rows] = record.export('csv').trim().split('\r\n');
      const columns = header.split(',');
      const cell = (row, name) => row.split(',')[columns.indexOf(name)];
      const answers = rows.filter((row) => cell(row, 'type') === 'answered');
      assert.deepEqual(
        answers.map((row) => [
          cell(row, 'actor'),
          cell(row, 'user'),
          cell(row, 'userName'),
          cell(row, 'source'),
        ]),
        [
          ['external', '', '', 'policy-engine'],
          ['person', ada.id, ada.name, ''],
          ['person', ada.id, ada.name, ''],
        ],
      );
      assert.match(record.export('jsonl'), /"source":"policy-engine"/);
      assert.equal(record.metrics().answers.external, 1);
      assert.equal(record.metrics().response.count, 2, 'only persons have response times');
    });
  }),
);

test('the words say which program has decided', () => {
  const call = { label: 'rm', server: undefined, grant: undefined, position: undefined, actor: 'external' };
  const said = (outcome, locale) =>
    createWords(locale).call({ ...call, outcome, source: 'policy engine' }).outcome;
  assert.equal(said('allowed-externally'), 'Allowed by policy engine');
  assert.equal(said('denied-externally'), 'Denied by policy engine');
  assert.equal(said('denied-externally', de), 'Abgelehnt von policy engine');
});

describe('bad input', () => {
  for (const user of [
    null,
    7,
    {},
    { id: '' },
    { id: 7 },
    { id: 'a\n' },
    { id: 'a', name: '' },
    { id: 'x'.repeat(201) },
  ])
    test(`the user ${JSON.stringify(user)?.slice(0, 30)}`, () =>
      assert.throws(() => createApprovalGuard({ user }), {
        code: 'invalid-option',
        message: /option user must be/,
      }));
  for (const choice of ['allow-chat', 'deny-chat'])
    test(`a program that gives a grant with ${choice}`, () => {
      const guard = createApprovalGuard();
      const decide = () => guard.decide('c1', choice, { source: 'policy-engine' });
      assert.throws(decide, { code: 'invalid-decision', message: /program decides one call/ });
      assert.deepEqual(guard.ledger(), []);
    });
  for (const source of [null, 7, '', 'a\u0000', '\ud800', 'x'.repeat(201)])
    test(`the source ${JSON.stringify(source).slice(0, 30)}`, () => {
      const guard = createApprovalGuard();
      assert.throws(() => guard.decide('c1', 'deny', { source }), {
        code: 'invalid-decision',
        message: /source must be/,
      });
    });
});
