// The queue as a screen reader gets it: the accessibility tree of the browser, and what the live region says.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { stage, together } from './stage.mjs';

const three = [
  { id: 'c1', tool: 'delete_file', input: { path: 'notes.md' } },
  { id: 'c2', tool: 'write_file', input: { path: 'draft.md', text: 'Hello.' } },
  { id: 'c3', tool: 'send_mail', input: { to: 'ana@example.com' } },
];
const patient = { undoMs: 600_000 };
const tools = { delete_file: { server: 'Files' } };

/** Roles that only hold others. */
const PLAIN = ['none', 'generic', 'InlineTextBox', 'LineBreak'];

/**
 * What the browser tells assistive technology of the queue, in its order: a line for each thing that has a role, such as
 * `button "Deny delete_file"`, indented by the things around it.
 */
async function heard(scene) {
  const session = await scene.page.context().newCDPSession(scene.page);
  try {
    await session.send('Accessibility.enable');
    const { root } = await session.send('DOM.getDocument');
    const { nodeId } = await session.send('DOM.querySelector', {
      nodeId: root.nodeId,
      selector: 'tool-approval-queue',
    });
    const { node } = await session.send('DOM.describeNode', { nodeId });
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const byId = new Map(nodes.map((node) => [node.nodeId, node]));
    const host = nodes.find(({ backendDOMNodeId }) => backendDOMNodeId === node.backendNodeId);
    assert.ok(host, 'the queue is in the accessibility tree');
    const lines = [];
    const walk = ({ role, name, ignored, properties = [], childIds = [] }, depth) => {
      let next = depth;
      const plain = ignored || PLAIN.includes(role?.value);
      if (!plain) {
        const has = (wanted) => properties.find((property) => property.name === wanted)?.value.value;
        const expanded = has('expanded');
        const level = has('level');
        const live = has('live');
        lines.push(
          `${'  '.repeat(depth)}${role.value}${level ? ` ${level}` : ''} ${JSON.stringify(name?.value ?? '')}` +
            `${expanded === undefined ? '' : expanded ? ' open' : ' closed'}` +
            `${live && live !== 'off' ? ` ${live}` : ''}`,
        );
        next += 1;
      }
      // The text of a heading or a button is its name.
      if (!plain && ['StaticText', 'button', 'heading'].includes(role.value)) return;
      for (const id of childIds) if (byId.has(id)) walk(byId.get(id), next);
    };
    walk(host, 0);
    return lines;
  } finally {
    await session.detach();
  }
}

const named = (lines, role) => lines.map((line) => line.trim()).filter((line) => line.startsWith(`${role} `));

/** Writes down what the live region says, and when. */
const listen = (scene) =>
  scene.page.evaluate(() => {
    const region = stage.scene.queue.shadowRoot.querySelector('[role="status"]');
    window.said = [];
    new MutationObserver(() => {
      const text = region.textContent.trim();
      if (text) window.said.push({ text, at: performance.now() });
    }).observe(region, { childList: true, characterData: true, subtree: true });
  });
const said = (scene) => scene.page.evaluate(() => window.said);
/** Waits for the first announcement, and as long as a second one would take. */
const firstSaid = async (scene) => {
  await scene.until(() => window.said.length > 0, 'an announcement');
  await scene.wait(1500);
  return (await said(scene)).map(({ text }) => text);
};

