// Which presses of a guarded button count, tried by real input in a real browser.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { build } from 'esbuild';

import { browserName, launchBrowser } from '../support/browsers.mjs';
import { runsHere } from '../support/elsewhere.mjs';
import { KEYS, LONG, PressPage, sourceOfPresses } from './press-page.mjs';
import { openTabs } from './press-tab.mjs';

/** @import { BrowserContextOptions } from 'playwright-core' */
/** @typedef {BrowserContextOptions & { search?: string }} Options */

/** @type {Awaited<ReturnType<typeof launchBrowser>>} */
let browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser?.close());

/** Most of the time they wait. Only in Chromium can several pages have the focus. */
const together = { concurrency: browserName === 'chromium' ? 3 : 1 };

/**
 * A test in a page of its own. What has to come early cannot always do so on a machine that is busy with something
 * else: where the page itself saw that it came late, a failure shows nothing, and the test is tried again.
 *
 * @param {string} name
 * @param {(t: PressPage) => Promise<void>} work
 * @param {Options} [options]
 */
function inPage(name, work, options) {
  /** @param {number} tries */
  const attempt = async (tries) => {
    const page = await PressPage.open(browser, options);
    /** @type {Error[]} */
    const errors = [];
    page.page.on('pageerror', (error) => errors.push(error));
    try {
      await work(page);
      assert.deepEqual(errors, []);
    } catch (error) {
      if (tries === 0 || !(await page.wasLate())) throw error;
      await attempt(tries - 1);
    } finally {
      await page.close();
    }
  };
  if (runsHere(name)) test(name, () => attempt(3));
}

