// The page of the presses in tabs that hide each other.
import { openPlainBrowser } from '../support/plain-browser.mjs';
import { pressPage } from './press-page.mjs';

/** A browser with tabs that hide each other. */
export async function openTabs() {
  const browser = await openPlainBrowser();
  return {
    async open() {
      const { send, run, activate } = await browser.open();
      const { frameTree } = await send('Page.getFrameTree');
      await send('Page.setDocumentContent', { frameId: frameTree.frame.id, html: await pressPage() });
      return {
        run,
        activate,
        async click() {
          const more = { x: 100, y: 30, button: 'left', clickCount: 1 };
          await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...more });
          await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...more });
        },
        /** @returns {Promise<string[]>} */
        heard: () => run('trial.heard.splice(0).map(({ type, id }) => `${type} ${id}`)'),
      };
    },
    close: () => browser.close(),
  };
}
