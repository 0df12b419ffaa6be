// Which presses of a guarded button count that come from a keyboard or from assistive technology, tried by real
// input in a real browser.
import assert from 'node:assert/strict';
import { describe } from 'node:test';

import { KEYS, PressPage } from './press-page.mjs';
import { inPage, waiting } from './press-test.mjs';

describe('keyboard', waiting, () => {
  inPage('Enter and Space count once the button has settled', async (t) => {
    await t.run(`add('a').focus()`);
    await t.page.keyboard.press('Enter');
    await t.page.keyboard.press('Space');
    assert.deepEqual(await t.heard(), ['early a', 'early a']);
    await t.wait();
    await t.page.keyboard.press('Enter');
    await t.page.keyboard.press('Space');
    await t.page.keyboard.press('Enter');
    assert.deepEqual(await t.heard(), ['press a', 'press a', 'press a']);
  });

  inPage('Enter that is held down counts once', async (t) => {
    await t.run(`add('a').focus()`);
    await t.wait();
    for (let i = 0; i < 4; i++) await t.page.keyboard.down('Enter');
    await t.page.keyboard.up('Enter');
    assert.deepEqual(await t.heard(), ['press a', 'early a', 'early a', 'early a']);
  });

  inPage('Enter that is held down since before never counts', async (t) => {
    await t.run(`add('a').focus()`);
    for (let i = 0; i < 12; i++) {
      await t.page.keyboard.down('Enter');
      await t.wait(100);
    }
    const heard = await t.heard();
    assert.equal(heard.length, 12);
    assert.deepEqual(new Set(heard), new Set(['early a']));
  });

  inPage('Space that is held for long counts, as it went down on the button', async (t) => {
    await t.run(`add('a').focus()`);
    await t.wait();
    for (let i = 0; i < 4; i++) await t.page.keyboard.down('Space');
    await t.wait(200);
    await t.page.keyboard.up('Space');
    assert.deepEqual(await t.heard(), ['press a']);
  });

  for (const name of /** @type {const} */ (['Enter', 'Space'])) {
    inPage(`${name} that is held down elsewhere while the focus moves to the button`, async (t) => {
      await t.run(
        `add('a'); above.innerHTML = '<input id="composer">'; document.querySelector('#composer').focus()`,
      );
      await t.wait();
      await t.page.keyboard.down(name);
      await t.run(`get('a').focus()`);
      for (let i = 0; i < 3; i++) await t.page.keyboard.down(name);
      await t.page.keyboard.up(name);
      const heard = await t.heard();
      assert.ok(heard.length > 0);
      assert.deepEqual(new Set(heard), new Set(['early a']));
    });

    inPage(`${name} that was held down when the page got the keyboard`, async (t) => {
      await t.run(`add('a').focus()`);
      await t.wait();
      await t.key('keyDown', { ...KEYS[name], autoRepeat: true });
      await t.key('keyUp', KEYS[name]);
      assert.deepEqual(await t.heard(), ['early a']);
    });
  }

  inPage('Space that is held down elsewhere while another key goes up', async (t) => {
    await t.run(
      `add('a'); above.innerHTML = '<input id="composer">'; document.querySelector('#composer').focus()`,
    );
    await t.wait();
    await t.page.keyboard.down('x');
    await t.page.keyboard.down('Space');
    await t.run(`get('a').focus()`);
    await t.page.keyboard.up('x');
    await t.wait(200);
    await t.key('char', KEYS.Enter);
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('Enter in the composer, which then gives the focus to the button', async (t) => {
    await t.run(`
      add('a');
      above.innerHTML = '<input id="composer">';
      const composer = document.querySelector('#composer');
      composer.addEventListener('keydown', () => get('a').focus());
      composer.focus();
    `);
    await t.wait();
    await t.page.keyboard.press('Enter');
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('a script cannot take the place of a key, neither on its way down nor on its way up', async (t) => {
    await t.run(`
      add('a');
      above.innerHTML = '<input id="composer">';
      const composer = document.querySelector('#composer');
      composer.addEventListener('keydown', ({ key, code }) => {
        get('a').focus();
        const type = key === 'Enter' ? 'keydown' : 'keyup';
        get('a').dispatchEvent(new KeyboardEvent(type, { key, code, bubbles: true, composed: true }));
      });
      composer.focus();
    `);
    await t.wait();
    await t.page.keyboard.press('Enter');
    assert.deepEqual(await t.heard(), ['early a']);
    await t.run(`document.querySelector('#composer').focus()`);
    await t.page.keyboard.down('Space');
    await t.wait(250);
    await t.key('char', KEYS.Enter);
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('Enter and Space in the composer press nothing', async (t) => {
    await t.run(
      `add('a'); above.innerHTML = '<input id="composer">'; document.querySelector('#composer').focus()`,
    );
    await t.wait();
    await t.page.keyboard.type('yes ');
    await t.page.keyboard.press('Enter');
    assert.deepEqual(await t.heard(), []);
  });

  inPage('the key of another button is no press of this one', async (t) => {
    await t.run(
      `add('a'); add('b'); get('a').addEventListener('keydown', () => get('b').focus()); get('a').focus()`,
    );
    await t.wait();
    await t.page.keyboard.press('Enter');
    assert.deepEqual(await t.heard(), ['early b']);
  });

  for (const modifier of ['Control', 'Alt', 'Meta']) {
    inPage(`Enter with ${modifier} does not count`, async (t) => {
      await t.run(`add('a').focus()`);
      await t.wait();
      const modifiers = { Alt: 1, Control: 2, Meta: 4 }[modifier];
      await t.key('rawKeyDown', { ...KEYS.Enter, text: undefined, modifiers });
      await t.key('char', KEYS.Enter);
      await t.key('keyUp', KEYS.Enter);
      assert.deepEqual(await t.heard(), ['early a']);
    });
  }

  inPage('a key that an input method takes does not count', async (t) => {
    await t.run(`add('a').focus()`);
    await t.wait();
    await t.key('rawKeyDown', { key: 'Process', code: 'Enter', windowsVirtualKeyCode: 229 });
    await t.key('char', KEYS.Enter);
    await t.key('keyUp', KEYS.Enter);
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage(
    'the Enter that ends a composition, when the composer then gives the focus to the button',
    async (t) => {
      await t.run(`
      add('a');
      above.innerHTML = '<input id="composer">';
      const composer = document.querySelector('#composer');
      composer.addEventListener('keydown', ({ isComposing }) => {
        trial.composing = isComposing;
        get('a').focus();
      });
      composer.focus();
    `);
      await t.wait();
      await t.cdp.send('Input.imeSetComposition', { text: 'あ', selectionStart: 1, selectionEnd: 1 });
      await t.page.keyboard.press('Enter');
      assert.deepEqual(await t.heard(), ['early a']);
      assert.equal(await t.page.evaluate('trial.composing'), true);
    },
  );

  inPage(
    'inside of a closed shadow root',
    async (t) => {
      await t.run(`add('a').focus()`);
      await t.wait();
      await t.page.keyboard.press('Enter');
      for (let i = 0; i < 3; i++) await t.page.keyboard.down('Space');
      await t.page.keyboard.up('Space');
      await t.click();
      assert.deepEqual(await t.heard(), ['press a', 'press a', 'press a']);
    },
    { search: '?closed' },
  );
});

describe('assistive technology', waiting, () => {
  /** Chromium sends a trusted click without pointer and key for an access key. @param {PressPage} t */
  const accessKey = (t) => t.key('char', { key: 'y', text: 'y', unmodifiedText: 'y', modifiers: 1 });

  inPage('a click without pointer and key counts once the button has settled', async (t) => {
    await t.run(`add('a').accessKey = 'y'`);
    await accessKey(t);
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await accessKey(t);
    assert.deepEqual(await t.heard(), ['press a']);
    await t.push(20);
    await accessKey(t);
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('such a click also counts after keys and clicks that went before', async (t) => {
    await t.run(`
      add('a').accessKey = 'y';
      above.innerHTML = '<input id="composer" style="height:30px">';
      document.querySelector('#composer').focus();
    `);
    await t.page.keyboard.type('a b ');
    await t.page.keyboard.press('Enter');
    await t.wait();
    await t.click(100, 60);
    await accessKey(t);
    assert.deepEqual(await t.heard(), ['press a', 'press a']);
  });

  inPage('a mouse without a pointer, as some browsers press for a screen reader', async (t) => {
    await t.run(`add('a'); addEventListener('pointerdown', (event) => event.stopPropagation(), true)`);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('a click on a label is no press of the button', async (t) => {
    await t.run(`
      add('a');
      root.append(Object.assign(document.createElement('label'), { htmlFor: 'a', textContent: 'A label' }));
    `);
    await t.wait();
    await t.click(20, 70);
    assert.deepEqual(await t.heard(), ['early a']);
  });
});
