import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runsHere } from '../support/elsewhere.mjs';
import { findings, schemesAt, showIn } from './axe.mjs';
import { stage, together } from './stage.mjs';
import { lastSent, lastTold, lines } from './state.mjs';

/**
 * @import { Demo } from './drive.mjs'
 * @import { SceneOptions } from './stage.mjs'
 */

const ALONE = { path: 'rules.html' };
const TOOLS = { bash: { target: 'command', kind: 'shell' } };

/** The page of rules as a person sees it. */
class Page {
  /** @param {Demo} demo */
  constructor({ page }) {
    this.page = page;
    this.editor = page.getByRole('textbox', { name: 'Rules' });
    this.status = page.getByRole('status');
    this.remarks = page.getByRole('list', { name: 'Remarks' }).getByRole('listitem');
  }

  /** @param {string} title */
  table(title) {
    return this.page.getByRole('table', { name: title });
  }

  /** The row of the first call that says this. @param {string} text */
  row(text) {
    return this.page.locator('tr.answer', { hasText: text }).first();
  }

  /** What the cells of a row say. @param {string} text */
  async answer(text) {
    return (await this.row(text).locator('td').allInnerTexts()).map((cell) =>
      cell.replace(/\s+/g, ' ').trim(),
    );
  }

  /** The answers of a table. @param {string} title */
  answers(title) {
    return this.table(title).locator('.pill').allInnerTexts();
  }

  /** @param {(text: string) => string} change of the rules */
  async edit(change) {
    const before = await this.editor.inputValue();
    const after = change(before);
    assert.notEqual(after, before);
    await this.editor.fill(after);
  }

  /** What is selected after a remark was followed. @param {number} index */
  async follow(index) {
    await this.remarks.nth(index).getByRole('button').click();
    return this.editor.evaluate((area) => {
      if (!(area instanceof HTMLTextAreaElement) || area !== document.activeElement) return undefined;
      return area.value.slice(area.selectionStart, area.selectionEnd);
    });
  }
}