describe('for a screen reader', together, () => {
  const { play } = stage();

  it('a batch of three: names and roles in their order', () =>
    play({ calls: three, options: { ...patient, tools } }, async (scene) => {
      const lines = await heard(scene);
      assert.deepEqual(named(lines, 'heading'), [
        'heading 2 "3 decisions needed"',
        'heading 3 "Allow delete_file from Files?"',
        'heading 3 "Allow write_file?"',
        'heading 3 "Allow send_mail?"',
      ]);
      assert.deepEqual(named(lines, 'group'), [
        'group "Allow delete_file from Files? 1 of 3"',
        'group "Allow write_file? 2 of 3"',
        'group "Allow send_mail? 3 of 3"',
      ]);
      assert.deepEqual(named(lines, 'button'), [
        'button "Deny delete_file"',
        'button "Allow once delete_file"',
        'button "Allow for this chat: exactly this call"',
        'button "More choices delete_file" closed',
        'button "Deny write_file"',
        'button "Allow once write_file"',
        'button "Allow for this chat: exactly this call"',
        'button "More choices write_file" closed',
        'button "Deny send_mail"',
        'button "Allow once send_mail"',
        'button "Allow for this chat: exactly this call"',
        'button "More choices send_mail" closed',
        'button "Deny all 3"',
      ]);
      // One region with the name of its heading, and one live region.
      assert.deepEqual(named(lines, 'region'), ['region "3 decisions needed"']);
      assert.deepEqual(
        lines.filter((line) => /polite|assertive/.test(line)).map((line) => line.trim().split(' ')[0]),
        ['status'],
      );
      assert.ok(!lines.some((line) => /alert|assertive|dialog/.test(line)), 'nothing shouts');
      // Names and values of the input belong together.
      const terms = lines
        .map((line) => line.trim())
        .filter((line) => /^(term|definition|StaticText)/.test(line));
      for (const text of ['path', 'notes.md', 'draft.md', 'Hello.', 'ana@example.com']) {
        assert.ok(terms.includes(`StaticText ${JSON.stringify(text)}`), `${text} can be read`);
      }
      assert.equal(lines.filter((line) => line.trim().startsWith('term ')).length, 4);
      assert.equal(lines.filter((line) => line.trim().startsWith('definition ')).length, 4);
    }));

  it('what is opened, decided and sent has its names, too', () =>
    play({ calls: three, options: patient }, async (scene) => {
      await scene.part('more', 'c1').click();
      const opened = await heard(scene);
      assert.ok(named(opened, 'button').includes('button "More choices delete_file" open'));
      const box = named(opened, 'textbox');
      assert.equal(box.length, 1);
      assert.notEqual(box[0], 'textbox ""', 'the text has a label');
      for (const part of [
        'Allow for this chat: every delete_file call',
        "Deny, and don't ask again in this chat",
      ]) {
        assert.ok(
          named(opened, 'button').some((line) => line.includes(part)),
          `${part}, among ${named(opened, 'button').join('; ')}`,
        );
      }

      await scene.press(scene.deny('c1'));
      const decided = await heard(scene);
      const buttons = named(decided, 'button');
      assert.ok(buttons.includes('button "Undo delete_file"'));
      assert.ok(!buttons.some((line) => /^button "(Deny|Allow once) delete_file"/.test(line)));
      assert.ok(
        decided.some((line) => line.includes('StaticText "Denied"')),
        'what was decided can be read',
      );
      assert.deepEqual(named(decided, 'region'), ['region "2 decisions needed"']);

      await scene.press(scene.allow('c2'));
      await scene.press(scene.allow('c3'));
      const ready = await heard(scene);
      assert.ok(named(ready, 'button').includes('button "Send 3 decisions"'));
      assert.ok(named(ready, 'button').some((line) => line.startsWith('button "Undo all')));
    }));

  it('the buttons of a request that looks the same are told apart by their group', () =>
    play('same-tool', async (scene) => {
      const groups = named(await heard(scene), 'group');
      assert.equal(new Set(groups).size, 3);
    }));

  it('a dangerous request says so in words', () =>
    play('dangerous', async (scene) => {
      const lines = await heard(scene);
      const group = lines.findIndex((line) => line.trim().startsWith('group "Allow send_mail?'));
      assert.equal(
        group,
        lines.findIndex((line) => line.trim().startsWith('group ')),
        'it comes first',
      );
      const next = lines.findIndex((line, i) => i > group && line.trim().startsWith('group '));
      assert.ok(
        lines.slice(group, next).some((line) => /StaticText ".*angerous/i.test(line)),
        'the word is in the group',
      );
    }));

  it('every button of every state has a name of its own within its group', async () => {
    const { STATES } = await import('./states.mjs');
    await play('empty', async (scene) => {
      for (const state of Object.keys(STATES)) {
        await scene.show(state);
        const lines = await heard(scene);
        let group = '';
        const seen = new Set();
        for (const line of lines) {
          const text = line.trim();
          if (text.startsWith('group ')) group = text;
          if (!/^(button|textbox|link|checkbox|radio|DisclosureTriangle) /.test(text)) continue;
          assert.doesNotMatch(text, /^\w+ ""/, `${state}: a control without a name`);
          const key = `${group} ${text}`;
          assert.ok(!seen.has(key), `${state}: ${key} is there twice`);
          seen.add(key);
        }
        assert.ok(!lines.some((line) => /alert|assertive/.test(line)), `${state}: nothing shouts`);
        assert.ok(lines.filter((line) => line.includes(' polite')).length <= 1, `${state}: one live region`);
      }
    });
  });

  describe('the live region', () => {
    it('is there before there is anything to say, and stays the same one', () =>
      play({ live: true }, async (scene) => {
        const look = () =>
          scene.page.evaluate(() => {
            const regions = [
              ...stage.scene.queue.shadowRoot.querySelectorAll(
                '[role="status"], [role="alert"], [role="log"], [aria-live]:not([aria-live="off"]), output',
              ),
            ];
            window.region ??= regions[0];
            return { count: regions.length, same: regions[0] === window.region, role: regions[0]?.role };
          });
        const one = { count: 1, same: true, role: 'status' };
        assert.deepEqual(await look(), one);
        await scene.page.evaluate(() => {
          const { gated, finishStep, finish } = stage.chunks;
          stage.scene.push(gated('c1', 'delete_file', {}), finishStep, finish());
          stage.scene.live.close();
        });
        await scene.deny('c1').waitFor();
        assert.deepEqual(await look(), one);
        await scene.press(scene.deny('c1'));
        await scene.received(2);
        assert.deepEqual(await look(), one);
      }));

    it('says what is needed and how to get there, once', () =>
      play({ live: true }, async (scene) => {
        await listen(scene);
        await scene.page.evaluate(() => {
          const { gated, finishStep, finish } = stage.chunks;
          for (const id of ['c1', 'c2', 'c3']) stage.scene.push(gated(id, 'delete_file', { path: id }));
          stage.scene.push(finishStep, finish());
          stage.scene.live.close();
        });
        const texts = await firstSaid(scene);
        assert.equal(texts.length, 1, `one announcement, not ${JSON.stringify(texts)}`);
        assert.match(texts[0], /^3 decisions needed\./);
        assert.match(texts[0], /Alt\s*\+\s*Shift\s*\+\s*A/);
      }));

    it('does not name the shortcut where there is none', () =>
      play({ live: true, attributes: { shortcut: '' } }, async (scene) => {
        await listen(scene);
        await scene.page.evaluate(() => stage.scene.push(stage.chunks.gated('c1', 'delete_file', {})));
        const texts = await firstSaid(scene);
        assert.equal(texts.length, 1);
        assert.doesNotMatch(texts[0], /Alt|Shift/);
      }));

    it('says what became of each act, not too fast and never twice the same', () =>
      play({ calls: three, options: patient, then: [{ hangs: true }] }, async (scene) => {
        await scene.wait(1500);
        await listen(scene);
        const heardAfter = async (act) => {
          const before = (await said(scene)).length;
          await act();
          await scene.wait(1600);
          return (await said(scene)).slice(before).map(({ text }) => text);
        };
        const denied = await heardAfter(() => scene.press(scene.deny('c1')));
        assert.equal(denied.length, 1, JSON.stringify(denied));
        assert.match(denied[0], /2 decisions needed/);
        const allowed = await heardAfter(() => scene.press(scene.allow('c2')));
        assert.equal(allowed.length, 1, JSON.stringify(allowed));
        assert.match(allowed[0], /1 decision needed/);
        const undone = await heardAfter(() => scene.press(scene.undo('c1')));
        assert.equal(undone.length, 1, JSON.stringify(undone));
        assert.match(undone[0], /2 decisions needed/);
        await heardAfter(() => scene.press(scene.deny('c1')));
        const last = await heardAfter(() => scene.press(scene.deny('c3')));
        assert.equal(last.length, 1, JSON.stringify(last));
        assert.match(last[0], /2 denied/);
        assert.match(last[0], /1 allowed/);
        const sent = await heardAfter(async () => scene.press(scene.button(/^Send/)));
        assert.ok(sent.length >= 1, 'that it is sent is said');
        const all = await said(scene);
        for (let i = 1; i < all.length; i++) {
          assert.ok(
            all[i].at - all[i - 1].at >= 450,
            `${all[i].text} came too soon after ${all[i - 1].text}`,
          );
          assert.notEqual(all[i].text, all[i - 1].text, 'nothing is said twice in a row');
        }
      }));

    it('does not count seconds aloud', () =>
      play({ calls: three, options: { undoMs: 8000, expiresMs: 60_000, warnMs: 59_000 } }, async (scene) => {
        await scene.wait(1500);
        await listen(scene);
        await scene.wait(2600);
        assert.deepEqual(await said(scene), [], 'while a deadline is shown');
        for (const id of ['c1', 'c2', 'c3']) await scene.press(scene.deny(id));
        await scene.wait(1500);
        const before = (await said(scene)).length;
        await scene.wait(2600);
        assert.equal((await said(scene)).length, before, 'while the countdown runs');
      }));

    it('says many changes at once as one', () =>
      play({ calls: three, options: patient }, async (scene) => {
        await scene.wait(1500);
        await listen(scene);
        await scene.page.evaluate(async () => {
          for (let i = 0; i < 10; i++) {
            stage.scene.decide('c1', 'deny');
            await new Promise((resolve) => setTimeout(resolve, 40));
            stage.scene.guard.undo('c1');
            await new Promise((resolve) => setTimeout(resolve, 40));
          }
          stage.scene.decide('c1', 'deny');
        });
        await scene.wait(2500);
        const all = await said(scene);
        assert.ok(all.length <= 4, `${all.length} announcements`);
        assert.match(all.at(-1).text, /2 decisions needed/);
        for (let i = 1; i < all.length; i++) assert.ok(all[i].at - all[i - 1].at >= 450);
      }));

    it('says that a press did not count', () =>
      play(undefined, async (scene) => {
        await scene.quickly(
          { live: true },
          {
            before: () => listen(scene),
            change: () =>
              scene.page.evaluate(async () => {
                stage.scene.push(stage.chunks.gated('c1', 'delete_file', {}));
                await stage.scene.until(() => stage.scene.call('c1') !== undefined);
              }),
            act: async () => scene.clickAtOnce(scene.deny('c1')),
          },
        );
        const notice = (await scene.part('notice', 'c1').innerText()).trim();
        assert.notEqual(notice, '');
        await scene.wait(2500);
        assert.ok(
          (await said(scene)).some(({ text }) => text.includes(notice)),
          `${notice}, among ${JSON.stringify(await said(scene))}`,
        );
      }));
  });
});
