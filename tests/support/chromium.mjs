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

/**
 * What the browser goes without. A later list takes the place of an earlier one, so Playwright's own list, as far as it
 * concerns Chromium on Linux, stands before ours.
 */
export const WITHOUT = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  // Pages of the browser's own, loaded beside each new page for an address bar that nobody sees. They cost twice as much
  // as the page.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'PreloadTopChromeWebUI'],
  // A process for the next page of a context, started beside each of its pages. Most contexts have one page.
  'SpareRendererForSitePerProcess',
];

/** A headless browser for tests, through playwright-core. */
export async function launchChromium(options = {}) {
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: chromiumPath(),
    // Root in a container can use neither the sandbox nor a large /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage', `--disable-features=${WITHOUT}`],
    ...options,
  });
}
