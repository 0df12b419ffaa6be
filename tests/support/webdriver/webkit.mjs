// WebKit as WebKitGTK has it: its small browser, on a display of its own, by the classic WebDriver, because it does not
// speak BiDi. What the page says and loads is heard in the page.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { miniBrowserPath, webkitDriverPath, xdotoolPath } from '../browsers.mjs';
import { openDisplay } from '../display.mjs';
import { freePort, run } from '../process.mjs';

/** Its bar has room for many buttons. Without them the window can be as narrow as a phone. */
const NARROW = `window * { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px; }
`;

/** One browser, which has one context: it starts in a second. */
class Session {
  static async start(display) {
    const own = new Session();
    own.home = mkdtempSync(path.join(tmpdir(), 'webkit-'));
    try {
      await own.#begin(display);
    } catch (error) {
      await own.end();
      throw error;
    }
    return own;
  }

  async #begin(display) {
    mkdirSync(path.join(this.home, 'gtk-3.0'));
    writeFileSync(path.join(this.home, 'gtk-3.0', 'gtk.css'), NARROW);
    this.port = await freePort();
    const args = ['--host=127.0.0.1', `--port=${this.port}`];
    const env = {
      ...process.env,
      DISPLAY: display,
      GDK_BACKEND: 'x11',
      HOME: this.home,
      NO_AT_BRIDGE: '1',
      XDG_CACHE_HOME: this.home,
      XDG_CONFIG_HOME: this.home,
      XDG_DATA_HOME: this.home,
    };
    this.process = spawn(webkitDriverPath() ?? 'WebKitWebDriver', args, {
      env,
      stdio: 'ignore',
      detached: true,
    });
    this.process.on('error', () => {});
    const late = performance.now() + 10_000;
    for (;;) {
      try {
        await this.send('GET', '/status');
        break;
      } catch (error) {
        if (performance.now() > late) throw error;
        await delay(50);
      }
    }
    const { sessionId, capabilities } = await this.send('POST', '/session', {
      capabilities: {
        alwaysMatch: {
          pageLoadStrategy: 'none',
          'webkitgtk:browserOptions': { binary: miniBrowserPath(), args: ['--automation'] },
        },
      },
    });
    this.id = sessionId;
    this.version = capabilities.browserVersion;
  }

  /** @param {string} method @param {string} place @param {object} [body] */
  async send(method, place, body) {
    const response = await fetch(`http://127.0.0.1:${this.port}${place}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  #last = Promise.resolve();

  /** A command in one of its windows: commands go to the one that was chosen, so one after the other. */
  in(handle, method, place, body) {
    const work = this.#last.then(async () => {
      if (this.current !== handle) await this.send('POST', `/session/${this.id}/window`, { handle });
      this.current = handle;
      return this.send(method, `/session/${this.id}${place}`, body);
    });
    this.#last = work.catch(() => {});
    return work;
  }

  async end() {
    if (this.id) await this.send('DELETE', `/session/${this.id}`).catch(() => {});
    try {
      // It and the browser that it has started.
      process.kill(-this.process.pid);
    } catch {
      // They have gone.
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

export class WebKit {
  /** It has no events. */
  listeners = undefined;
  #sessions = new Map();

  static async start() {
    const own = new WebKit();
    own.display = await openDisplay();
    return own;
  }

  async context() {
    const session = await Session.start(this.display.name);
    this.version = session.version;
    return session;
  }

  async open(session) {
    const handles = await session.send('GET', `/session/${session.id}/window/handles`);
    const free = handles.find((handle) => !this.#sessions.has(handle));
    const handle =
      free ?? (await session.send('POST', `/session/${session.id}/window/new`, { type: 'tab' })).handle;
    this.#sessions.set(handle, session);
    return handle;
  }

  async pages(session) {
    const handles = await session.send('GET', `/session/${session.id}/window/handles`);
    for (const handle of handles) this.#sessions.set(handle, session);
    return handles;
  }

  #in(handle, ...command) {
    return this.#sessions.get(handle).in(handle, ...command);
  }

  async go(handle, url) {
    await this.#in(handle, 'POST', '/url', { url });
  }

  async call(handle, source, json) {
    const script = `const [json, done] = arguments; (${source})(json).then((text) => done(text ?? ''))`;
    return this.#in(handle, 'POST', '/execute/async', { script, args: [json] });
  }

  async perform(handle, source) {
    await this.#in(handle, 'POST', '/actions', { actions: [source] });
  }

  /** The driver cannot hold requests: so the page does, until it is loaded again. */
  async hold(handle, pathname) {
    const source = `async (pathname) => {
      const { fetch } = window;
      window.fetch = (to, options) =>
        new URL(to, location.href).pathname === pathname ? new Promise(() => {}) : fetch(to, options);
    }`;
    await this.call(handle, source, pathname);
    return async () => {};
  }

  /** Each page that another one has opened has a window. They lie upon each other, in the order of their numbers. */
  async activate(handle) {
    const session = this.#sessions.get(handle);
    const index = [...this.#sessions].filter(([, of]) => of === session).findIndex(([of]) => of === handle);
    const { stdout } = await this.#xdotool('search', '--onlyvisible', '--class', 'MiniBrowser');
    const window = stdout
      .trim()
      .split('\n')
      .map(Number)
      .sort((a, b) => a - b)[index];
    await this.#xdotool('windowraise', String(window), 'windowfocus', String(window));
  }

  #xdotool(...args) {
    return run(xdotoolPath() ?? 'xdotool', args, { env: { DISPLAY: this.display.name } });
  }

  /** The window is larger than what it shows. */
  async size(handle, { width, height }) {
    const inner = async () => {
      const script = 'return [innerWidth, innerHeight]';
      return this.#in(handle, 'POST', '/execute/sync', { script, args: [] });
    };
    let outer = { width, height };
    for (let tries = 0; tries < 40; tries++) {
      await this.#in(handle, 'POST', '/window/rect', { x: 0, y: 0, ...outer });
      for (let i = 0; i < 5; i++) {
        const [w, h] = await inner();
        if (w === width && h === height) return;
        await delay(20);
      }
      const [w, h] = await inner();
      outer = { width: outer.width + width - w, height: outer.height + height - h };
    }
    throw new Error(`The window could not be made ${width} by ${height} pixels.`);
  }

  async picture(handle) {
    return this.#in(handle, 'GET', '/screenshot');
  }

  async close(handle) {
    await this.#in(handle, 'DELETE', '/window');
    this.#sessions.get(handle).current = undefined;
  }

  async endContext(session) {
    await session.end();
  }

  /**
   * It keeps no downloads where it is driven: so this is what the page hands to it, the next time.
   *
   * @returns {Promise<() => Promise<string | undefined>>} where it lies, as soon as it does
   */
  async download(handle) {
    const watch = `async () => {
      const { createObjectURL } = URL;
      const blobs = new Map();
      URL.createObjectURL = (blob) => {
        const url = createObjectURL.call(URL, blob);
        blobs.set(url, blob);
        return url;
      };
      const { click } = HTMLAnchorElement.prototype;
      HTMLAnchorElement.prototype.click = function () {
        window.__download = blobs.get(this.href)?.text().then((text) => ({ name: this.download, text }));
        URL.createObjectURL = createObjectURL;
        HTMLAnchorElement.prototype.click = click;
        click.call(this);
      };
    }`;
    const take = `async () => {
      const download = await window.__download;
      delete window.__download;
      return download && JSON.stringify(download);
    }`;
    await this.call(handle, watch, '');
    return async () => {
      const json = await this.call(handle, take, '');
      if (!json) return undefined;
      const { name, text } = JSON.parse(json);
      const file = path.join(this.#sessions.get(handle).home, name);
      writeFileSync(file, text);
      return file;
    };
  }

  async end() {
    const exit = once(this.display.child, 'exit');
    this.display.child.kill();
    await exit;
  }
}