describe('time', () => {
  inPage(
    'a click at once after the button appeared does not count, and one that comes later does',
    async (t) => {
      await t.add('a');
      await t.click();
      assert.deepEqual(await t.heard(), ['early a']);
      await t.wait();
      await t.click();
      assert.deepEqual(await t.heard(), ['press a']);
    },
  );

  inPage('no click within 500 ms counts, and each after 800 ms does', async (t) => {
    await t.run(`addEventListener('pointerdown', ({ timeStamp }) => (trial.down = timeStamp), true)`);
    for (const after of [0, 250, 400, 450, 480, 500, 520, 560, 620, 800, 1200]) {
      await t.run(`
        const old = get('a');
        if (old) presses.delete(old);
        old?.remove();
        trial.added = performance.now();
        add('a');
      `);
      await delay(after);
      await t.click();
      const [heard] = await t.heard();
      const age = /** @type {number} */ (await t.page.evaluate('trial.down - trial.added'));
      if (age < 500) assert.equal(heard, 'early a', `after ${age} ms`);
      if (age > 800) assert.equal(heard, 'press a', `after ${age} ms`);
    }
  });

  inPage('a click that waited in a busy page is as old as it is', async (t) => {
    await t.run(
      `addEventListener('pointerdown', (down) => (trial.late = performance.now() - down.timeStamp), true)`,
    );
    await t.add('a');
    await t.wait(150);
    const busy = t.run('busy(900)');
    await t.wait(100);
    await Promise.all([t.click(), busy]);
    assert.deepEqual(await t.heard(), ['early a']);
    // It did wait, for longer than the button has to stand still.
    assert.ok(/** @type {number} */ (await t.page.evaluate('trial.late')) > 500);
  });

  inPage('a click that waited in a busy page counts on a button that stood there before', async (t) => {
    await t.add('a');
    await t.wait();
    const busy = t.run('busy(700)');
    await t.wait(100);
    await Promise.all([t.click(), busy]);
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('a button that the page was too busy to paint is not there yet', async (t) => {
    const busy = t.run(`add('a'); busy(700)`);
    await t.wait(600);
    await Promise.all([t.click(), busy]);
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('a frame that is made but not painted shows nothing yet', async (t) => {
    await t.add('a');
    await t.wait();
    // The move is seen in a frame in which the page is then busy.
    await t.run(`
      const button = get('a');
      button.getBoundingClientRect = () => {
        const box = Element.prototype.getBoundingClientRect.call(button);
        if (box.y > 0 && !trial.moved) {
          trial.moved = true;
          queueMicrotask(() => busy(900));
        }
        return box;
      };
      above.style.height = '20px';
    `);
    await t.wait(800);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });
});

describe('place', together, () => {
  inPage('content inserted above 50 ms before the click', async (t) => {
    await t.add('a');
    await t.wait();
    await t.push(40);
    await t.wait(50);
    await t.click(100, 70);
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click(100, 70);
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('content inserted above between two looks at the button', async (t) => {
    await t.run(`add('a'); addEventListener('pointerdown', () => (above.style.height = '20px'), true)`);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('content inserted above between the way down and the way up', async (t) => {
    await t.add('a');
    await t.wait();
    await t.mouse('mousePressed');
    await t.push(20);
    await t.mouse('mouseReleased');
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('content inserted right before the click is heard', async (t) => {
    await t.run(`add('a'); addEventListener('mouseup', () => (above.style.height = '20px'), true)`);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('a button that went away and came back, before the press and during it', async (t) => {
    await t.add('a');
    await t.wait();
    await t.push(200);
    await t.wait(250);
    await t.push(0);
    await t.wait(50);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.mouse('mousePressed');
    await t.push(200);
    await t.wait(250);
    await t.push(0);
    await t.wait(LONG);
    await t.mouse('mouseReleased');
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('another size is another place', async (t) => {
    await t.add('a');
    await t.wait();
    await t.run(`get('a').style.width = '300px'`);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('less than a pixel is no move, but a slow drift is one', async (t) => {
    await t.add('a');
    for (let i = 0; i < 9; i++) {
      await t.push(i % 2 ? 0.4 : 0);
      await t.wait(100);
    }
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
    for (let i = 0; i < 9; i++) {
      await t.push(i * 0.5);
      await t.wait(100);
    }
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('an animation has to end', async (t) => {
    await t.run(`add('a').animate({ transform: ['translateX(0)', 'translateX(90px)'] }, 1500)`);
    await t.wait(1200);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait(1200);
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('a button that takes the place of something else under the pointer', async (t) => {
    await t.run(`above.innerHTML = '<button style="width:200px;height:60px">Next</button>'`);
    await t.page.mouse.move(100, 30);
    await t.wait();
    await t.run(`above.innerHTML = ''; add('a')`);
    await t.wait(50);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('a button that takes the place of another guarded one during the press', async (t) => {
    await t.add('a');
    await t.wait();
    await t.mouse('mousePressed');
    await t.run(`presses.delete(get('a')); get('a').remove(); add('b')`);
    await t.wait();
    await t.mouse('mouseReleased');
    assert.deepEqual(await t.heard(), []);
  });

  inPage('a button that was taken off and guarded again is a new one', async (t) => {
    await t.add('a');
    await t.wait();
    await t.run(`presses.delete(get('a')); presses.add(get('a'))`);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.run(`presses.add(get('a'))`);
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
    await t.wait();
    await t.run(`presses.delete(get('a'))`);
    await t.click();
    assert.deepEqual(await t.heard(), []);
  });
});

describe('sight', together, () => {
  inPage('a button that was scrolled into view a moment ago', async (t) => {
    await t.run(`
      root.innerHTML = '<div id="list" style="height:100px;overflow:auto"><div style="height:300px"></div></div>';
      add('a', '', get('list'));
    `);
    await t.wait();
    await t.run(`get('list').scrollTop = 1000`);
    await t.click(100, 60);
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click(100, 60);
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('a button of which a scroller shows half', async (t) => {
    await t.run(
      `root.innerHTML = '<div id="list" style="height:30px;overflow:auto"></div>'; add('a', '', get('list'))`,
    );
    await t.wait();
    await t.click(100, 15);
    assert.deepEqual(await t.heard(), ['early a']);
    // It does not move now, it only comes into view.
    await t.run(`get('list').style.height = '80px'`);
    await t.wait(200);
    await t.click(100, 15);
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click(100, 15);
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('a button that was covered by the edge of a scroller for a while', async (t) => {
    await t.run(
      `root.innerHTML = '<div id="list" style="height:80px;overflow:clip"></div>'; add('a', '', get('list'))`,
    );
    await t.wait();
    await t.run(`get('list').style.height = '20px'`);
    await t.wait(300);
    await t.run(`get('list').style.height = '80px'`);
    await t.wait(200);
    await t.click(100, 15);
    assert.deepEqual(await t.heard(), ['early a']);
  });

  inPage('a click while the page scrolls, and right after', async (t) => {
    await t.run(`document.body.style.height = '3000px'; add('a', 'margin-top:200px')`);
    await t.wait();
    await t.page.mouse.move(100, 130);
    await t.page.mouse.wheel(0, 100);
    await t.page.waitForFunction('scrollY === 100');
    await t.click(100, 130);
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click(100, 130);
    assert.deepEqual(await t.heard(), ['press a']);
  });

  for (const [what, hide, show] of [
    ['opacity 0', 'opacity:0', 'opacity:1'],
    ['visibility hidden', 'visibility:hidden', 'visibility:visible'],
  ]) {
    inPage(`a button under ${what} was not seen`, async (t) => {
      await t.run(`root.innerHTML = '<div id="box" style="${hide}"></div>'; add('a', '', get('box'))`);
      await t.wait();
      await t.click();
      assert.deepEqual(await t.heard(), what === 'opacity 0' ? ['early a'] : []);
      await t.run(`get('box').style.cssText = '${show}'`);
      await t.wait(200);
      await t.click();
      assert.deepEqual(await t.heard(), ['early a']);
      await t.wait();
      await t.click();
      assert.deepEqual(await t.heard(), ['press a']);
    });
  }

  inPage('the browser is asked whether something covers the button, and that blocks nothing', async (t) => {
    await t.run(`add('a'); add('b')`);
    await t.wait();
    await t.click();
    // Clicks go through what covers it.
    await t.run(`
      const cover = document.createElement('div');
      cover.style.cssText = 'position:fixed;inset:0 auto auto 0;width:200px;height:60px;background:red;pointer-events:none';
      document.body.append(cover);
    `);
    await t.wait();
    await t.click();
    await t.click(100, 90);
    assert.deepEqual(await t.page.evaluate('trial.heard'), [
      { type: 'press', id: 'a', occluded: false },
      { type: 'press', id: 'a', occluded: true },
      { type: 'press', id: 'b', occluded: false },
    ]);
  });

  inPage('a browser that cannot be asked knows nothing of it', async (t) => {
    await t.run(`delete IntersectionObserverEntry.prototype.isVisible; add('a')`);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.page.evaluate('trial.heard'), [{ type: 'press', id: 'a', occluded: undefined }]);
  });

  inPage('a resize starts the time again, and so does a zoom with two fingers', async (t) => {
    await t.add('a');
    await t.wait();
    await t.run(`trial.resized = new Promise((done) => addEventListener('resize', done))`);
    await t.page.setViewportSize({ width: 700, height: 500 });
    await t.run('await trial.resized');
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
    await t.wait();
    await t.run(`trial.zoomed = new Promise((done) => visualViewport.addEventListener('resize', done))`);
    await t.cdp.send('Emulation.setPageScaleFactor', { pageScaleFactor: 1.5 });
    await t.run('await trial.zoomed');
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
  });
});

describe('pointer', together, () => {
  inPage('the second click of a double click', async (t) => {
    await t.add('a');
    await t.wait();
    await t.page.mouse.dblclick(100, 30);
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
      await t.wait(250);
      await t.cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 100, y: 40 }] });
      await t.wait(400);
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

describe('keyboard', together, () => {
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

describe('assistive technology', together, () => {
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

describe('window', together, () => {
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

describe('life', () => {
  test('nothing runs at import, also where there is no document', async () => {
    const options = {
      bundle: true,
      format: /** @type {const} */ ('esm'),
      write: /** @type {const} */ (false),
    };
    const { outputFiles } = await build({ entryPoints: [sourceOfPresses()], ...options });
    const { Presses, SETTLE_MS } = await import(
      `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`
    );
    assert.equal(SETTLE_MS, 500);
    const presses = new Presses(/** @type {any} */ ({}), { onPress() {}, onEarly() {} });
    presses.disconnect();
  });

  inPage('after disconnect() nothing is left, and connect() begins anew', async (t) => {
    await t.run(`
      trial.calls = 0;
      for (const name of ['setTimeout', 'requestAnimationFrame']) {
        const original = window[name];
        window[name] = (...args) => (trial.calls++, original(...args));
      }
    `);
    // Besides the three of the page itself.
    const listeners = async () => {
      const counts = [];
      for (const expression of ['window', 'document', 'visualViewport', 'trial.root']) {
        const { result } = await t.cdp.send('Runtime.evaluate', { expression });
        const { listeners } = await t.cdp.send('DOMDebugger.getEventListeners', {
          objectId: result.objectId ?? '',
        });
        counts.push(listeners.length - (expression === 'window' ? 3 : 0));
      }
      return counts;
    };
    await t.add('a');
    await t.wait();
    assert.deepEqual(await listeners(), [5, 1, 2, 5]);
    assert.ok(/** @type {number} */ (await t.page.evaluate('trial.calls')) > 6);
    await t.run('presses.disconnect(); trial.calls = 0');
    await t.wait(LONG);
    assert.equal(await t.page.evaluate('trial.calls'), 0);
    assert.deepEqual(await listeners(), [0, 0, 0, 0]);
    await t.click();
    assert.deepEqual(await t.heard(), []);
    // Twice is once.
    await t.run('presses.connect(); presses.connect()');
    assert.deepEqual(await listeners(), [5, 1, 2, 5]);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
  });

  inPage('nothing runs while no guarded button is in view', async (t) => {
    await t.run(`
      trial.calls = 0;
      for (const name of ['setTimeout', 'requestAnimationFrame']) {
        const original = window[name];
        window[name] = (...args) => (trial.calls++, original(...args));
      }
      add('a');
    `);
    const calls = async () => {
      await t.run('trial.calls = 0');
      await t.wait(400);
      return t.page.evaluate('trial.calls');
    };
    await t.wait(200);
    assert.ok(/** @type {number} */ (await calls()) > 3);
    await t.run(`get('a').hidden = true; get('a').style.display = 'none'`);
    await t.wait(300);
    assert.equal(await calls(), 0);
    await t.run(`get('a').style.display = 'block'`);
    await t.wait();
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
    await t.run(`presses.delete(get('a'))`);
    await t.wait(300);
    assert.equal(await calls(), 0);
  });

  inPage('what is no longer guarded can be forgotten', async (t) => {
    await t.run(`
      const button = add('a');
      trial.button = new WeakRef(button);
      const host = document.createElement('div');
      document.body.append(host);
      const second = trial.guard(host.attachShadow({ mode: 'open' }));
      second.add(host.shadowRoot.appendChild(document.createElement('button')));
      second.connect();
      trial.second = new WeakRef(second);
      await new Promise((done) => setTimeout(done, 300));
      second.disconnect();
      host.remove();
    `);
    await t.wait();
    await t.click();
    await t.mouse('mousePressed', { x: 500 });
    assert.deepEqual(await t.heard(), ['press a']);
    await t.run(`presses.delete(get('a')); get('a').remove()`);
    await t.wait(300);
    await t.cdp.send('HeapProfiler.collectGarbage');
    assert.deepEqual(
      await t.page.evaluate('[trial.button, trial.second].map((ref) => ref.deref() === undefined)'),
      [true, true],
    );
  });

  inPage('another document has its own window and its own clock', async (t) => {
    await t.add('a');
    await t.wait(1500);
    await t.run(`
      const frame = document.createElement('iframe');
      frame.style.cssText = 'border:0;width:300px;height:100px;display:block';
      document.body.append(frame);
      presses.disconnect();
      frame.contentDocument.body.style.margin = 0;
      frame.contentDocument.body.append(trial.host);
      presses.connect();
    `);
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.click();
    await t.page.keyboard.press('Enter');
    assert.deepEqual(await t.heard(), ['press a', 'press a']);
  });

  inPage(
    'a thousand buttons: only those in view are measured, and a look at all of them is short',
    async (t) => {
      await t.run(`
      const { requestAnimationFrame } = window;
      trial.times = [];
      trial.reads = 0;
      window.requestAnimationFrame = (work) =>
        requestAnimationFrame((time) => {
          document.body.offsetTop;
          const start = performance.now();
          work(time);
          trial.times.push(performance.now() - start);
        });
      const read = Element.prototype.getBoundingClientRect;
      Element.prototype.getBoundingClientRect = function () {
        trial.reads++;
        return read.call(this);
      };
      for (let i = 0; i < 1000; i++) add('b' + i);
    `);
      const measure = async () => {
        await t.run('trial.times = []; trial.reads = 0');
        await t.wait(1000);
        const { times, reads } = /** @type {{ times: number[], reads: number }} */ (
          await t.page.evaluate('({ times: trial.times.sort((a, b) => a - b), reads: trial.reads })')
        );
        return { looks: times.length, median: times[times.length >> 1] ?? 0, each: reads / times.length };
      };
      await t.wait();
      const few = await measure();
      await t.click();
      assert.deepEqual(await t.heard(), ['press b0']);
      assert.equal(few.each, 10);
      assert.ok(few.looks <= 11, `${few.looks} looks in a second`);

      await t.run(`for (const button of root.querySelectorAll('button'))
      button.style.cssText = 'float:left;box-sizing:border-box;padding:0;width:20px;height:15px;margin:0;font-size:4px'`);
      await t.wait();
      const all = await measure();
      assert.equal(all.each, 1000);
      // A frame has 16 ms. It takes 1 to 3.
      assert.ok(all.median < 8, `${all.median} ms`);
      console.log(
        `a look at 10 of 1,000 buttons: ${few.median.toFixed(2)} ms, at all: ${all.median.toFixed(2)} ms`,
      );
    },
  );
});
