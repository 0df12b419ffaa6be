// Which presses of a guarded button count by its age, and by the life of what guards it, tried by real input in a
// real browser.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { build } from 'esbuild';

import { LONG, sourceOfPresses } from './press-page.mjs';
import { inPage, waiting } from './press-test.mjs';

describe('time', waiting, () => {
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
    const busy = t.run('busy(2_000)');
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

describe('life', waiting, () => {
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
});

// It measures, so nothing runs beside it.
describe('cost', () => {
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
        // The shortest: on a busy machine a look may be interrupted.
        return { looks: times.length, shortest: times[0] ?? 0, each: reads / times.length };
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
      assert.ok(all.shortest < 8, `${all.shortest} ms`);
      console.log(
        `a look at 10 of 1,000 buttons: ${few.shortest.toFixed(2)} ms, at all: ${all.shortest.toFixed(2)} ms`,
      );
    },
  );
});
