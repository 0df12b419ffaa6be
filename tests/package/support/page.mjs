// A page with React in jsdom. Import this before anything that needs `window`.
import { JSDOM } from 'jsdom';

const dom = new JSDOM('<!doctype html><div id="root"></div>', { url: 'https://page.example/' });
globalThis.window = dom.window;
globalThis.document = dom.window.document;
Object.defineProperty(globalThis, 'navigator', { value: dom.window.navigator, configurable: true });
globalThis.IS_REACT_ACT_ENVIRONMENT = false;

const React = await import('react');
const { createRoot } = await import('react-dom/client');

const pages = new Set();

/** Renders `useChat` with a guard, as in the documentation. `latest()` is what the hook last returned; an element is shown. */
export function page(useHook, { strict = true } = {}) {
  let latest;
  let renders = 0;
  function Chat() {
    latest = useHook(React);
    renders += 1;
    return React.isValidElement(latest) ? latest : null;
  }
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  const element = React.createElement(Chat);
  root.render(strict ? React.createElement(React.StrictMode, null, element) : element);
  const handle = {
    latest: () => latest,
    renders: () => renders,
    unmount: () => {
      pages.delete(handle);
      root.unmount();
      container.remove();
    },
  };
  pages.add(handle);
  return handle;
}

export const unmountAll = () => {
  for (const p of [...pages]) p.unmount();
};
