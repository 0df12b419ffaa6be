// Until the first card of a fresh process or page: from `createApprovalGuard` to a snapshot with a call that asks.
import { execFileSync } from 'node:child_process';

const placeOf = (name) => new URL(`../../pkg/${name}.js`, import.meta.url).href;

/** The entries whose guards show a card, and what they are called here. */
export const ENTRIES = {
  guard: 'index',
  sync: 'sync',
  javascript: 'javascript/index',
  javascriptSync: 'javascript/sync',
};

const TITLE = 'Allow delete_file?';
const INPUT = { path: 'notes.md' };

const MESSAGES = [
  { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Please tidy up.' }] },
  {
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      {
        type: 'tool-delete_file',
        toolCallId: 'c1',
        state: 'approval-requested',
        input: INPUT,
        approval: { id: 'ap-1' },
      },
    ],
  },
];

/**
 * A script that leaves its figures in `figures`: the milliseconds of the import, and of the first card after it. Two marks
 * say where it begins and ends.
 *
 * @param wait how many milliseconds pass, and do not count, before there are messages
 */
export const guardScript = (from, words, wait = 0) => `
  performance.mark('begin');
  const messages = ${JSON.stringify(MESSAGES)};
  const begin = performance.now();
  const { createApprovalGuard } = await import(${JSON.stringify(from)});
  const { createWords } = await import(${JSON.stringify(words)});
  const imported = performance.now();
  const guard = createApprovalGuard({ onError: (error) => { throw error; } });
  const words = createWords();
  const created = performance.now();
  ${wait > 0 ? `await new Promise((resolve) => setTimeout(resolve, ${wait}));` : ''}
  const asked = ${wait > 0 ? 'performance.now()' : 'created'};
  // The default entry is still loading its engine.
  await guard.ready;
  guard.observe(messages);
  const [call] = guard.getSnapshot().calls;
  const { title } = words.call(call);
  const shown = performance.now();
  performance.mark('shown');
  if (call.status !== 'asking' || title !== ${JSON.stringify(TITLE)}) throw new Error('no card');
  globalThis.figures = { load: imported - begin, card: shown - asked + created - imported };`;

/** The same card by React, from its first root to the commit. Its module exports what this needs. */
export const reactScript = (from) => `
  performance.mark('begin');
  const begin = performance.now();
  const { createElement, createRoot, flushSync } = await import(${JSON.stringify(from)});
  const imported = performance.now();
  const Card = ({ title, input }) =>
    createElement('fieldset', null,
      createElement('legend', null, title),
      createElement('pre', null, JSON.stringify(input, null, 2)),
      createElement('button', { onClick: () => {} }, 'Deny'),
      createElement('button', { onClick: () => {} }, 'Allow once'));
  const root = createRoot(document.body);
  flushSync(() => root.render(createElement(Card, ${JSON.stringify({ title: TITLE, input: INPUT })})));
  const committed = performance.now();
  performance.mark('shown');
  if (document.querySelectorAll('button').length !== 2) throw new Error('no card');
  globalThis.figures = { load: imported - begin, card: committed - imported };`;

/** @returns for each process the figures of the script, with the engine that an entry has */
export const startsInNode = (entry, count) =>
  Array.from({ length: count }, () =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `${guardScript(placeOf(ENTRIES[entry]), placeOf('words'))}\nconsole.log(JSON.stringify(figures));`,
        ],
        { encoding: 'utf8' },
      ),
    ),
  );
