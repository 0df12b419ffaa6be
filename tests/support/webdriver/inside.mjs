// Runs in the page: finds elements by what a person or a screen reader knows of them, with the rules that Playwright's
// locators have: open shadow roots are no border, a text is found in the smallest element that has it, and whoever acts
// says of one element only.
import { computeAccessibleName, getRole, isInaccessible } from 'dom-accessibility-api';

/**
 * @typedef {{ text: string, exact?: boolean } | { source: string, flags: string }} Matcher
 * @typedef {{ css: string }
 *   | { role: string, name?: Matcher, states?: Record<string, boolean> }
 *   | { says: Matcher } | { label: Matcher } | { has: Matcher } | { visible: boolean } | { nth: number }} Step
 */

const blank = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').trim();

/** @param {Matcher} matcher @returns {(text: string) => boolean} */
function matching(matcher) {
  if ('source' in matcher) {
    const pattern = new RegExp(matcher.source, matcher.flags);
    return (text) => pattern.test(text);
  }
  const wanted = blank(matcher.text);
  if (matcher.exact) return (text) => blank(text) === wanted;
  return (text) => blank(text).toLowerCase().includes(wanted.toLowerCase());
}

/** All elements below, in the order of the page, also those of open shadow roots. @param {ParentNode} root */
function* below(root) {
  if (root instanceof Element && root.shadowRoot) yield* below(root.shadowRoot);
  for (const child of root.children) {
    yield child;
    yield* below(child);
  }
}

/** @param {Element} element @returns {Element | null} */
const above = (element) =>
  element.parentElement ??
  (element.getRootNode() instanceof ShadowRoot
    ? /** @type {ShadowRoot} */ (element.getRootNode()).host
    : null);

/** @param {Node} node @returns {string} */
function textOf(node) {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element) || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(node.tagName)) return '';
  if (node instanceof HTMLInputElement && ['button', 'submit'].includes(node.type)) return node.value;
  return [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].map(textOf).join('');
}

/** @param {Element} element @param {Matcher} matcher */
function says(element, matcher) {
  const matches = matching(matcher);
  if (matches(blank(textOf(element)))) return true;
  // Exactly this may also stand beside other elements.
  return (
    'exact' in matcher &&
    matcher.exact === true &&
    [...element.childNodes].some((node) => node instanceof Text && node.data.trim() && matches(node.data))
  );
}

/** Of a selector with nothing but commas and blanks, each part of which may be in another shadow root. */
function css(/** @type {string} */ selector) {
  const lists = selector
    .match(/(?:\[[^\]]*\]|\([^)]*\)|[^,[(])+/g)
    ?.map((one) => one.trim().match(/(?:\[[^\]]*\]|\([^)]*\)|[^\s[(])+/g) ?? []);
  return (/** @type {Element} */ element) =>
    (lists ?? []).some((parts) => {
      if (!element.matches(parts.at(-1) ?? '')) return false;
      let at = above(element);
      for (const part of parts.slice(0, -1).reverse()) {
        while (at && !at.matches(part)) at = above(at);
        if (!at) return false;
        at = above(at);
      }
      return true;
    });
}

/** @param {Element} element */
function isHidden(element) {
  for (let at = /** @type {Element | null} */ (element); at; at = above(at))
    if (isInaccessible(at)) return true;
  return false;
}

/** @type {Record<string, (element: any) => boolean | undefined>} */
const STATES = {
  checked: (element) => element.checked ?? element.getAttribute('aria-checked') === 'true',
  expanded: (element) => {
    const value = element.getAttribute('aria-expanded');
    return value === null ? undefined : value === 'true';
  },
};

/** @param {Element} element */
const isVisible = (element) => {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
};

/** @param {Step} step @returns {(elements: Element[]) => Element[]} */
function taken(step) {
  if ('nth' in step) return (elements) => elements.slice(step.nth, step.nth + 1 || undefined);
  if ('visible' in step) return (elements) => elements.filter((one) => isVisible(one) === step.visible);
  if ('has' in step) {
    const matches = matching(step.has);
    return (elements) => elements.filter((element) => matches(blank(textOf(element))));
  }
  /** @type {(element: Element) => boolean} */
  let is;
  if ('css' in step) is = css(step.css);
  else if ('says' in step) {
    const { says: matcher } = step;
    is = (element) =>
      !['SCRIPT', 'STYLE', 'HEAD', 'TITLE'].includes(element.tagName) &&
      says(element, matcher) &&
      ![...(element.shadowRoot?.children ?? []), ...element.children].some((child) => says(child, matcher));
  } else {
    const { role, name, states = {} } = 'role' in step ? step : { role: undefined, name: step.label };
    const matches = name ? matching(name) : () => true;
    is = (element) => {
      if (role === undefined && !('labels' in element) && !element.matches('[aria-label], [aria-labelledby]'))
        return false;
      return (
        (role === undefined || getRole(element) === role) &&
        Object.entries(states).every(([state, value]) => STATES[state]?.(element) === value) &&
        (role === undefined || !isHidden(element)) &&
        matches(computeAccessibleName(element))
      );
    };
  }
  // A text may also be that of the element in which it is looked for.
  const within = (/** @type {Element} */ element) => [
    ...('says' in step && element instanceof Element ? [element] : []),
    ...below(element),
  ];
  return (elements) => [...new Set(elements.flatMap(within))].filter(is);
}

