// Where Chromium and its driver are.
import { findProgram } from './process.mjs';

/** `CHROMIUM_PATH` chooses another browser. */
export function chromiumPath() {
  if (process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  return names.map(findProgram).find((found) => found !== undefined);
}

/** `CHROMEDRIVER` chooses another driver, for wasm-bindgen too. */
export function chromedriverPath() {
  return process.env.CHROMEDRIVER ?? findProgram('chromedriver');
}

/** A headless browser for tests, through playwright-core. */
export async function launchChromium(options = {}) {
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: chromiumPath(),
    // Root in a container can use neither the sandbox nor a large /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    ...options,
  });
}