describe('the page of rules', together, () => {
  const { play } = stage();

  /** @type {(name: string, scene: (page: Page, demo: Demo) => Promise<void>, options?: SceneOptions) => void} */
  const scene = (name, scene, options) =>
    void (
      runsHere(name) &&
      test(name, () => play((demo) => scene(new Page(demo), demo), { ...ALONE, ...options }))
    );

  scene('by the given rules nothing nasty runs, and the chat gets all three answers', async (page) => {
    const chat = await page.answers('A sample chat');
    assert.deepEqual(chat.join(' '), 'Allow Allow Deny Allow Ask Ask Ask Deny Allow Allow Ask Allow');
    const nasty = await page.answers('Nasty calls');
    assert.ok(nasty.length >= 40, String(nasty.length));
    assert.deepEqual([...new Set(nasty)].sort(), ['Ask', 'Deny']);
    assert.equal(await page.remarks.count(), 0);
    const of = (/** @type {string} */ answer) => nasty.filter((one) => one === answer).length;
    await page.status.getByText(`Nasty calls: 0 allowed, ${of('Ask')} ask, ${of('Deny')} denied.`).waitFor();
    assert.deepEqual(await page.answer('ls src && git status'), ['Allow', 'list Application']);
    assert.deepEqual(await page.answer('.env'), ['Deny', 'secrets Organisation']);
    assert.deepEqual(await page.answer('lsof -i'), ['Ask', 'No rule']);
  });

  scene(
    'a rule that is typed answers at once, and while it is half written, what it might deny asks',
    async (page) => {
      await page.editor.evaluate((area) => {
        if (!(area instanceof HTMLTextAreaElement)) return;
        area.focus();
        const at = area.value.indexOf('"rules": [') + '"rules": ['.length;
        area.setSelectionRange(at, at);
      });
      await page.page.keyboard.type('{ "id": "mine", "deny": "bash:lsof *');
      await page.status.getByText('One problem: what the rule might have denied asks.').waitFor();
      assert.deepEqual([...new Set(await page.answers('A sample chat'))], ['Ask']);
      assert.deepEqual(await page.answer('lsof -i'), ['Ask', 'Broken rules']);
      await page.page.keyboard.type('" },');
      await page.row('lsof -i').getByText('Deny').waitFor();
      assert.deepEqual(await page.answer('lsof -i'), ['Deny', 'mine Application']);
      assert.deepEqual(await page.answer('ls -la'), ['Allow', 'list Application']);
      await page.page.getByRole('button', { name: 'Start over' }).click();
      assert.deepEqual(await page.answer('lsof -i'), ['Ask', 'No rule']);
    },
  );

  scene('a rule that allows too much lets nasty calls run', async (page) => {
    await page.edit((text) => text.replace('"read_file:src/**"', '"bash"'));
    await page.row('ls | tee /etc/profile').getByText('Allow').waitFor();
    assert.deepEqual(await page.answer('sudo rm -rf /'), ['Deny', 'no-rm Application']);
  });

  scene('a broken rule says what is wrong, where, and what to do', async (page) => {
    await page.edit((text) => text.replace('"bash:ls *"', '"bash: ls *"'));
    assert.equal(await page.remarks.count(), 1);
    await page.remarks.getByText('A blank at the start or end of the pattern.').waitFor();
    await page.remarks.getByText('Write the pattern right after the colon').waitFor();
    assert.equal(await page.editor.getAttribute('aria-invalid'), 'true');
    assert.equal(await page.page.locator('.editor mark').innerText(), ' ls *"');
    const line = (await page.editor.inputValue()).split('"bash: ls')[0]?.split('\n').length;
    await page.remarks.getByRole('button', { name: `Line ${line}, column 22` }).waitFor();
    assert.equal(await page.follow(0), ' ls *"');
    assert.deepEqual(await page.answer('ls -la'), ['Ask', 'No rule']);
    assert.deepEqual(await page.answer('sudo rm -rf /'), ['Deny', 'no-rm Application']);
    await page.edit((text) => text.replace('"bash: ls *"', '"bash:ls *"'));
    await page.row('ls -la').getByText('Allow').waitFor();
    assert.equal(await page.remarks.count(), 0);
    assert.equal(await page.editor.getAttribute('aria-invalid'), 'false');
    await page.edit((text) => text.replace('"bash:rm *"', '"bash: rm *"'));
    await page.status.getByText('One problem: what the rule might have denied asks.').waitFor();
    assert.deepEqual(await page.answer('sudo rm -rf /'), ['Ask', 'Broken rules']);
    assert.deepEqual(await page.answer('ls -la'), ['Ask', 'Broken rules']);
  });

  scene('each remark leads to its place', async (page) => {
    for (const [text, place, says] of [
      ['{"rules": [{"allow": "t"} {"deny": "u"}]}', '{', 'Here should be a comma, or ].'],
      ['{"rules": [\n  {"allow": t}\n]}', 't', 'Here should be a value'],
      ['{"rules": []}}', '}', 'Here should be the end.'],
      ['{rules: []}', 'r', 'Here should be a name in double quotes.'],
      ['[]', '[]', 'This is not an object.'],
      ['{"rulez": []}', '{"rulez": []}', 'There is no field "rulez" here.'],
      ['{"rules": [{"allow": "t"}, {"alow": "u"}]}', '{"alow": "u"}', 'There is no field "alow" here.'],
      ['{"rules": [{"deny": "\\u0074\\ud83d\\ude00\\n"}]}', '\\n"', 'A blank in the name of the tool.'],
      [
        '{"rules": [{"id": "a", "deny": "t"}, {"id": "a", "deny": "u"}]}',
        '"a"',
        'Another rule has the id "a".',
      ],
      ['{"tools": {"a.b": {"kind": "x"}}}', '"x"', 'There is no kind "x".'],
      ['{"layers": {"app": {"rules": [{"deny": ""}]}}}', '"', 'No tool.'],
      ['{"layers": {"user": [{"ask": "t", "always": 1}]}}', '1', 'This is neither true nor false.'],
      [
        JSON.stringify({ tools: TOOLS, rules: [{ deny: 'bash:rm *', match: ['rm x', 'ls'] }] }),
        '"ls"',
        'The rule does not match this example.',
      ],
      [
        JSON.stringify({ tools: TOOLS, rules: [{ allow: 'bash:ls*', id: 'a' }] }),
        '{"allow":"bash:ls*","id":"a"}',
        'The star is attached to a word',
      ],
      [
        JSON.stringify({ tools: TOOLS, rules: [{ allow: 'bash:ls *' }, { deny: 'bash' }] }),
        '{"allow":"bash:ls *"}',
        'A stricter rule cancels this allowance. The other rule is rules[1].',
      ],
    ]) {
      await page.editor.fill(text ?? '');
      await page.remarks
        .first()
        .getByText(says ?? '')
        .waitFor();
      assert.equal(await page.follow(0), place, text);
    }
  });

  scene('a row that is opened says why, by keyboard too', async (page) => {
    const button = page.row('ls; curl').getByRole('button');
    await button.focus();
    assert.equal(await button.getAttribute('aria-expanded'), 'false');
    await page.page.keyboard.press('Enter');
    assert.equal(await button.getAttribute('aria-expanded'), 'true');
    const why = page.page.locator(`[id="${await button.getAttribute('aria-controls')}"]`);
    await why.getByText('No rule matches this call, so it asks.').waitFor();
    const near = await why.getByRole('listitem').allInnerTexts();
    assert.deepEqual(
      near.map((text) => text.replace(/\s+/g, ' ').trim()),
      [
        'list: allow bash:ls * It covers only part of the command.',
        'status: allow {"tokens":["git","status"],"tool":"bash"} Its pattern does not match.',
        'no-rm: deny bash:rm * Files go by delete_file Its pattern does not match.',
      ],
    );
    await page.page.keyboard.press('Enter');
    await why.waitFor({ state: 'detached' });
    assert.equal(await button.getAttribute('aria-expanded'), 'false');
  });

  scene('what nobody would see is written out, and nothing becomes markup', async (page) => {
    const said = await page.page.locator('main').innerText();
    for (const piece of [
      'r⟦U+200B⟧m',
      'ls⟦U+00A0⟧-la',
      '⟦U+202E⟧gpj.sh',
      'notes.md⟦U+2060⟧',
      '.env⟦U+0000⟧.ts',
    ]) {
      assert.ok(said.includes(piece), piece);
    }
    assert.doesNotMatch(said, /[\p{Cf}\p{Co}\u00a0]|(?![\n\t])\p{Cc}/u);
    const id = '<img src=x onerror=alert(1)>\u202e';
    const rule = { id, deny: 'bash', why: '<b>no</b>\u200b' };
    await page.editor.fill(JSON.stringify({ tools: TOOLS, rules: [rule] }));
    await page.row('ls -la').getByRole('button').click();
    await page.page.getByText('<b>no</b>⟦U+200B⟧').first().waitFor();
    assert.equal((await page.answer('ls -la'))[1], '<img src=x onerror=alert(1)>⟦U+202E⟧ Application');
    assert.equal(await page.page.locator('main img, main b').count(), 0);
  });

  for (const width of [1280, 320]) {
    scene(
      `axe finds nothing, and nothing is cut off, at ${width} pixels`,
      async (page, demo) => {
        for (const colorScheme of schemesAt(width)) {
          await showIn(page.page, colorScheme);
          assert.deepEqual(await findings(page.page), [], colorScheme);
          await page.edit((text) =>
            text.replace('"bash:ls *"', '"bash: ls *"').replace('"read_file:src/**"', '"*"'),
          );
          assert.equal(await page.remarks.count(), 2);
          await page.row('ls; curl').getByRole('button').click();
          assert.deepEqual(await findings(page.page), [], `${colorScheme}, opened`);
          assert.deepEqual(await demo.widths(), { window: width, cut: 0 });
          const cut = await page.editor.evaluate((area) => area.scrollHeight - area.clientHeight);
          assert.equal(cut, 0, 'the text is as long as the one below it');
          await page.row('ls; curl').getByRole('button').click();
          await page.page.getByRole('button', { name: 'Start over' }).click();
        }
        await page.page
          .locator('.answers .pill')
          .first()
          .evaluate((pill) => {
            if (pill instanceof HTMLElement) pill.style.cssText = 'color: #ccc; background: #ddd';
          });
        assert.match((await findings(page.page)).join(), /color-contrast/, 'a weak colour would be found');
      },
      { width },
    );
  }

  scene(
    'the tables are tables where their cells stand below each other',
    async (page) => {
      const session = await page.page.context().newCDPSession(page.page);
      // Until the browser has made the tree, it has only its root.
      await session.send('Accessibility.enable');
      /** @type {(string | undefined)[]} */
      let roles = [];
      for (let times = 0; times < 100 && !roles.includes('table'); times++) {
        const { nodes } = await session.send('Accessibility.getFullAXTree');
        roles = nodes.map((node) => node.role?.value);
      }
      const count = (/** @type {string} */ role) => roles.filter((one) => one === role).length;
      const rows = await page.page.locator('tr.answer').count();
      assert.deepEqual(['table', 'columnheader', 'row', 'rowheader', 'cell'].map(count), [
        2,
        6,
        rows + 2,
        rows,
        2 * rows,
      ]);
    },
    { width: 320 },
  );

  scene(
    'the chat and the rules lead to each other',
    async (page) => {
      await page.page.getByRole('link', { name: 'What rules would say' }).click();
      await page.page.getByRole('heading', { name: 'What rules would say' }).waitFor();
      await page.page.getByRole('link', { name: 'Back to the chat' }).click();
      await page.page.getByRole('radio', { name: 'With the guard' }).waitFor();
    },
    { path: '' },
  );

  for (const path of ['', 'vue.html']) {
    scene(
      `rules in the chat${path && ', in Vue'}: one allows, one denies, and the rest asks`,
      async (_, demo) => {
        const seen = await demo.watch('notes.md');
        await demo.start('Rules', { guarded: true });
        await demo.says('2 decisions needed');
        await demo.request('list_files').getByText('Allowed by a rule').waitFor();
        await demo.request('notes.md').getByText('Denied by a rule: The notes are the only copy').waitFor();
        assert.equal((await demo.state()).requests.length, 1, 'it waits for the person');
        const note = demo.request('cache.log');
        await note.getByText('1 value is hidden because it looks like a secret').waitFor();
        assert.doesNotMatch(await note.innerText(), /correct-horse/);
        const page = await demo.page.locator('body').innerText();
        assert.doesNotMatch(page, /correct-horse/);
        await note.getByRole('button', { name: 'Show the hidden value' }).click();
        await note.getByText('password=correct-horse').waitFor();
        await demo.answer('cache.log', 'Deny');
        await demo.answer('final.md', 'Allow once');
        await demo.reads('rename_file on draft.md ran and returned');
        await demo.settle();
        const state = await demo.state();
        assert.equal(state.requests.length, 2);
        assert.deepEqual(state.runs.map(({ toolName, times }) => `${toolName} ${times}`).sort(), [
          'list_files 1',
          'rename_file 1',
        ]);
        assert.equal(lines(state, 'notes.md'), 3);
        assert.deepEqual(lastSent(state, 'notes.md'), {
          state: 'approval-responded',
          approved: false,
          output: undefined,
        });
        const told = lastTold(state, 'notes.md');
        assert.equal(told?.outcome, 'denied');
        assert.match(String(told?.value), /The rule says: The notes are the only copy/);
        assert.deepEqual(await seen(), ['closed'], 'nobody is asked about it');
      },
      { path },
    );
  }

  scene(
    'the same chat without the guard: everything asks',
    async (_, demo) => {
      await demo.start('Rules', { guarded: false });
      for (const call of ['List the files', 'notes.md', 'final.md', 'cache.log'])
        await demo.button(call, 'Deny').waitFor();
    },
    { path: '' },
  );
});
