// What a browser downloads of each entry, and what it may.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const KB = 1000;

/**
 * What each entry may weigh with all that it brings, in bytes of brotli 11. `budget` is what it has, with 1 % for what a
 * compiler changes: the new name of one private function has added 0.2 % to a module. A change that needs more says so here. `target` is what the design asks for, where it asks.
 */
export const budgets = {
  // The first download. What it loads, and when, does not count here. 0.5 KB are what a page is shown when the engine
  // cannot be loaded, and what a later guard learns of requests before it (laws 2, 11 and 13).
  '.': { files: ['index.js'], budget: 4.52 * KB, target: 4 * KB },
  // 2 KB of both are the rewriting of a part over JavaScript's objects, so that it exists once and the laws run over it.
  // 2 KB more are responses that overlap, what has run, chats that share messages, and the chat of each entry. 0.9 KB are
  // the timers of gloo-timers and the clocks of web-sys. 5.9 KB are what a server needs of a list (`unsent`), requests
  // whose news is lost, held continues, `sendEach`, `granted`, and the calls of an older list. 5 KB are inputs that a
  // person changes before allowing a call, what the chat did not ask about, and what responses say of their calls. 0.8
  // KB are stops that take back what was written before them, resumed responses, what is known to have run, and the old
  // list of a request that has waited. 1.3 KB are answers of an earlier time, questions that an older list hides, half
  // inputs, calls that a provider repeats with their output, and stored outputs without an answer.
  './sync': { files: ['sync.js'], budget: 84.1 * KB, target: 50 * KB },
  './javascript': { files: ['javascript/index.js'], budget: 4.52 * KB, target: 4 * KB },
  './javascript/sync': { files: ['javascript/sync.js'], budget: 104.4 * KB, target: 75 * KB },
  './javascript/rules': { files: ['javascript/rules.js'], budget: 129.9 * KB },
  './javascript/redact': { files: ['javascript/redact.js'], budget: 51.1 * KB },
  './javascript/record': { files: ['javascript/record.js'], budget: 69.9 * KB },
  './javascript/verify': { files: ['javascript/verify.js'], budget: 18.9 * KB },
  './javascript/server': { files: ['javascript/server.js'], budget: 21.3 * KB },
  './javascript/claims': { files: ['javascript/claims.js'], budget: 31.9 * KB },
  './javascript/threads': { files: ['javascript/threads.js'], budget: 2.3 * KB },
  './rules': { files: ['rules.js'], budget: 95.2 * KB, target: 98 * KB },
  './redact': { files: ['redact.js'], budget: 35.6 * KB, target: 38 * KB },
  // 1.5 KB are requests that wait for other tabs and commits that are stored: 0.8 KB of them were in every guard. 1.1 KB
  // are what a checkpoint keeps of a call.
  './record': { files: ['record.js'], budget: 51.2 * KB, target: 50 * KB },
  './verify': { files: ['verify.js'], budget: 13.5 * KB },
  './record/testing': { files: ['record/testing.js'], budget: 1.8 * KB },
  // 0.1 KB are the names of what is asked and found, which were places and numbers.
  './server': { files: ['server.js'], budget: 17.1 * KB, target: 15 * KB },
  // Without the server entry, which it loads.
  './claims': { files: ['claims.js'], budget: 25.1 * KB },
  './claims/testing': { files: ['claims/testing.js'], budget: 1.9 * KB },
  // 1.1 KB are what a card shows of a changed input, and what loads its editor. The editor itself comes with the first change.
  './element': { files: ['element.js', 'words.js'], budget: 24.1 * KB, target: 20 * KB },
  './edit': { files: ['edit.js', 'words.js'], budget: 6.5 * KB },
  './words': { files: ['words.js'], budget: 5.1 * KB },
  './escape': { files: ['escape.js'], budget: 3.4 * KB },
  './threads': { files: ['threads.js'], budget: 2.4 * KB },
  './react': { files: ['react.js'], budget: 1.3 * KB, target: 2 * KB },
  './assistant-ui': { files: ['assistant-ui.js'], budget: 1.4 * KB, target: 2 * KB },
  './vue': { files: ['vue.js'], budget: 1.5 * KB, target: 2 * KB },
  './angular': { files: ['angular.js'], budget: 1 * KB, target: 2 * KB },
  './svelte': { files: ['svelte.js'], budget: 1.2 * KB, target: 2 * KB },
  './locales/de': { files: ['locales/de.js'], budget: 3 * KB },
  './locales/ar': { files: ['locales/ar.js'], budget: 3.1 * KB },
};

/** The JavaScript around the module of an entry: the text of the module is the only one as long. */
export const withoutModule = (code) => code.replace(/(["'`])[^"'`\\]{10000,}\1/, '$1$1');

export const brotli = (data) =>
  brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } })
    .length;

/** Its bytes as they are, and as they travel. */
export const sizes = (data) => ({
  raw: data.length,
  gzip: gzipSync(data, { level: 9 }).length,
  brotli: brotli(data),
});

/** What an entry brings, file by file, because each is compressed alone. @param {string} folder the package */
export function sizesOf(folder, files) {
  const each = files.map((file) => sizes(readFileSync(path.join(folder, file))));
  const sum = (name) => each.reduce((total, size) => total + size[name], 0);
  return { raw: sum('raw'), gzip: sum('gzip'), brotli: sum('brotli') };
}
