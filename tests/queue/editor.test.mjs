// A person changes the input of a call before allowing it: what is typed is what is sent, and nothing else is.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findings } from './axe.mjs';
import { overflowing } from './fit.mjs';
import { stage, together } from './stage.mjs';

const input = { to: 'al@example.com', subject: 'Minutes', copies: 1, urgent: false, files: ['a'] };
const mail = { id: 'c1', tool: 'send_mail', input };
const notes = { id: 'c2', tool: 'delete_file', input: { path: 'notes.md' } };
const schema = {
  required: ['to'],
  properties: {
    to: { type: 'string', pattern: '@', maxLength: 40 },
    copies: { type: 'integer', minimum: 1, maximum: 5 },
    tone: { enum: ['formal', 'friendly'] },
  },
};
const editable = { tools: { send_mail: { editable: true, inputSchema: schema } } };
const spec = { calls: [mail, notes], options: { ...editable, undoMs: 600_000 } };

/** The control of a field. */
const field = (scene, name, call = 'c1') => scene.card(call).getByLabel(name, { exact: true });
const open = async (scene, call = 'c1') => {
  await scene.part('edit', call).click();
  await scene.until(
    (call) =>
      document.activeElement?.shadowRoot?.querySelector(`[data-call="${call}"] [part="editor"]`) != null,
    'the editor',
    call,
  );
};
const label = async (scene, call = 'c1') =>
  (await scene.allow(call).evaluate(({ firstChild }) => firstChild.textContent)).trim();
/** The input with which a call is allowed, as the guard has it. */
const edited = (scene, call = 'c1') => scene.page.evaluate((id) => stage.scene.call(id).edited, call);
/** What assistive technology is told of a control. */
async function told(scene, control) {
  const session = await scene.page.context().newCDPSession(scene.page);
  try {
    await control.evaluate((element) => void (window.told = element));
    const { result } = await session.send('Runtime.evaluate', { expression: 'window.told' });
    const { nodes } = await session.send('Accessibility.getPartialAXTree', {
      objectId: result.objectId,
      fetchRelatives: false,
    });
    await scene.page.evaluate(() => void delete window.told);
    const [{ role, name, description, properties }] = nodes;
    const invalid = properties.find((property) => property.name === 'invalid')?.value.value;
    return { role: role.value, name: name.value, description: description?.value ?? '', invalid };
  } finally {
    await session.detach();
  }
}

