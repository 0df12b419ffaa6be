// Firefox by WebDriver BiDi, which it speaks without a driver between.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import WebSocket from 'ws';

import { firefoxPath } from '../browsers.mjs';

/** Besides those that Firefox itself sets for its remote agent: nothing is fetched from elsewhere. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  // Its panel would take the focus from the page.
  'browser.download.alwaysOpenPanel': false,
  'browser.download.folderList': 2,
  'browser.download.useDownloadDir': true,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'nimbus.rollouts.enabled': false,
  'security.OCSP.enabled': 0,
  'services.settings.server': 'data:,#',
  'toolkit.telemetry.enabled': false,
};

const EVENTS = [
  'log.entryAdded',
  'browsingContext.contextCreated',
  'browsingContext.downloadWillBegin',
  'browsingContext.downloadEnd',
  'browsingContext.userPromptOpened',
  'network.beforeRequestSent',
];

export class Firefox {
  /** What hears the events of a page, by its handle. @type {Map<string, (event: string, what: any) => void>} */
  listeners = new Map();
  #answers = new Map();
  #ids = 0;

  static async start() {
    const own = new Firefox();
    own.profile = mkdtempSync(path.join(tmpdir(), 'firefox-'));
    try {
      await own.#begin();
    } catch (error) {
      own.process?.kill('SIGKILL');
      await own.#clear();
      throw error;
    }
    return own;
  }

  async #begin() {
    const preferences = { ...PREFERENCES, 'browser.download.dir': path.join(this.profile, 'downloads') };
    const lines = Object.entries(preferences).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    writeFileSync(path.join(this.profile, 'user.js'), lines.join(''));
    const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', this.profile];
    this.process = spawn(firefoxPath() ?? 'firefox-esr', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.gone = new Promise((resolve) => this.process.on('exit', resolve).on('error', resolve));
    // Its end ends every wait below.
    const late = setTimeout(() => this.process.kill('SIGKILL'), 60_000);
    try {
      await this.#connect();
    } finally {
      clearTimeout(late);
    }
  }

  async #connect() {
    let address;
    for await (const line of createInterface({ input: this.process.stderr })) {
      address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
      if (address) break;
    }
    if (!address) throw new Error('Firefox did not start.');
    // What it says later has to go somewhere, or it waits.
    this.process.stderr.resume();
    this.socket = new WebSocket(`${address}/session`);
    this.socket.on('error', () => {});
    await once(this.socket, 'open');
    this.socket.on('message', (data) => this.#hear(JSON.parse(String(data))));
    const { capabilities } = await this.#send('session.new', { capabilities: {} });
    this.version = capabilities.browserVersion;
    await this.#send('session.subscribe', { events: EVENTS });
  }

  /** @param {string} method @param {object} params @returns {Promise<any>} */
  #send(method, params) {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method}: no answer`)), 60_000);
      late.unref();
      this.#answers.set(id, { resolve, reject, late });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #hear({ id, type, method, params, result, error, message }) {
    if (type !== 'event') {
      const { resolve, reject, late } = this.#answers.get(id) ?? {};
      clearTimeout(late);
      this.#answers.delete(id);
      if (type === 'success') return resolve?.(result);
      return reject?.(new Error(`${error}: ${message}`));
    }
    const tell = (event, what, handle = params.context ?? params.source?.context) =>
      this.listeners.get(handle)?.(event, what);
    if (method === 'log.entryAdded') {
      const { type, level, text, stackTrace } = params;
      const at =
        stackTrace?.callFrames?.map(({ url, lineNumber }) => `\n    ${url}:${lineNumber}`).join('') ?? '';
      if (type === 'javascript' && level === 'error') tell('pageerror', new Error(text + at));
      else tell('console', { type: () => (level === 'warn' ? 'warning' : level), text: () => text });
    } else if (method === 'network.beforeRequestSent') {
      tell('request', { url: () => params.request.url });
    } else if (method === 'browsingContext.userPromptOpened') {
      const dismiss = () =>
        this.#send('browsingContext.handleUserPrompt', { context: params.context, accept: false });
      tell('dialog', { message: () => params.message, dismiss });
    } else if (method === 'browsingContext.contextCreated' && params.originalOpener) {
      tell('popup', params.context, params.originalOpener);
    } else if (method === 'browsingContext.downloadWillBegin') {
      tell('download begins', params.suggestedFilename);
    } else if (method === 'browsingContext.downloadEnd') {
      tell('download ends', params.filepath);
    }
  }

  /** Cookies and storage of its own. */
  async context() {
    return (await this.#send('browser.createUserContext', {})).userContext;
  }

  async open(userContext) {
    return (await this.#send('browsingContext.create', { type: 'tab', userContext })).context;
  }

  async pages(userContext) {
    const { contexts } = await this.#send('browsingContext.getTree', { maxDepth: 0 });
    return contexts.filter((one) => one.userContext === userContext).map(({ context }) => context);
  }

  async go(context, url) {
    await this.#send('browsingContext.navigate', { context, url, wait: 'complete' });
  }

  async call(context, source, json) {
    const { type, result, exceptionDetails } = await this.#send('script.callFunction', {
      functionDeclaration: source,
      arguments: [{ type: 'string', value: json }],
      target: { context },
      awaitPromise: true,
    });
    if (type === 'exception') throw new Error(exceptionDetails.text);
    return result.value;
  }

  async perform(context, source) {
    await this.#send('input.performActions', { context, actions: [source] });
  }

  /** Holds requests for this path from now on. @returns {Promise<() => Promise<void>>} ends it */
  async hold(context, pathname) {
    const { intercept } = await this.#send('network.addIntercept', {
      phases: ['beforeRequestSent'],
      urlPatterns: [{ type: 'pattern', pathname }],
      contexts: [context],
    });
    return () => this.#send('network.removeIntercept', { intercept });
  }

  async activate(context) {
    await this.#send('browsingContext.activate', { context });
  }

  async size(context, viewport) {
    await this.#send('browsingContext.setViewport', { context, viewport });
  }

  async picture(context, whole) {
    const origin = whole ? 'document' : 'viewport';
    return (await this.#send('browsingContext.captureScreenshot', { context, origin })).data;
  }

  async close(context) {
    await this.#send('browsingContext.close', { context });
  }

  async endContext(userContext) {
    await this.#send('browser.removeUserContext', { userContext });
  }

  async end() {
    await this.#send('browser.close', {}).catch(() => this.process.kill());
    await this.#clear();
  }

  /** What is left when the process has ended. */
  async #clear() {
    await this.gone;
    this.socket?.terminate();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
