// Tools of several servers: the server comes from the part, and a tool of the same name from another one is another tool.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createRules } from 'tool-approval-guard/rules';
import { createWords } from 'tool-approval-guard/words';

import { assertAsking, assertDenied } from './support/assertions.mjs';
import { scene } from './support/chat.mjs';
import { gated, outputAvailable, response, says } from './support/chunks.mjs';
import { chained } from './support/decide.mjs';
import { batchOf } from './support/grants.mjs';
import { reject } from './support/scripted-transport.mjs';
import { reloadable } from './support/reload.mjs';
import { forEachSdk } from './support/sdk.mjs';

const A = { path: '/a' };
const of = (server, more = {}) => ({ call: { toolMetadata: { server, ...more } } });
const hints = (annotations) => ({ call: { toolMetadata: { annotations } } });
const titleOf = (s, id) => createWords(s.guard.locale).call(s.call(id)).title;

/** Gives the part of a call other metadata in a new list, as an application would. */
const replaceMetadata = (s, toolCallId, toolMetadata) => {
  s.chat.messages = s.chat.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => (part.toolCallId === toolCallId ? { ...part, toolMetadata } : part)),
  }));
};

forEachSdk((sdk) =>
  describe(`tools of several servers, ${sdk.name}`, () => {
    test('a part names the server of its tool, also one that was added in mid-chat', async () => {
      const s = await batchOf(sdk, [
        gated('c1', 'rm', A, of('Files')),
        gated('c2', 'rm', A, of('Evil‮"')),
        gated('c3', 'rm', A),
      ]);
      assert.deepEqual(
        ['c1', 'c2', 'c3'].map((id) => s.call(id).server),
        ['Files', 'Evil‮"', undefined],
      );
      assert.match(titleOf(s, 'c1'), /^Allow .*rm.* from .*Files.*\?$/);
      assert.match(titleOf(s, 'c2'), /⟦U\+202E⟧/);
      assert.doesNotMatch(titleOf(s, 'c2'), /‮/);
      assert.doesNotMatch(titleOf(s, 'c3'), /from/);
    });

    test('what is no text names no server', async () => {
      const odd = [7, '', ' ', null, {}, ['Files']];
      const s = await batchOf(
        sdk,
        odd.map((server, i) => gated(`c${i}`, 'rm', A, of(server))),
        { guard: { tools: { rm: { server: 'Own' } } } },
      );
      assert.deepEqual(
        odd.map((_, i) => s.call(`c${i}`).server),
        odd.map(() => 'Own'),
      );
    });

    test('the option names the server where the part does not, and speaks of no other one', async () => {
      const tools = { rm: { server: 'Files', title: 'Delete', covers: 'tool' } };
      const s = await batchOf(
        sdk,
        [gated('c1', 'rm', A), gated('c2', 'rm', A, of('Files')), gated('c3', 'rm', A, of('Other'))],
        { guard: { tools } },
      );
      const shown = (id) => {
        const { server, label, title, defaultCovers } = s.call(id);
        return { server, label, title, defaultCovers };
      };
      const own = { server: 'Files', label: 'Delete', title: 'Delete', defaultCovers: 'tool' };
      assert.deepEqual(shown('c1'), own);
      assert.deepEqual(shown('c2'), own);
      assert.deepEqual(shown('c3'), {
        server: 'Other',
        label: 'rm',
        title: undefined,
        defaultCovers: 'input',
      });
    });

    test('a mark as dangerous holds for every tool of the name', async () => {
      const tools = { rm: { server: 'Files', dangerous: true } };
      const s = await batchOf(sdk, [gated('c1', 'rm', A, of('Other'))], { guard: { tools } });
      assert.equal(s.call('c1').dangerous, true);
    });

    for (const covers of ['tool', 'input', ['path']]) {
      test(`a grant for ${covers} answers calls of its own server only`, async () => {
        const s = scene(sdk, {
          script: [
            response('a1', gated('c1', 'rm', A, of('Files'))),
            chained(
              [outputAvailable('c1')],
              gated('n1', 'rm', A, of('Files')),
              gated('n2', 'rm', A, of('Other')),
              gated('n3', 'rm', A),
            ),
            says(),
          ],
        });
        await s.say();
        const { grant } = s.guard.decide('c1', 'allow-chat', { covers });
        assert.equal(grant.server, 'Files');
        await s.settle();
        assert.equal(s.call('n1').actor, 'grant');
        assertAsking(s.home('n2'), 'ap-n2');
        assertAsking(s.home('n3'), 'ap-n3');
        assert.deepEqual(
          s.guard
            .getSnapshot()
            .calls.filter(({ status }) => status === 'asking')
            .map((call) => call.toolCallId),
          ['n2', 'n3'],
        );
      });

      test(`a denial for ${covers} answers calls of its own server only`, async () => {
        const s = await batchOf(sdk, [
          gated('c1', 'rm', A, of('Files')),
          gated('c2', 'rm', A, of('Other')),
          gated('c3', 'rm', A, of('Files')),
        ]);
        assert.equal(s.guard.covered('c1', covers).length, 2);
        s.guard.decide('c1', 'deny-chat', { covers });
        assert.deepEqual(
          ['c1', 'c2', 'c3'].map((id) => s.call(id).decision),
          ['denied', undefined, 'denied'],
        );
      });
    }

    test('Allow all is not offered for tools of one name on two servers', async () => {
      const calls = (other) => [
        gated('c1', 'rm', A, of('Files')),
        gated('c2', 'rm', { path: '/b' }, of(other)),
      ];
      const [one, two] = [await batchOf(sdk, calls('Files')), await batchOf(sdk, calls('Other'))];
      assert.equal(one.guard.getSnapshot().batch.allowAll, true);
      assert.equal(two.guard.getSnapshot().batch.allowAll, false);
    });

    test('an allowance is void once its call names another server: it asks again', async () => {
      const s = await batchOf(sdk, [
        gated('c1', 'rm', A, of('Files')),
        gated('c2', 'rm', { path: '/b' }, of('Files')),
      ]);
      s.guard.decide('c1', 'allow-once');
      assert.equal(s.call('c1').decision, 'allowed');
      replaceMetadata(s, 'c1', { server: 'Other' });
      s.guard.observe(s.chat.messages);
      assert.deepEqual([s.call('c1').status, s.call('c1').decision], ['asking', undefined]);
      s.guard.decide('c2', 'allow-once');
      await s.settle();
      assert.equal(s.count, 1, 'the call of the other server still waits');
    });

    test('a press for the tool of one server does not allow that of another', async () => {
      const tools = { rm: { server: 'Files', title: 'Delete' } };
      const s = await batchOf(sdk, [gated('c1', 'rm', A, of('Files')), gated('c2', 'mv', A)], {
        guard: { tools },
      });
      const seen = s.call('c1');
      assert.equal(seen.label, 'Delete');
      replaceMetadata(s, 'c1', { server: 'Other' });
      for (const shown of [seen, { ...seen }, 'ap-c1', seen.key]) {
        const result = s.guard.decide(shown, 'allow-once');
        assert.deepEqual([result.type, result.reason], ['refused', 'changed']);
      }
      const now = s.call('c1');
      assert.deepEqual([now.server, now.label, now.title], ['Other', 'rm', undefined]);
      assert.equal(
        s.guard.decide(seen, 'allow-once').reason,
        'changed',
        'the old card still shows the old server',
      );
      assert.equal(s.guard.decide(now, 'allow-once').type, 'drafted');
    });

    test('a denial stays one whatever server its part names, on the wire and at home', async () => {
      for (const server of ['Other', undefined]) {
        const calls = [gated('c1', 'rm', A, of('Files')), gated('c2', 'mv', A)];
        const s = await batchOf(sdk, calls, { then: [reject(), says(), says()] });
        s.guard.decide('c1', 'deny');
        s.guard.decide('c2', 'deny');
        await s.settle();
        replaceMetadata(s, 'c1', server && { server });
        await s.output('c1', { denied: true }, 'rm');
        await s.say('and now?');
        assert.equal(s.count, 3);
        assertDenied(s.wire('c1'));
      }
    });

    test('annotations of the part make a call dangerous, or are shown as a claim', async () => {
      const s = await batchOf(
        sdk,
        [
          gated('c1', 'rm', A, hints({ destructiveHint: true, readOnlyHint: true })),
          gated('c2', 'ls', A, hints({ readOnlyHint: true })),
          gated('c3', 'cat', A, hints({ readOnlyHint: 'true', destructiveHint: 1 })),
          gated('c4', 'mv', A, hints('readOnlyHint')),
          gated('c5', 'cp', A, hints({ readOnlyHint: true })),
        ],
        { guard: { tools: { cp: { annotations: { readOnlyHint: false } } } } },
      );
      assert.deepEqual(
        ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => [s.call(id).dangerous, s.call(id).readOnly]),
        [
          [true, false],
          [false, true],
          [false, false],
          [false, false],
          [false, false],
        ],
      );
    });

    test('a name or a title that sounds dangerous marks a call and decides nothing', async () => {
      const s = await batchOf(
        sdk,
        [
          gated('c1', 'delete_file', A),
          gated('c2', 'run', A),
          gated('c3', 'read_file', A),
          gated('c4', 'write_file', A),
          gated('c5', 'removeAll', A, hints({ readOnlyHint: true })),
        ],
        { guard: { tools: { run: { title: 'Execute it' }, write_file: { dangerous: true } } } },
      );
      assert.deepEqual(
        ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => s.call(id).soundsDangerous),
        [true, true, false, false, true],
      );
      assert.equal(s.call('c5').readOnly, false, 'a name goes before the claim of a server');
      assert.equal(s.call('c1').dangerous, false);
      for (const id of ['c1', 'c2', 'c3', 'c5']) s.guard.decide(id, 'allow-once');
      s.guard.decide('c4', 'deny');
      await s.settle();
      assert.equal(s.count, 2, 'nothing waits for an undo');
    });

    for (const rules of [undefined, createRules({})]) {
      test(`what the application says of a tool is believed, ${rules ? 'also by rules' : 'without rules'}`, async () => {
        const destructive = { annotations: { destructiveHint: true } };
        const s = await batchOf(
          sdk,
          [
            gated('c1', 'write_note', A),
            gated('c2', 'kill_time', A),
            gated('c3', 'write_file', { path: '/etc' }),
            gated('c4', 'write_file', { path: '/tmp' }),
            gated('c5', 'paint', A, of('Files', destructive)),
            gated('c6', 'sweep', A, of('Files', destructive)),
            gated('c7', 'write_mail', A, of('Evil', destructive)),
            gated('c8', 'write_mail', A, of('Post')),
            gated('c9', 'pay', A),
          ],
          {
            guard: {
              rules,
              tools: {
                write_note: { dangerous: false },
                write_file: { dangerous: ({ path }) => path === '/etc' },
                paint: { dangerous: false },
                write_mail: { server: 'Post', dangerous: false },
                pay: { dangerous: true },
              },
            },
          },
        );
        const byName = rules ? [true, 'name', false] : [false, undefined, true];
        assert.deepEqual(
          ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9'].map((id) => {
            const { dangerous, dangerousBy, soundsDangerous } = s.call(id);
            return [dangerous, dangerousBy, soundsDangerous];
          }),
          [
            [false, undefined, false],
            byName,
            [true, 'application', false],
            [false, undefined, false],
            [false, undefined, false],
            [true, 'server', false],
            // The tool of another server is not the one of which the application speaks.
            [true, 'server', false],
            [false, undefined, false],
            [true, 'application', false],
          ],
        );
      });
    }

    test('rules judge by the server and the annotations of the part', async () => {
      const rules = createRules({ rules: [{ allow: 'Files/ls' }, { deny: 'Evil/*' }] });
      const s = await batchOf(
        sdk,
        [
          gated('c1', 'ls', A, of('Files')),
          gated('c2', 'ls', A, of('Other')),
          gated('c3', 'ls', A, of('Evil')),
          gated('c4', 'ls', A, of('Files', { annotations: { destructiveHint: true } })),
          gated('c5', 'ls', A),
        ],
        { guard: { rules } },
      );
      assert.deepEqual(
        ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => s.call(id).ruling.effect),
        ['allow', 'ask', 'deny', 'ask', 'ask'],
      );
    });

    test('a grant of an earlier page is restored for its server', async () => {
      const page = reloadable(sdk, { record: { grants: true } });
      const s = await page.load({
        script: [response('a1', gated('c1', 'rm', A, of('Files'))), says()],
      });
      await s.say();
      s.guard.decide('c1', 'allow-chat', { covers: 'tool' });
      await s.settle();
      const next = await page.load({
        script: [
          response('a2', gated('n1', 'rm', A, of('Other')), gated('n2', 'rm', A, of('Files'))),
          says(),
        ],
      });
      assert.deepEqual(
        next.guard.grants().map(({ server }) => server),
        ['Files'],
      );
      await next.say();
      assertAsking(next.home('n1'), 'ap-n1');
      assert.equal(next.call('n2').actor, 'grant');
      const [asked] = next.record
        .entries()
        .filter(({ type, toolCallId }) => type === 'asked' && toolCallId === 'n1');
      assert.equal(next.record.hashOf('rm', A, 'Other'), asked.inputHash);
      assert.notEqual(next.record.hashOf('rm', A), asked.inputHash);
    });
  }),
);

forEachSdk((sdk) =>
  test(`streamText passes on the server and the annotations of a tool, ${sdk.name}`, async () => {
    const { backend, callsTool } = await import('./support/backend.mjs');
    const server = await backend(sdk, {
      tools: {
        rm: { needsApproval: true, metadata: { server: 'Files', annotations: { readOnlyHint: true } } },
      },
      steps: [[callsTool('c1', 'rm', A)]],
    });
    const s = scene(sdk, { inner: server.transport });
    await s.say();
    const { server: named, readOnly } = s.call('c1');
    assert.deepEqual({ named, readOnly }, { named: 'Files', readOnly: true });
  }),
);
