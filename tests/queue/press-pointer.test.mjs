// Which presses of a guarded button count by their pointer and by their window, tried by real input in a real
// browser.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { runsHere } from '../support/elsewhere.mjs';
import { LONG } from './press-page.mjs';
import { openTabs } from './press-tab.mjs';
import { inPage, waiting } from './press-test.mjs';

describe('pointer', waiting, () => {
  inPage('the second click of a double click', async (t) => {
    await t.add('a');
    await t.wait();
    await t.doubleClick();
    assert.deepEqual(await t.heard(), ['press a', 'early a']);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('the other buttons of a mouse press nothing', async (t) => {
    await t.add('a');
    await t.wait();
    for (const button of /** @type {const} */ (['right', 'middle'])) await t.click(100, 30, { button });
    assert.deepEqual(await t.heard(), []);
  });

  inPage('a click while another button of the mouse is held down', async (t) => {
    await t.add('a');
    await t.wait();
    await t.mouse('mousePressed', { button: 'right', buttons: 2 });
    await t.mouse('mousePressed', { buttons: 3 });
    await t.mouse('mouseReleased', { buttons: 2 });
    await t.mouse('mouseReleased', { button: 'right', buttons: 0 });
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('from one button to another', async (t) => {
    await t.run(`add('a'); add('b')`);
    await t.wait();
    await t.page.mouse.move(100, 30);
    await t.page.mouse.down();
    await t.page.mouse.move(100, 90);
    await t.page.mouse.up();
    assert.deepEqual(await t.heard(), []);
    // And what began on the first is no press of the second.
    await t.click(100, 90);
    assert.deepEqual(await t.heard(), ['press b']);
  });

  inPage('a pointer that is cancelled on its way', async (t) => {
    await t.add('a');
    await t.wait();
    await t.mouse('mousePressed');
    await t.run(`get('a').dispatchEvent(new PointerEvent('pointercancel', { bubbles: true }))`);
    await t.mouse('mouseReleased');
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage(
    'a finger',
    async (t) => {
      await t.add('a');
      await t.page.touchscreen.tap(100, 30);
      assert.deepEqual(await t.heard(), ['early a']);
      await t.wait();
      await t.page.touchscreen.tap(100, 30);
      assert.deepEqual(await t.heard(), ['press a']);
      // A press begins with the touch, and not with the mouse events that a browser makes of it afterwards.
      await t.wait();
      await t.push(20);
      await t.sampled();
      await t.cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 100, y: 40 }] });
      await t.wait();
      await t.cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      assert.deepEqual(await t.heard(), ['early a']);
      await t.wait();
      await t.cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 100, y: 40 }] });
      await t.cdp.send('Input.dispatchTouchEvent', { type: 'touchCancel', touchPoints: [] });
      assert.deepEqual(await t.heard(), []);
    },
    { hasTouch: true },
  );

  inPage('a pen', async (t) => {
    await t.add('a');
    for (const expected of ['early a', 'press a']) {
      await t.mouse('mousePressed', { pointerType: 'pen' });
      await t.mouse('mouseReleased', { pointerType: 'pen' });
      assert.deepEqual(await t.heard(), [expected]);
      await t.wait();
    }
  });

  inPage('what a script dispatches is nothing', async (t) => {
    await t.add('a');
    await t.wait();
    await t.run(`
      const button = get('a');
      button.click();
      const more = { bubbles: true, composed: true, detail: 1, isPrimary: true, clientX: 100, clientY: 30 };
      for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
        button.dispatchEvent(new PointerEvent(type, more));
      }
      for (const type of ['keydown', 'keyup']) button.dispatchEvent(new KeyboardEvent(type, { key: 'Enter', ...more }));
      button.focus();
    `);
    assert.deepEqual(await t.heard(), []);
    // It does not lend a press of the past to a click of now either.
    await t.push(20);
    await t.run(
      `get('a').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true }))`,
    );
    await t.click(100, 40);
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('a script cannot take the place of the way down', async (t) => {
    await t.run(`add('a'); add('b', 'position:fixed;left:300px;top:0')`);
    await t.wait();
    await t.mouse('mousePressed');
    await t.run(
      `get('b').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, isPrimary: true }))`,
    );
    await t.mouse('mouseReleased');
    assert.deepEqual(await t.heard(), ['press a']);
  });
});

