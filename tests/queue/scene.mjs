// A page with a queue, as a person uses it: with a real pointer and real keys.
import assert from 'node:assert/strict';

import { SETTLED_MS as SETTLED } from '../support/standing.mjs';

/**
 * @import { CDPSession, Locator, Page } from 'playwright-core'
 * @import { Contexts } from '../support/contexts.mjs'
 *
 * @typedef {object} PageOptions
 * @property {number} [width] default 1280
 * @property {number} [height] default 900
 * @property {'light' | 'dark'} [colorScheme]
 * @property {boolean} [loose] without a policy
 * @property {boolean} [touch] a finger and no mouse
 * @property {boolean} [fresh] nobody has pressed on the page before, so that its focus is as that of a new page
 * @property {import('playwright-core').BrowserContextOptions} [context]
 */

export { SETTLED };

/** How long a machine that is busy with something else is given, until a test was quick enough. */
const PATIENCE = 120_000;

const QUEUE = ':is(tool-approval-queue, tool-approval-card)';

/** What the tests before have left of a page, see `stage.left`. @type {WeakMap<Page, string>} */
const left = new WeakMap();

/** What a scene listens to. */
const HEARD = /** @type {const} */ (['pageerror', 'console', 'request', 'dialog', 'popup']);

export class Scene {
  /** What reached the console, what was loaded, and what opened. @type {string[]} */
  errors = [];
  /** Whether its page can be loaded again for another scene. A test that changes more than a load undoes says no. */
  reusable = true;
  #contexts;

