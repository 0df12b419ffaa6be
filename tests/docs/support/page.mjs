// A page in jsdom. Import this before anything that needs `window`.
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html>', { url: 'https://page.example/' });
globalThis.window = window;
globalThis.document = window.document;
Object.defineProperty(globalThis, 'navigator', { value: window.navigator, configurable: true });
const names = [
  'Element',
  'HTMLElement',
  'HTMLMediaElement',
  'HTMLInputElement',
  'SVGElement',
  'ShadowRoot',
  'Document',
];
for (const name of [...names, 'Node', 'Text', 'Comment', 'DocumentFragment', 'Event', 'MutationObserver']) {
  globalThis[name] = window[name];
}
globalThis.requestAnimationFrame ??= (run) => setTimeout(run, 0);
// The tests wait by themselves.
globalThis.IS_REACT_ACT_ENVIRONMENT = false;
