// Which presses of a guarded button count by where it stands and whether it can be seen, tried by real input in a
// real browser.
import assert from 'node:assert/strict';
import { describe } from 'node:test';

import { inPage, waiting } from './press-test.mjs';

describe('place', waiting, () => {
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
    await t.sampled();
    await t.push(0);
    await t.sampled();
    await t.click();
    assert.deepEqual(await t.heard(), ['early a']);
    await t.wait();
    await t.mouse('mousePressed');
    await t.push(200);
    await t.sampled();
    await t.push(0);
    await t.wait();
    await t.mouse('mouseReleased');
    assert.deepEqual(await t.heard(), ['early a']);
  });

  const OPAQUE = 'position:fixed;inset:0;background:white';
  const COVERS = {
    'an element beside it': [
      `const cover = document.createElement('div'); cover.id = 'cover'; cover.style.cssText = '${OPAQUE}';
       document.body.append(cover)`,
      `document.getElementById('cover').remove()`,
    ],
    'a pseudo-element of what is around it': [
      `const sheet = document.createElement('style'); sheet.id = 'cover';
       sheet.textContent = 'body::after { content: ""; ${OPAQUE} }'; document.head.append(sheet)`,
      `document.getElementById('cover').remove()`,
    ],
  };
  for (const search of ['', '?closed']) {
    for (const [what, [cover, uncover]] of Object.entries(COVERS)) {
      inPage(
        `${what} that covers the button until right before the click${search}`,
        async (t) => {
          await t.add('a');
          await t.wait();
          await t.run(cover);
          await t.wait();
          await t.run(uncover);
          await t.click();
          assert.deepEqual(await t.heard(), ['early a']);
          await t.wait();
          await t.click();
          assert.deepEqual(await t.heard(), ['press a']);
        },
        { search },
      );

      inPage(
        `a key for a button that is covered by ${what}${search}`,
        async (t) => {
          await t.add('a');
          await t.wait();
          await t.run(`get('a').focus(); ${cover}`);
          await t.wait();
          await t.page.keyboard.press('Enter');
          assert.deepEqual(await t.heard(), ['early a']);
        },
        { search },
      );
    }
  }

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
      await t.sampled();
    }
    await t.click();
    assert.deepEqual(await t.heard(), ['press a']);
    for (let i = 0; i < 9; i++) {
      await t.push(i * 0.5);
      await t.sampled();
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
    await t.sampled();
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

describe('sight', waiting, () => {
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
    await t.sampled();
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
    await t.outOfView();
    await t.run(`get('list').style.height = '80px'`);
    await t.sampled();
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
      await t.sampled();
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
    const heard = await t.page.evaluate(
      'trial.heard.map(({ type, id, occluded }) => `${type} ${id} ${occluded}`)',
    );
    assert.deepEqual(heard, ['press a undefined']);
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