describe('the editor', together, () => {
  const { play } = stage();

  it('with the mouse: what is typed is shown beside what was asked for, and is what is sent', () =>
    play({ ...spec, calls: [mail] }, async (scene) => {
      await open(scene);
      assert.equal(await label(scene), 'Allow once', 'nothing is changed yet');
      await field(scene, 'to').fill('ann@example.com');
      assert.equal(await label(scene), 'Allow with changes');
      assert.match(await scene.part('editor').innerText(), /Asked for:\s+al@example\.com/);
      assert.equal(await scene.part('allow-chat', 'c1').isVisible(), false, 'a change is for one call');
      await scene.press(scene.allow('c1'));
      const to = { ...input, to: 'ann@example.com' };
      assert.deepEqual(await edited(scene), { from: input, to });
      const [decision] = await scene.decisions();
      assert.deepEqual([decision.calls, decision.choice, decision.input], [['c1'], 'allow-once', to]);
      assert.equal(await scene.part('editor').isVisible(), false);
      const shown = await scene.part('arguments', 'c1').innerText();
      assert.match(shown, /ann@example\.com\s+Asked for:\s+al@example\.com/);
      assert.match(await scene.part('outcome', 'c1').innerText(), /Allowed with changes/);
      await scene.button(/Send 1 decision/).waitFor();
      await scene.press(scene.button(/Send 1 decision/));
      await scene.received(2);
      const [part] = (await scene.requests())[1].messages.at(-1).parts.filter(({ toolCallId }) => toolCallId);
      assert.deepEqual([part.input, part.approval.approved], [to, true]);
    }));

  it('by keyboard alone: there, through the fields, back with Undo, and what was typed is still there', () =>
    play(spec, async (scene) => {
      await scene.tabTo('edit c1');
      await scene.key('Enter');
      await scene.until(
        () => stage.scene.queue.shadowRoot.activeElement?.localName === 'input',
        'the first field',
      );
      assert.equal(await scene.focused(), 'control c1');
      await scene.key('ControlOrMeta+A');
      await scene.page.keyboard.type('ann@example.com');
      await scene.key('Enter');
      await scene.assertUntouched('Enter in a field decides nothing');
      await scene.tabTo('allow c1');
      await scene.act('Enter');
      assert.equal(await scene.focused(), 'undo c1');
      assert.equal((await edited(scene)).to.to, 'ann@example.com');
      await scene.act('Enter');
      assert.equal((await scene.statuses()).c1, 'asking');
      assert.equal(await edited(scene), undefined);
      assert.equal(await field(scene, 'to').inputValue(), 'ann@example.com');
      assert.equal(await label(scene), 'Allow with changes');
    }));

  it('Escape closes it only while nothing is changed, and its button discards', () =>
    play(spec, async (scene) => {
      await open(scene);
      await scene.key('Escape');
      assert.equal(await scene.part('editor').count(), 0);
      assert.equal(await scene.focused(), 'edit c1');
      await open(scene);
      await field(scene, 'to').fill('ann@example.com');
      await scene.key('Escape');
      assert.equal(await field(scene, 'to').inputValue(), 'ann@example.com');
      assert.match(await scene.part('edit', 'c1').innerText(), /Discard the changes/);
      await scene.part('edit', 'c1').click();
      assert.equal(await scene.part('editor').count(), 0);
      assert.equal(await label(scene), 'Allow once');
      await scene.press(scene.allow('c1'));
      assert.equal(await edited(scene), undefined, 'what was discarded is not sent');
      assert.equal((await scene.statuses()).c1, 'drafted');
    }));

  it('a press that is early for Allow is early for Allow with changes', () =>
    play(spec, async (scene) => {
      await scene.quickly(spec, {
        before: async () => {
          await open(scene);
          await scene.settle(scene.allow('c1'));
          await field(scene, 'to').focus();
        },
        change: () => scene.page.keyboard.insertText('x'),
        act: () => scene.clickAtOnce(scene.allow('c1')),
      });
      await scene.assertUntouched('a press right after a change');
      assert.match(await scene.part('notice', 'c1').innerText(), /too soon/);
      // Also of a change that changes no label and moves nothing.
      await scene.settle(scene.allow('c1'));
      await scene.quickly(spec, {
        before: async () => {
          await open(scene);
          await field(scene, 'to').fill('a@b');
          await scene.settle(scene.allow('c1'));
        },
        change: () => scene.page.keyboard.insertText('x'),
        act: () => scene.clickAtOnce(scene.allow('c1')),
      });
      await scene.assertUntouched('a press right after another change');
      await scene.press(scene.allow('c1'));
      assert.equal((await edited(scene)).to.to, 'a@bx');
    }));

  it('a screen reader: each field has its name, its kind, what was asked for, and what is wrong', () =>
    play(spec, async (scene) => {
      await open(scene);
      const group = scene.part('editor');
      assert.equal(await group.getAttribute('aria-label'), 'Change the input');
      const roles = {
        to: 'textbox',
        copies: 'textbox',
        urgent: 'combobox',
        tone: 'combobox',
        files: 'textbox',
      };
      for (const [name, role] of Object.entries(roles)) {
        const { role: said, name: called, description, invalid } = await told(scene, field(scene, name));
        assert.deepEqual([said.toLowerCase(), called, description, invalid], [role, name, '', 'false'], name);
      }
      await field(scene, 'to').fill('nobody');
      await scene.press(scene.allow('c1'));
      const { description, invalid } = await told(scene, field(scene, 'to'));
      assert.match(description, /does not have the form.*Asked for: al@example\.com/);
      assert.equal(invalid, 'true');
      assert.deepEqual(await findings(scene), [], 'axe finds nothing beside the errors');
      assert.deepEqual(await overflowing(scene), []);
    }));

  it('says beside each field what is wrong with it, and sends nothing meanwhile', () =>
    play(spec, async (scene) => {
      await open(scene);
      const wrong = {
        to: ['nobody', /form/],
        copies: ['many', /a number/],
        files: ['[1,', /JSON/],
      };
      for (const [name, [text]] of Object.entries(wrong)) await field(scene, name).fill(text);
      await scene.press(scene.allow('c1'));
      await scene.assertUntouched('with problems');
      const problems = await scene.part('problem', 'c1').allInnerTexts();
      assert.equal(problems.filter(Boolean).length, 3, problems.join());
      assert.match(await scene.part('notice', 'c1').innerText(), /correct what is marked/);
      assert.equal(await field(scene, 'to').evaluate((it) => it.getRootNode().activeElement === it), true);
      for (const [text, problem] of [
        ['1.5', /whole/],
        ['0', /at least 1/],
        ['6', /at most 5/],
        ['9007199254740993', /number/],
        ['0x5', /number/],
      ]) {
        await field(scene, 'copies').fill(text);
        await scene.press(scene.allow('c1'));
        assert.match((await scene.part('problem', 'c1').allInnerTexts()).join(), problem, text);
      }
      await field(scene, 'to').fill(`${'x'.repeat(40)}@`);
      await field(scene, 'copies').fill('3');
      await field(scene, 'files').fill('{"a": null}');
      await scene.press(scene.allow('c1'));
      assert.deepEqual((await scene.part('problem', 'c1').allInnerTexts()).filter(Boolean), [
        'This can have at most 40 characters.',
      ]);
      await field(scene, 'to').fill('ann@example.com');
      await field(scene, 'urgent').selectOption('true');
      await field(scene, 'tone').selectOption('friendly');
      await scene.press(scene.allow('c1'));
      const to = {
        ...input,
        to: 'ann@example.com',
        copies: 3,
        urgent: true,
        files: { a: null },
        tone: 'friendly',
      };
      assert.deepEqual((await edited(scene)).to, to);
    }));

  it('shows what the application finds beside its field, and what a rule denies', () =>
    play(undefined, async (scene) => {
      await scene.page.evaluate(async (calls) => {
        const checks = ({ to }) =>
          to === 'eve@x' ? [{ field: 'to', message: 'Not Eve.' }, 'Nobody of x.'] : [];
        const judge = ({ input }) => ({
          effect: input.to === 'bob@x' ? 'deny' : 'ask',
          ...{ always: false, dangerous: false, ruleId: 'r1', why: '' },
        });
        const tools = { send_mail: { editable: checks } };
        await stage.open({ calls, options: { tools, rules: { judge }, undoMs: 600_000 } });
      }, spec.calls);
      await open(scene);
      await field(scene, 'to').fill('eve@x');
      await scene.press(scene.allow('c1'));
      assert.deepEqual((await scene.part('problem', 'c1').allInnerTexts()).filter(Boolean), [
        'Not Eve.',
        'Nobody of x.',
      ]);
      assert.match((await told(scene, field(scene, 'to'))).description, /Not Eve\./);
      await field(scene, 'to').fill('bob@x');
      await scene.press(scene.allow('c1'));
      assert.match(await scene.part('notice', 'c1').innerText(), /A rule denies this input/);
      assert.equal((await scene.statuses()).c1, 'asking');
      await field(scene, 'to').fill('ann@x');
      await scene.press(scene.allow('c1'));
      assert.equal((await edited(scene)).to.to, 'ann@x');
      assert.equal(await scene.part('notice', 'c1').innerText(), '');
    }));

  it('never has a value that is hidden, and has it once it is shown; what was typed stays', () =>
    play('editing-masked', async (scene) => {
      const names = () => scene.part('editor').locator('label').allInnerTexts();
      const html = () => scene.page.evaluate(() => stage.scene.queue.shadowRoot.innerHTML);
      assert.deepEqual(
        (await names()).filter((name) => ['url', 'headers', 'text'].includes(name)),
        ['text'],
      );
      assert.doesNotMatch(await html(), /hunter2/);
      await scene.part('unmask', 'c1').click();
      await scene.drawn();
      assert.equal(await field(scene, 'text').inputValue(), 'Other minutes');
      assert.match(await field(scene, 'url').inputValue(), /ana:hunter2@/);
      await scene.press(scene.allow('c1'));
      const { from, to } = await edited(scene);
      assert.deepEqual(to, { ...from, text: 'Other minutes' });
    }));

  it('sends what is hidden as it is, if something else is changed', () =>
    play('editing-masked', async (scene) => {
      await scene.press(scene.allow('c1'));
      const { from, to } = await edited(scene);
      assert.deepEqual(to, { ...from, text: 'Other minutes' });
      assert.match(to.url, /hunter2/);
      assert.doesNotMatch(await scene.page.evaluate(() => stage.scene.queue.shadowRoot.innerHTML), /hunter2/);
    }));

  it('writes out what cannot be seen in a value, and shows the host that it names', () =>
    play(
      { ...spec, calls: [{ ...mail, input: { url: 'https://ex\u0430mple.com/', note: 'a\u202eb' } }] },
      async (scene) => {
        await open(scene);
        assert.match(await scene.part('now', 'c1').allInnerTexts().then(String), /a⟦U\+202E⟧b/);
        await field(scene, 'url').fill('https://\u0430pple.com/');
        assert.match(await scene.part('place', 'c1').innerText(), /xn--pple-43d\.com/);
        await field(scene, 'note').fill('ab');
        const isShown = (lines) => lines.filter((line) => line.checkVisibility()).length;
        assert.equal(await scene.part('now', 'c1').evaluateAll(isShown), 0);
      },
    ));

  it('offers only the fields that may be changed, and nothing for a tool that may not', () =>
    play({ ...spec, options: { tools: { send_mail: { editable: ['to'] } } } }, async (scene) => {
      assert.equal(await scene.part('edit', 'c2').isVisible(), false);
      await open(scene);
      assert.deepEqual(await scene.part('editor').locator('label').allInnerTexts(), ['to']);
      assert.match(await scene.part('arguments', 'c1').innerText(), /subject\s+Minutes/);
      assert.doesNotMatch(await scene.part('arguments', 'c1').innerText(), /al@example/);
    }));

  it('of equal calls it changes one, and says so', () =>
    play({ ...spec, calls: [mail, { ...mail, id: 'c2' }, { ...mail, id: 'c3' }] }, async (scene) => {
      await open(scene);
      await field(scene, 'to').fill('ann@example.com');
      assert.equal(await label(scene), 'Allow one of them with changes');
      await scene.press(scene.allow('c1'));
      assert.deepEqual(await scene.statuses(), { c1: 'drafted', c2: 'asking', c3: 'asking' });
      assert.match(await scene.card('c2').innerText(), /2 times/);
    }));

  it('nobody allows all while one of them is about to be another one', () =>
    play(
      { ...spec, calls: [mail, { ...mail, id: 'c2', input: { ...input, to: 'bo@example.com' } }] },
      async (scene) => {
        const all = scene.part('allow-all');
        assert.equal(await all.isVisible(), true);
        await open(scene);
        assert.equal(await all.isVisible(), true, 'nothing is changed yet');
        await field(scene, 'to').fill('ann@example.com');
        await scene.drawn();
        assert.equal(await all.isVisible(), false);
        await field(scene, 'to').fill(input.to);
        await scene.drawn();
        assert.equal(await all.isVisible(), true);
      },
    ));

  it('an input that has changed meanwhile is read again', () =>
    play({ ...spec, calls: [mail] }, async (scene) => {
      await open(scene);
      await field(scene, 'to').fill('ann@example.com');
      await scene.page.evaluate(() => {
        const { chat } = stage.scene;
        const change = (part) => (part.toolCallId ? { ...part, input: { to: 'new@example.com' } } : part);
        chat.messages = chat.messages.map((it) => ({ ...it, parts: it.parts.map(change) }));
        stage.scene.guard.observe(chat.messages);
      });
      await scene.drawn();
      assert.equal(await scene.part('editor').count(), 0);
      assert.match(await scene.part('notice', 'c1').innerText(), /has changed/);
      assert.equal(await label(scene), 'Allow once');
    }));

  it('in a card of its own, from right to left', () =>
    play(
      { ...spec, calls: [mail], cards: true, catalogue: 'ar' },
      async (scene) => {
        await scene.page.evaluate(() => void (document.documentElement.dir = 'rtl'));
        await open(scene);
        await field(scene, 'to').fill('ann@example.com');
        assert.equal(await label(scene), 'السماح مع التعديلات');
        assert.equal(await field(scene, 'to').evaluate((it) => getComputedStyle(it).direction), 'ltr');
        assert.equal(await field(scene, 'files').evaluate((it) => getComputedStyle(it).direction), 'ltr');
        const line = await scene.part('changed', 'c1').evaluate((it) => {
          const { borderRightWidth, borderLeftWidth } = getComputedStyle(it);
          return [borderRightWidth, borderLeftWidth];
        });
        assert.deepEqual(line, ['4px', '0px']);
        assert.deepEqual(await overflowing(scene), []);
        await scene.press(scene.allow('c1'));
        assert.equal((await edited(scene)).to.to, 'ann@example.com');
        assert.match(await scene.part('outcome', 'c1').innerText(), /سُمح به مع تعديلات/);
        await scene.page.evaluate(() => document.documentElement.removeAttribute('dir'));
      },
      { width: 320 },
    ));

  it('is not asked if the application stops the decision', () =>
    play(spec, async (scene) => {
      await scene.page.evaluate(() => {
        stage.scene.queue.addEventListener('tool-approval-decide', (event) => {
          if (event.detail.input?.to === 'ann@example.com') event.preventDefault();
        });
      });
      await open(scene);
      await field(scene, 'to').fill('ann@example.com');
      await scene.press(scene.allow('c1'));
      assert.equal((await scene.statuses()).c1, 'asking');
      assert.equal(await field(scene, 'to').inputValue(), 'ann@example.com');
    }));
});