/** What a chain of steps finds now. @param {Step[]} chain @returns {Element[]} */
const all = (chain) => {
  /** @type {any[]} */
  let found = [document];
  for (const step of chain) found = taken(step)(found);
  return found;
};

/** The one element of a chain, or none. @param {Step[]} chain */
function one(chain) {
  const found = all(chain);
  if (found.length > 1) {
    const lines = found.slice(0, 5).map((element) => element.outerHTML.slice(0, 120));
    throw new Error(`${JSON.stringify(chain)} is ${found.length} elements:\n${lines.join('\n')}`);
  }
  return found[0];
}

const frame = () => new Promise((done) => requestAnimationFrame(done));

/** The element that a pointer would hit. @param {number} x @param {number} y */
function hit(x, y) {
  let at = document.elementFromPoint(x, y);
  for (let inner; (inner = at?.shadowRoot?.elementFromPoint(x, y)) && inner !== at;) at = inner;
  return at;
}

/** Where to click, or why not yet. @param {Step[]} chain */
async function target(chain) {
  const element = one(chain);
  if (!element) return { why: 'it is not there' };
  if (!isVisible(element)) return { why: 'it is not visible' };
  if (element.matches(':disabled')) return { why: 'it is disabled' };
  // By hand and not with `scrollIntoViewIfNeeded`, which not every browser has.
  let box = element.getBoundingClientRect();
  if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth)
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  box = element.getBoundingClientRect();
  await frame();
  await frame();
  const now = element.getBoundingClientRect();
  if (box.x !== now.x || box.y !== now.y || box.width !== now.width) return { why: 'it moves' };
  // What goes over several lines has its middle anywhere.
  const line = [...element.getClientRects()].find(({ width, height }) => width > 0 && height > 0) ?? now;
  const [x, y] = [line.x + line.width / 2, line.y + line.height / 2];
  const under = hit(x, y);
  for (let at = under; at; at = above(at)) if (at === element) return { x, y };
  // A control that is pressed by its label.
  if (
    'labels' in element &&
    [.../** @type {any} */ (element.labels ?? [])].some((label) => label.contains(under))
  )
    return { x, y };
  return { why: `${under?.outerHTML.slice(0, 100)} is in front of it` };
}

/** Puts text in the place of what is there, as one input. @param {any} element @param {string} text */
function fill(element, text) {
  element.focus();
  element.select();
  if (text) document.execCommand('insertText', false, text);
  else document.execCommand('delete');
  if (element.value !== text) throw new Error(`the value is ${JSON.stringify(element.value)}`);
}

// What JSON does not have.
const UNDEFINED = '\ufffeundefined';
/** @param {string} json */
const decode = (json) => {
  /** @param {any} value @returns {any} */
  const revive = (value) => {
    if (value === UNDEFINED) return undefined;
    if (value && typeof value === 'object')
      for (const key of Object.keys(value)) value[key] = revive(value[key]);
    return value;
  };
  return revive(JSON.parse(json));
};
/** @param {unknown} value */
const encode = (value) =>
  JSON.stringify(value, (_, item) => {
    if (item === undefined || typeof item === 'function') return UNDEFINED;
    return item instanceof Node || item === window ? UNDEFINED : item;
  });

/** What was heard and not yet told. @type {{ event: string, text: string }[]} */
const said = [];

Object.defineProperty(window, '__inside', {
  value: {
    ...{ all, one, target, fill, isVisible, decode, encode },
    /** @param {Element} element */
    reveal: (element) => {
      const { top, left, bottom, right } = element.getBoundingClientRect();
      if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth)
        element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    },
    /**
     * Hears what Playwright would hear, in a browser that has no events for it: from now on, so what a page says before
     * it is asked for the first time is not heard.
     */
    hear() {
      /** @param {string} event @param {unknown[]} what */
      const hear = (event, ...what) => said.push({ event, text: what.map(String).join(' ') });
      for (const [method, event] of /** @type {const} */ ([
        ['error', 'error'],
        ['warn', 'warning'],
      ])) {
        const original = console[method];
        console[method] = (...what) => {
          hear(event, ...what);
          original.apply(console, what);
        };
      }
      addEventListener('error', ({ error, message }) => hear('pageerror', error?.stack ?? message));
      addEventListener('unhandledrejection', ({ reason }) => hear('pageerror', reason?.stack ?? reason));
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        hear('error', `${violatedDirective} forbids ${blockedURI}`),
      );
      const loads = (/** @type {PerformanceEntryList} */ list) => {
        for (const { name } of list) hear('request', name);
      };
      loads(performance.getEntriesByType('resource'));
      new PerformanceObserver((list) => loads(list.getEntries())).observe({ type: 'resource' });
    },
    /** Answers with what `work` makes of it, as text. @param {string} json @param {(arg: any) => unknown} work */
    async answer(json, work) {
      const { href } = location;
      try {
        const value = await work(decode(json));
        return encode({ href, value, said: said.splice(0) });
      } catch (error) {
        const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
        return encode({ href, error: { name, message, stack }, said: said.splice(0) });
      }
    },
  },
});