describe('window', waiting, () => {
  inPage('a click that only brings the window to the front', async (t) => {
    const other = await t.page.context().newPage();
    await t.add('a');
    // The driver tells each page that it has the focus. Now they have it one at a time.
    for (const page of [t.page, other]) {
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Emulation.setFocusEmulationEnabled', { enabled: false });
    }
    await other.bringToFront();
    await t.wait();
    assert.equal(await t.page.evaluate('document.hasFocus()'), false);
    await t.mouse('mousePressed');
    await t.mouse('mouseReleased');
    assert.deepEqual(await t.heard(), ['early a']);
    assert.equal(await t.page.evaluate('document.hasFocus()'), true);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('Enter right after the window came to the front', async (t) => {
    const other = await t.page.context().newPage();
    await t.run(`add('a').focus()`);
    for (const page of [t.page, other]) {
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Emulation.setFocusEmulationEnabled', { enabled: false });
    }
    await other.bringToFront();
    await t.wait();
    await t.page.bringToFront();
    await t.page.keyboard.press('Enter');
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('nothing counts in a document that says it has no focus', async (t) => {
    await t.add('a');
    await t.wait();
    await t.run('document.hasFocus = () => false');
    await t.click();
    await t.run('delete document.hasFocus');
    await t.click();
    assert.deepEqual(await t.heard(), ['early a', 'early a']);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });

  const HIDDEN = 'a tab that was hidden';
  const testHidden = runsHere(HIDDEN) ? test : () => {};
  testHidden(HIDDEN, async () => {
    const tabs = await openTabs();
    try {
      const tab = await tabs.open();
      await tab.run(`trial.add('a'); trial.states = [];
        document.addEventListener('visibilitychange', () => trial.states.push(document.visibilityState))`);
      await tab.run('trial.rest()');
      await tab.click();
      assert.deepEqual(await tab.heard(), ['press a']);
      const other = await tabs.open();
      await other.activate();
      await delay(LONG);
      await tab.activate();
      await tab.click();
      assert.deepEqual(await tab.heard(), ['early a']);
      assert.deepEqual(await tab.run('trial.states'), ['hidden', 'visible']);
      await tab.run('trial.rest()');
      await tab.click();
      assert.deepEqual(await tab.heard(), ['press a']);
    } finally {
      await tabs.close();
    }
  });

  // In a browser several of them come together, so each is tried alone.
  for (const [target, type] of [
    ['window', 'focus'],
    ['window', 'pageshow'],
    ['window', 'resize'],
    ['document', 'visibilitychange'],
    ['visualViewport', 'scroll'],
  ]) {
    inPage(`${type} alone starts the time again, before the press and during it`, async (t) => {
      await t.add('a');
      await t.wait();
      await t.run(`${target}.dispatchEvent(new Event('${type}'))`);
      await t.click();
      assert.deepEqual(await t.heard(), ['early a']);
      await t.wait();
      await t.mouse('mousePressed');
      await t.run(`${target}.dispatchEvent(new Event('${type}'))`);
      await t.wait();
      await t.mouse('mouseReleased');
      assert.deepEqual(await t.heard(), ['early a']);
      await t.wait();
      await t.click();
      assert.deepEqual(await t.heard(), ['press a']);
    });
  }

  inPage('the focus of an element does not start the time again', async (t) => {
    await t.add('a');
    await t.wait();
    await t.run(`get('a').focus()`);
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('the first click into a frame, and out of one', async (t) => {
    await t.run(`
      add('a');
      const frame = document.createElement('iframe');
      frame.style.cssText = 'border:0;width:300px;height:100px';
      frame.src = '/?frame';
      const loaded = new Promise((done) => (frame.onload = done));
      document.body.append(frame);
      await loaded;
      frame.contentWindow.trial.add('f');
    `);
    const inFrame = `document.querySelector('iframe').contentWindow.trial.heard.splice(0).map(({ type }) => type)`;
    await t.click();
    await t.heard();
    await t.wait();
    await t.click(100, 90);
    assert.deepEqual(await t.page.evaluate(inFrame), ['early']);
    await t.wait();
    await t.click(100, 90);
    assert.deepEqual(await t.page.evaluate(inFrame), ['press']);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });
});