  /** @param {Page} page @param {string} url @param {Contexts} contexts */
  constructor(page, url, contexts) {
    this.page = page;
    this.#contexts = contexts;
    page.on('pageerror', (error) => this.errors.push(`error: ${error.stack ?? error}`));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.errors.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      const path = request.url();
      if (![url, `${url}loose`, `${url}page.js`].includes(path)) this.errors.push(`request: ${path}`);
    });
    page.on('dialog', (dialog) => {
      this.errors.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', () => this.errors.push('popup'));
  }

  /** @param {Contexts} contexts @param {string} url @param {import('./page.mjs').Spec | string} [spec] @param {PageOptions} [options] */
  static async open(contexts, url, spec, options = {}) {
    const { width = 1280, height = 900, colorScheme = 'light', loose = false, touch = false } = options;
    const usable = options.fresh ? ['as loaded'] : ['as loaded', 'pressed'];
    const viewport = { width, height };
    const context = await contexts.take({
      viewport,
      colorScheme,
      ...(touch && { hasTouch: true }),
      ...options.context,
    });
    const [known] = context.pages();
    const scene = new Scene(known ?? (await context.newPage()), url, contexts);
    try {
      scene.page.setDefaultTimeout(30_000);
      if (known) {
        await known.setViewportSize(viewport);
        await known.emulateMedia({ colorScheme, reducedMotion: null, forcedColors: null });
      }
      const address = loose ? `${url}loose` : url;
      // A page that was given back as it was loaded is not loaded again.
      if (!known || known.url() !== address || !usable.includes(left.get(known) ?? 'changed')) {
        await scene.page.goto(address);
        await scene.until(() => 'stage' in window, 'the page');
      }
      if (typeof spec === 'string') await scene.show(spec);
      else if (spec) await scene.start(spec);
      return scene;
    } catch (error) {
      scene.reusable = false;
      await scene.close();
      throw error;
    }
  }

  /** The end of the scene: the pointer is where that of a new page is, and it is known what is left of the page. */
  async close() {
    if (this.reusable) {
      for (const event of HEARD) this.page.removeAllListeners(event);
      await this.page.mouse.move(0, 0);
      const found = await this.page.evaluate(() => {
        if (!('stage' in window)) return 'changed';
        stage.clear();
        return stage.left();
      });
      left.set(this.page, found);
    }
    await this.#contexts.give(this.page.context(), this.reusable);
  }

  /** Opens a scene in the place of what is there. Inputs cross as JSON. @param {import('./page.mjs').Spec} spec */
  async start(spec) {
    await this.page.evaluate(async (json) => void (await stage.open(JSON.parse(json))), JSON.stringify(spec));
    await this.drawn();
  }

  /** Waits until every card is complete: a long queue begins with previews. */
  complete() {
    return this.until(
      () => !stage.scene.queue.shadowRoot.querySelector('[part="preview"]'),
      'the last card is complete',
    );
  }

  /** Brings the queue into one of its states. @param {string} name @param {object} [more] */
  async show(name, more = {}) {
    await this.page.evaluate(
      async ([name, more]) => void (await stage.show(name, JSON.parse(more))),
      [name, JSON.stringify(more)],
    );
    await this.drawn();
  }

  /** Two frames, so that what has changed was drawn. */
  drawn() {
    return this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  }

  wait(ms) {
    return this.page.waitForTimeout(ms);
  }

  /** Waits until this holds in the page. Playwright's own way makes a script of a string, which the policy forbids. */
  async until(done, what, value, limit = 30_000) {
    const end = Date.now() + limit;
    while (!(await this.page.evaluate(done, value))) {
      assert.ok(Date.now() < end, `it did not come: ${what}`);
      await this.wait(20);
    }
  }

  // ---- what is there ---------------------------------------------------------------------------

  queue() {
    return this.page.locator(QUEUE);
  }

  /** What carries this part; with a call, in its card. @param {string} part @param {string} [call] */
  part(part, call) {
    const within = call === undefined ? '' : `[data-call="${call}"] `;
    return this.page.locator(`${QUEUE} ${within}[part~="${part}"]`);
  }

  /** @param {string} call */
  card(call) {
    return this.page.locator(`${QUEUE} [part~="request"][data-call="${call}"]`);
  }

  deny(call) {
    return this.part('deny', call);
  }

  allow(call) {
    return this.part('allow', call);
  }

  undo(call) {
    return this.part('undo', call);
  }

  /** A button anywhere in the queue by what can be read on it. @param {string | RegExp} name */
  button(name) {
    return this.queue().getByRole('button', { name });
  }

  composer() {
    return this.page.getByRole('textbox', { name: 'Message' });
  }

  /** What has the focus: its part, or its tag, and its text. @returns {Promise<string>} */
  focused() {
    return this.page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      const call = at?.closest('[data-call]')?.getAttribute('data-call');
      const what = at?.getAttribute('part')?.replace(/^button (choice )?/, '') ?? at?.localName ?? 'nothing';
      return call ? `${what} ${call}` : what;
    });
  }

  // ---- what a person does ----------------------------------------------------------------------

  /** The middle of it, as the window shows it. @param {Locator} locator */
  async middle(locator) {
    const box = await locator.boundingBox();
    assert.ok(box, 'it is there');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /** Brings it into view and lets it stand still for long enough, in real time. @param {Locator} locator */
  async stand(locator) {
    await locator.scrollIntoViewIfNeeded();
    await this.wait(SETTLED);
  }

  /** The same for a press that is not what the test is about: the clock of the page goes on. @param {Locator} locator */
  async settle(locator) {
    await locator.scrollIntoViewIfNeeded();
    await locator.evaluate((button) => stage.standing(button));
  }

  /** Presses a key on what has the focus, as somebody does who has read it. @param {string} key */
  async act(key) {
    await this.page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return stage.standing(at);
    });
    await this.key(key);
  }

  /** Presses with the mouse, as somebody does who has read it. @param {Locator} locator */
  async press(locator) {
    await this.settle(locator);
    const { x, y } = await this.middle(locator);
    await this.page.mouse.click(x, y);
    await this.drawn();
  }

  /** Clicks at once, where it is now. @param {Locator} locator @param {object} [options] */
  async clickAtOnce(locator, options) {
    const { x, y } = await this.middle(locator);
    await this.page.mouse.click(x, y, options);
    await this.drawn();
  }

  /** @param {string} key */
  async key(key, times = 1) {
    for (let i = 0; i < times; i++) await this.page.keyboard.press(key);
    await this.drawn();
  }

  /** Tabs until this has the focus, forwards or backwards. @param {string} what see `focused` */
  async tabTo(what, key = 'Tab') {
    for (let i = 0; i < 40; i++) {
      if ((await this.focused()) === what) return;
      await this.key(key);
    }
    assert.fail(`${what} was not reached with ${key}`);
  }

  /**
   * Acts within half a second after something has changed. Where the machine was too slow for that, all of it is done
   * again, in a scene of its own.
   *
   * @param {import('./page.mjs').Spec} spec
   * @param {{ before?: () => Promise<unknown>, change: () => Promise<unknown>, act: () => Promise<unknown> }} steps
   */
  async quickly(spec, { before = async () => {}, change, act }) {
    for (const end = Date.now() + PATIENCE; Date.now() < end;) {
      await this.start(spec);
      await before();
      const begin = await this.page.evaluate(() => performance.now());
      await change();
      await act();
      if ((await this.page.evaluate(() => stage.pressedAt)) - begin < 490) return;
    }
    assert.fail('the machine is too slow for this test');
  }

  // ---- what came of it -------------------------------------------------------------------------

  problems() {
    return this.page.evaluate(() => stage.scenes.flatMap((scene) => scene.problems));
  }

  /** The acts in the ledger, one a line: what a person, a grant or time did. @returns {Promise<string[]>} */
  acts() {
    return this.page.evaluate(() => {
      const types = [
        'drafted',
        'undone',
        'answered',
        'late-denial',
        'refused',
        'granted',
        'grant-ended',
        'extended',
      ];
      return stage.scene.guard
        .ledger()
        .filter(({ type }) => types.includes(type))
        .map(({ type, toolCallId, approved }) =>
          [type, toolCallId, approved === undefined ? '' : approved ? 'yes' : 'no'].filter(Boolean).join(' '),
        );
    });
  }

  /** The status of each call, by call id. */
  statuses() {
    return this.page.evaluate(() =>
      Object.fromEntries(stage.scene.guard.getSnapshot().calls.map((call) => [call.toolCallId, call.status])),
    );
  }

  /** What was decided of each call, by call id. */
  outcomes() {
    return this.page.evaluate(() =>
      Object.fromEntries(
        stage.scene.guard.getSnapshot().calls.map((call) => [call.toolCallId, call.outcome]),
      ),
    );
  }

  phase() {
    return this.page.evaluate(() => stage.scene.guard.getSnapshot().batch.phase);
  }

  grants() {
    return this.page.evaluate(() =>
      stage.scene.guard.grants().map(({ type, toolName, covers }) => ({ type, toolName, covers })),
    );
  }

  /** The events `tool-approval-decide`. */
  decisions() {
    return this.page.evaluate(() => stage.scene.decisions);
  }

  /** The requests that left. */
  requests() {
    return this.page.evaluate(() => stage.scene.transport.requests);
  }

  /** Waits until so many requests have left. @param {number} count */
  async received(count) {
    await this.until((count) => stage.scene.transport.requests.length >= count, `${count} requests`, count);
    await this.page.evaluate(() => stage.scene.settle());
    await this.drawn();
  }

  /** What a request said of each call. @param {number} index */
  async sent(index = -1) {
    const request = (await this.requests()).at(index);
    return Object.fromEntries(
      request.messages
        .flatMap((message) => message.parts)
        .filter((part) => part.toolCallId !== undefined)
        .map((part) => [
          part.toolCallId,
          { state: part.state, approved: part.approval?.approved, reason: part.approval?.reason },
        ]),
    );
  }

  /** Nothing was decided, undone or refused, the application was not asked, and nothing has left. */
  async assertUntouched(why, requests = 1) {
    await this.drawn();
    assert.deepEqual(await this.acts(), [], `${why}: the ledger has no act`);
    assert.deepEqual(await this.decisions(), [], `${why}: no decision was offered`);
    assert.equal((await this.requests()).length, requests, `${why}: nothing has left`);
    for (const [call, status] of Object.entries(await this.statuses())) {
      assert.equal(status, 'asking', `${why}: ${call} asks`);
    }
  }
}
