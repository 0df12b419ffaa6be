// Tabs of a browser that nobody tells that they are in front: the driver of the other tests says so to each of its
// pages, and with it no page is ever hidden.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { chromiumPath } from '../support/chromium.mjs';
import { pressPage } from './press-page.mjs';

/** A browser with tabs that hide each other. */
export async function openTabs() {
  const profile = mkdtempSync(path.join(tmpdir(), 'presses-'));
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--remote-debugging-pipe',
  ];
  const browser = spawn(chromiumPath() ?? 'chromium', [...args, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [, , , to, from] = /** @type {any} */ (browser.stdio);
  /** @type {Map<number, (message: any) => void>} */
  const answers = new Map();
  let ids = 0;
  let rest = '';
  from.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages.map((text) => JSON.parse(text))) answers.get(message.id)?.(message);
  });

  /** @param {string} method @param {object} [params] @param {string} [sessionId] @returns {Promise<any>} */
  const send = async (method, params = {}, sessionId) => {
    const id = ++ids;
    const { error, result } = await new Promise((resolve) => {
      answers.set(id, resolve);
      to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
    answers.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };

  return {
    async open() {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      /** @param {string} expression */
      const run = async (expression) => {
        const options = { expression, returnByValue: true, awaitPromise: true };
        return (await send('Runtime.evaluate', options, sessionId)).result.value;
      };
      const { frameTree } = await send('Page.getFrameTree', {}, sessionId);
      await send(
        'Page.setDocumentContent',
        { frameId: frameTree.frame.id, html: await pressPage() },
        sessionId,
      );
      return {
        run,
        activate: () => send('Target.activateTarget', { targetId }),
        async click() {
          const more = { x: 100, y: 30, button: 'left', clickCount: 1 };
          await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...more }, sessionId);
          await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...more }, sessionId);
        },
        /** @returns {Promise<string[]>} */
        heard: () => run('trial.heard.splice(0).map(({ type, id }) => `${type} ${id}`)'),
      };
    },
    async close() {
      const exit = once(browser, 'exit');
      await send('Browser.close');
      await exit;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
