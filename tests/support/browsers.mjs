// The browsers that the tests know: `BROWSER` says which one they use.
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { launchChromium } from './chromium.mjs';
import { findProgram } from './process.mjs';

/** @type {'chromium' | 'firefox' | 'webkit'} */
export const browserName = /** @type {any} */ (process.env.BROWSER ?? 'chromium');
if (!['chromium', 'firefox', 'webkit'].includes(browserName)) {
  throw new Error(`BROWSER is ${browserName}: say chromium, firefox or webkit.`);
}

/** `FIREFOX_PATH` chooses another browser. */
export function firefoxPath() {
  return process.env.FIREFOX_PATH ?? findProgram('firefox-esr') ?? findProgram('firefox');
}

/** `GECKODRIVER` chooses another driver, for wasm-bindgen too. */
export function geckodriverPath() {
  return process.env.GECKODRIVER ?? findProgram('geckodriver');
}

export function webkitDriverPath() {
  return process.env.WEBKIT_DRIVER ?? findProgram('WebKitWebDriver');
}

export function xvfbPath() {
  return findProgram('Xvfb');
}

/** What moves the pointer of a display, and holds its keys. */
export function xdotoolPath() {
  return findProgram('xdotool');
}

/** The small browser of WebKitGTK lies beside the library. `MINIBROWSER` chooses another one. */
export function miniBrowserPath() {
  if (process.env.MINIBROWSER) return process.env.MINIBROWSER;
  const places = ['/usr/lib', '/usr/libexec'].flatMap((lib) => {
    const inside = list(lib).map((name) => path.join(lib, name));
    return [lib, ...inside].flatMap((place) =>
      list(place, /^webkit2?gtk-/).map((name) => path.join(place, name)),
    );
  });
  return places
    .map((place) => path.join(place, 'MiniBrowser'))
    .find((file) => list(path.dirname(file), /^MiniBrowser$/)[0]);
}

function list(folder, pattern = /linux-gnu/) {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .sort()
      .reverse();
  } catch {
    return [];
  }
}

/**
 * A browser for tests. Playwright drives Chromium and Firefox; WebKit has as much of its interface as the tests use.
 *
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function launchBrowser(name = browserName) {
  if (name === 'chromium') return launchChromium();
  // Only where they are needed: the packages that they are made of are not there before the set-up.
  if (name === 'firefox') return (await import('./firefox.mjs')).launchFirefox();
  const { WebKit } = await import('./webkit.mjs');
  return /** @type {any} */ (await WebKit.launch());
}
