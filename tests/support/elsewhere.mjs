// What cannot be tried in a browser, by the name of the test, with the reason, which is said when it is left out.
// Everything else runs in all of them.
import { browserName } from './browsers.mjs';

const DEVTOOLS = 'only the DevTools protocol makes such an input, or such a state of the window';
const HELD = 'its driver drops a key that is down already';

/** @type {Record<string, string | { firefox?: string, webkit?: string }>} */
const REASONS = {
  // The demo
  'an expiring request: a computer that slept through it wakes to a closed request': {
    webkit: 'its driver puts no clock of a page forward',
  },
  'the tables are tables where their cells stand below each other':
    'no driver hands out the whole accessibility tree',
  'several calls: a key held down is one answer': { webkit: HELD },

  // The press of a guarded button
  'a click that waited in a busy page is as old as it is': 'no driver sends an input while the page is busy',
  'the browser is asked whether something covers the button, and that blocks nothing':
    'only Chromium can be asked that',
  ...Object.fromEntries(
    ['', '?closed'].flatMap((search) =>
      ['an element beside it', 'a pseudo-element of what is around it']
        .flatMap((cover) => [
          `${cover} that covers the button until right before the click`,
          `a key for a button that is covered by ${cover}`,
        ])
        .map((name) => [name + search, 'only Chromium says that something may cover a button']),
    ),
  ),
  'a resize starts the time again, and so does a zoom with two fingers': DEVTOOLS,
  'a click while another button of the mouse is held down': DEVTOOLS,
  'a finger': DEVTOOLS,
  'a pen': DEVTOOLS,
  'the other buttons of a mouse press nothing': {
    webkit: 'its driver lets each button of the mouse go as if it were the left one',
  },
  'a click on a label is no press of the button': {
    webkit: 'it makes of that a click like one of a screen reader; no label of a page reaches into the queue',
  },
  'Space that is held down elsewhere while the focus moves to the button': { webkit: HELD },
  'Enter that is held down counts once': { webkit: HELD },
  'Enter that is held down since before never counts': { webkit: HELD },
  'Enter that is held down elsewhere while the focus moves to the button': { webkit: HELD },
  'Enter that was held down when the page got the keyboard': DEVTOOLS,
  'Space that was held down when the page got the keyboard': DEVTOOLS,
  'Space that is held down elsewhere while another key goes up': DEVTOOLS,
  'a script cannot take the place of a key, neither on its way down nor on its way up': DEVTOOLS,
  'Enter with Control does not count': DEVTOOLS,
  'Enter with Alt does not count': DEVTOOLS,
  'Enter with Meta does not count': DEVTOOLS,
  'a key that an input method takes does not count': DEVTOOLS,
  'the Enter that ends a composition, when the composer then gives the focus to the button': DEVTOOLS,
  'a click without pointer and key counts once the button has settled': DEVTOOLS,
  'such a click also counts after keys and clicks that went before': DEVTOOLS,
  'a click that only brings the window to the front': DEVTOOLS,
  'Enter right after the window came to the front': DEVTOOLS,
  'a tab that was hidden': DEVTOOLS,
  'after disconnect() nothing is left, and connect() begins anew': DEVTOOLS,
  'what is no longer guarded can be forgotten': DEVTOOLS,
  'nothing runs while no guarded button is in view': {
    webkit: 'its driver sets a timer of the page with each look',
  },
};

/** May this test run in this browser? @param {string} name */
export function runsHere(name) {
  const found = REASONS[name];
  const reason = browserName === 'chromium' || typeof found === 'string' ? found : found?.[browserName];
  if (browserName === 'chromium' || reason === undefined) return true;
  console.log(`  – not in ${browserName}: ${name}: ${reason}`);
  return false;
}
