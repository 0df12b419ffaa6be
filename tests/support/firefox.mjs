// Firefox as it is released. Playwright drives it by WebDriver BiDi, and expects a newer one, or one of its own, in what is
// mended here.
import { firefox } from 'playwright-core';

import { firefoxPath } from './browsers.mjs';

/** A headless browser for tests. */
export async function launchFirefox() {
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath: firefoxPath() });
  const { _transport: transport } = /** @type {any} */ (browser)._connection.toImpl(browser)._connection;
  const [send, hear] = [transport.send.bind(transport), transport.onmessage];
  // Firefox does not know the command that says which colours are preferred, and Playwright sends it to each context.
  transport.send = (/** @type {any} */ message) => {
    if (message.method !== 'emulation.setMediaFeaturesOverride' || !message.params.userContexts)
      return send(message);
    queueMicrotask(() => hear({ type: 'success', id: message.id, result: {} }));
  };
  // Firefox numbers no downloads of what a page has made, and Playwright wants a number.
  transport.onmessage = (/** @type {any} */ message) => {
    if (/^browsingContext\.download/.test(message.method)) message.params.download ??= message.params.url;
    hear(message);
  };
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    await context.addInitScript(() => {
      // Playwright sets the value of an input where a person types or pastes, which React does not hear.
      const get = () => (/** @type {string} */ text) => void document.execCommand('insertText', false, text);
      Object.defineProperty(window, '__pw_bidiInsertText', { get, set() {} });
      // Where Playwright has read it for a name, Firefox crashes while axe looks for labels. Without it, it reads the attribute.
      Reflect.deleteProperty(Element.prototype, 'ariaLabelledByElements');
    });
    return context;
  };
  return browser;
}
