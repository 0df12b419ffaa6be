// Runs in the page: a shadow root with guarded buttons, and the list of what was heard of them.
import { Presses } from '../../pkg-template/src/element/press.ts';

/** @type {{ type: string, id: string, occluded?: boolean | undefined }[]} */
const heard = [];

/** @param {Document | ShadowRoot | HTMLElement} root */
const guard = (root) =>
  new Presses(root, {
    onPress: ({ id }, { occluded }) => heard.push({ type: 'press', id, occluded }),
    onEarly: ({ id }) => heard.push({ type: 'early', id }),
  });

const above = document.createElement('div');
const host = document.createElement('div');
/** Where the buttons are. */
let place = host;
if (new URLSearchParams(location.search).has('closed')) {
  // The application may have put the element into a closed shadow root.
  place = document.createElement('div');
  host.attachShadow({ mode: 'closed' }).append(place);
}
const root = place.attachShadow({ mode: 'open' });
document.body.append(above, host);
const presses = guard(root);
presses.connect();

/** Keeps the page busy. @param {number} ms */
const busy = (ms) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** Until a press counts, also on a machine that is so busy that it makes few frames. */
async function rest() {
  // Between two looks at a button there may be 100 ms, and each waits for a frame.
  for (let i = 0; i < 3; i++) {
    await frame();
    await frame();
    await new Promise((done) => setTimeout(done, i < 2 ? 110 : 650));
  }
  globalThis.trial.changed = Infinity;
}

/** Until the guard has sampled this button once more, and noted when. @param {string} id */
const sampled = (id) =>
  new Promise((done) => {
    const button = root.querySelector(`#${id}`);
    button.getBoundingClientRect = () => {
      Reflect.deleteProperty(button, 'getBoundingClientRect');
      // It notes the time in a timer that it sets after the sample.
      setTimeout(() => setTimeout(done));
      return button.getBoundingClientRect();
    };
  });

/** What the browser has said of each button to an observer like that of the guard, after it. @type {WeakMap<Element, boolean>} */
const inView = new WeakMap();
const observer = new IntersectionObserver((entries) => {
  for (const { target, intersectionRatio } of entries) inView.set(target, intersectionRatio >= 0.9);
}, /** @type {any} */ ({ threshold: 0.9, trackVisibility: true, delay: 100 }));

/** Until the browser has said that this button is not in full view. @param {string} id */
async function outOfView(id) {
  while (inView.get(root.querySelector(`#${id}`)) !== false) await frame();
}

/** How long after the last change an input began, each time, unless there was a rest. @type {number[]} */
const ages = [];
for (const type of ['pointerdown', 'keydown']) {
  addEventListener(type, ({ timeStamp }) => ages.push(timeStamp - globalThis.trial.changed), true);
}
addEventListener('scroll', () => (globalThis.trial.changed = performance.now()), true);

Object.assign(globalThis, {
  trial: {
    /** When the test last changed something. */
    changed: 0,
    ...{ ages, rest, sampled, outOfView, above, host, root, presses, heard, guard, busy },
    /** @param {string} id @param {string} [css] @param {ParentNode} [parent] */
    add(id, css = '', parent = root) {
      const button = document.createElement('button');
      button.id = id;
      button.innerHTML = `<span>${id}</span>`;
      button.style.cssText = `display:block;box-sizing:border-box;width:200px;height:60px;margin:0;${css}`;
      parent.append(button);
      presses.add(button);
      observer.observe(button);
      return button;
    },
    /** @param {string} id */
    get: (id) => root.querySelector(`#${id}`),
  },
});
