// The chat in the terminal: what a person is asked, what counts as an answer, and what reaches the screen.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '../../www/server/http.mjs';
import { lastSent, lastTold, lines, runs } from './state.mjs';
import { piped, Terminal } from './terminal-drive.mjs';
import { asks, says, scriptedServer, step } from './terminal-server.mjs';

/**
 * @import { ScenarioId, SessionState } from '../../www/shared/protocol.ts'
 */

const DENIED = { state: 'approval-responded', approved: false, output: undefined };
const ALLOWED = { state: 'approval-responded', approved: true, output: undefined };
const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** Longer than a question waits before it listens. */
const LONG_ENOUGH = 900;

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
const pace = { firstWordMs: 20, nextWordMs: 0 };
before(async () => void (server = await serve({ port: 0, host: '127.0.0.1', page: new Map(), pace })));
after(() => server.close());

let chats = 0;
const newChat = () => `terminal-${++chats}`;

/** @param {string} chat @returns {Promise<SessionState>} */
const stateOf = async (chat) => (await fetch(`${server.url}api/state?chat=${chat}`)).json();

/**
 * @typedef {object} Scene
 * @property {Terminal} terminal where a message was sent
 * @property {() => Promise<SessionState>} state
 *
 * @param {string} name
 * @param {ScenarioId} scenario
 * @param {(scene: Scene) => Promise<void>} play
 * @param {string[]} [more] arguments
 */
const scene = (name, scenario, play, more = []) =>
  void test(name, async () => {
    const chat = newChat();
    const terminal = new Terminal(['--server', server.url, '--chat', chat, '--scenario', scenario, ...more]);
    try {
      await terminal.message('Hello');
      await play({ terminal, state: () => stateOf(chat) });
    } finally {
      await terminal.close();
    }
  });

/** @param {SessionState} state @param {number} count */
const requestsAre = (state, count) => assert.equal(state.requests.length, count);

describe('a person at the terminal', { concurrency: 4 }, () => {
  scene(
    'three questions, in order, and one request with all the answers',
    'batch',
    async ({ terminal, state }) => {
      const first = await terminal.answer('d');
      assert.match(first, /Assistant:\n│ Three things, if you agree\.\n\nAllow write_note\? {2}1 of 3\n/);
      assert.match(first, /path:\n {4}│ notes\.md\n {2}text:\n {4}│ Tidied up\.\n/);
      assert.match(first, /The server asks before it runs this tool\./);
      assert.match(first, /can trick\s+it into doing harm\. Read each request before you allow it\.\n/);
      await terminal.answer('It is the only copy', 'Tell the assistant why (optional): ');
      const second = await terminal.answer('o');
      assert.match(second, /write_note notes\.md: Denied\n\nAllow rename_file\? {2}2 of 3\n/);
      assert.match(second, /Path: draft\.md\n {2}Path: final\.md\n/);
      requestsAre(await state(), 1);
      const third = await terminal.answer('o');
      assert.match(third, /Allow delete_file\? {2}3 of 3\n/);
      const summary = await terminal.reads('Your choice: ');
      assert.match(summary, /1 denied, 2 allowed\. Nothing is sent yet\.\n {2}y {2}Send 3 decisions\n/);
      requestsAre(await state(), 1);
      await terminal.type('y');
      await terminal.reads('write_note on notes.md did not run: It is the only copy.');
      await terminal.reads('You: ');
      const now = await state();
      requestsAre(now, 2);
      assert.deepEqual(lastSent(now, 'notes.md'), DENIED);
      assert.deepEqual(lastSent(now, 'draft.md'), ALLOWED);
      assert.deepEqual(lastSent(now, 'cache.log'), ALLOWED);
      assert.deepEqual(
        [lastTold(now, 'notes.md')?.outcome, lastTold(now, 'notes.md')?.value],
        ['denied', 'It is the only copy'],
      );
      assert.deepEqual(runs(now), ['rename_file draft.md 1', 'delete_file cache.log 1']);
      terminal.press(CTRL_D);
      assert.equal(await terminal.exited, 0);
    },
  );

  scene(
    'an undo goes one question back, from a question and from the summary',
    'batch',
    async ({ terminal, state }) => {
      await terminal.answer('o');
      assert.match(await terminal.answer('u'), /2 of 3[^]* u {2}Undo: write_note notes\.md, Allowed once\n/);
      const again = await terminal.answer('u');
      assert.match(again, /Allow write_note\? {2}1 of 3\n/);
      assert.doesNotMatch(again, / u {2}Undo/, 'nothing is left to undo');
      await terminal.reads('There is no choice “u”.');
      await terminal.answer('d');
      await terminal.answer('', 'Tell the assistant why (optional): ');
      await terminal.answer('o');
      await terminal.answer('o');
      await terminal.answer('u');
      assert.match(await terminal.answer('d'), /Allow delete_file\? {2}3 of 3\n/);
      await terminal.answer('', 'Tell the assistant why (optional): ');
      // Nothing dangerous is allowed now, so the last answer sends.
      assert.doesNotMatch(await terminal.reads('2 denied, 1 allowed.'), /not sent/i);
      assert.doesNotMatch(await terminal.reads('You: '), /Your choice|Nothing is sent yet/);
      const now = await state();
      requestsAre(now, 2);
      assert.deepEqual(runs(now), ['rename_file draft.md 1']);
      assert.equal(lastTold(now, 'notes.md')?.outcome, 'denied');
      const said = lastTold(now, 'notes.md')?.value;
      assert.equal(said, 'The user denied permission for this call.', 'an empty line is no reason');
    },
  );

  scene('an empty line, and what is no choice, decide nothing', 'pair', async ({ terminal, state }) => {
    await terminal.answer('');
    await terminal.reads('That decides nothing.');
    await terminal.answer('yes');
    await terminal.reads('There is no choice “yes”.');
    await terminal.answer('?');
    assert.match(await terminal.reads('Your choice: '), /d {2}Deny\n {2}o {2}Allow once\n/);
    requestsAre(await state(), 1);
    assert.doesNotMatch(terminal.screen, /2 of 2/, 'the first call still asks');
  });

  /** @param {Terminal} terminal @param {string} keys @returns {Promise<number>} the longest time between two */
  async function pressSlowly(terminal, keys) {
    let longest = 0;
    for (const key of keys) {
      const before = Date.now();
      terminal.press(key);
      await delay(90);
      longest = Math.max(longest, Date.now() - before);
    }
    return longest;
  }

  /** @param {number} [attempts] */
  async function typesAtOnce(attempts = 3) {
    const chat = newChat();
    const terminal = new Terminal(['--server', server.url, '--chat', chat, '--scenario', 'pair']);
    try {
      await terminal.message('Hello');
      await terminal.reads('1 of 2');
      // On a machine that is too busy to type so fast it would be an answer indeed.
      if ((await pressSlowly(terminal, 'o\ro\ro\ro\ro\ro\ro\r')) > 300 && attempts > 1) {
        return await typesAtOnce(attempts - 1);
      }
      await terminal.reads('What you typed before does not count.');
      await terminal.answer('');
      await terminal.reads('That decides nothing.');
      requestsAre(await stateOf(chat), 1);
      assert.doesNotMatch(terminal.screen, /2 of 2|Allowed/);
    } finally {
      await terminal.close();
    }
  }

  test('what is typed as soon as the question is seen does not count', () => typesAtOnce());

  test('what is typed while the assistant speaks does not count', async () => {
    const slow = await scriptedServer(({ write, end }) => {
      step(...says('Wait for it'))({ write, end: () => {} });
      setTimeout(() => step(...asks('save', {}), ...asks('save', {}, 'call_1'))({ write, end }), 1_500);
    });
    const terminal = new Terminal(['--server', slow.url]);
    try {
      await terminal.message('Hello');
      await terminal.reads('Wait for');
      await pressSlowly(terminal, 'o\ro\r');
      await terminal.reads('What you typed before does not count.');
      await terminal.answer('');
      await terminal.reads('That decides nothing.');
      await delay(LONG_ENOUGH);
      assert.doesNotMatch(terminal.screen, /2 of 2|Allowed/);
    } finally {
      await terminal.close();
      await slow.close();
    }
  });

  scene('lines that are pasted do not decide', 'pair', async ({ terminal, state }) => {
    await terminal.reads('Your choice: ');
    terminal.press('o\ro\ry\r');
    await terminal.reads('o o y');
    await delay(LONG_ENOUGH);
    assert.doesNotMatch(terminal.screen, /2 of 2|Allowed/);
    terminal.press('\r');
    await terminal.reads('There is no choice “o o y”.');
    requestsAre(await state(), 1);
  });

  scene(
    'a grant answers its siblings, and what the assistant asks next',
    'grant',
    async ({ terminal, state }) => {
      const first = await terminal.answer('t');
      assert.match(first, /t {2}Allow for this chat: every write_note call\. Also covers 3 waiting calls\n/);
      const summary = await terminal.reads('4 allowed.');
      const why = 'Allowed automatically: you allowed every write_note call, in this chat';
      assert.match(summary, new RegExp(`write_note draft\\.md: ${why}`));
      assert.equal(summary.split(why).length - 1, 3);
      assert.doesNotMatch(summary, /2 of 4|3 of 4|4 of 4/, 'they are not asked');
      await terminal.reads(`write_note cache.log: ${why}`);
      await terminal.reads('You: ');
      const now = await state();
      requestsAre(now, 3);
      assert.equal(lines(now, 'notes.md'), 6);
      assert.equal(lines(now, 'cache.log'), 4);
    },
  );

  scene('a grant of exactly this call answers only that', 'grant', async ({ terminal }) => {
    assert.match(
      await terminal.answer('c'),
      /c {2}Allow for this chat: exactly this call\. Also covers 1 waiting call\n/,
    );
    await terminal.reads(
      'write_note notes.md: Allowed automatically: you allowed exactly this call, in this chat',
    );
    await terminal.answer('o');
    assert.match(await terminal.reads('Your choice: '), /Allow write_note\? {2}4 of 4\n/);
  });

  scene('a refusal that lasts is told as one', 'looping', async ({ terminal, state }) => {
    await terminal.answer('n');
    await terminal.reads(
      'delete_file notes.md: Denied automatically: you denied exactly this call, in this chat',
    );
    await terminal.reads('I leave it alone');
    await terminal.reads('You: ');
    const now = await state();
    assert.match(String(lastTold(now, 'notes.md')?.value), /The user refuses this call for the whole chat/);
    assert.deepEqual(runs(now), []);
  });

  scene(
    'a dangerous call says so in words, and takes no yes that lasts',
    'expiry',
    async ({ terminal, state }) => {
      const question = await terminal.answer('t');
      assert.match(question, /Dangerous, according to this program/);
      assert.doesNotMatch(question, / [ct] {2}Allow/);
      await terminal.reads('There is no choice “t”.');
      await terminal.answer('c');
      await terminal.reads('There is no choice “c”.');
      requestsAre(await state(), 1);
      await terminal.answer('o');
      await terminal.reads('1 allowed. Nothing is sent yet.');
      await delay(LONG_ENOUGH);
      requestsAre(await state(), 1);
    },
  );

  scene(
    'a request that expires says when, and takes no answer afterwards',
    'expiry',
    async ({ terminal, state }) => {
      assert.match(
        await terminal.reads('Your choice: '),
        /Expires in \d seconds?\. Nothing runs if it expires\./,
      );
      terminal.press('o');
      await terminal.reads('delete_file cache.log: Expired with no answer. It was not run.');
      await terminal.reads('You: ');
      terminal.press('\r');
      await delay(200);
      const now = await state();
      requestsAre(now, 2);
      assert.match(String(lastTold(now, 'cache.log')?.value), /No one answered before the request expired/);
      assert.deepEqual(runs(now), []);
    },
    ['--expires', '3'],
  );

  scene(
    'a request that expires can be kept waiting',
    'expiry',
    async ({ terminal, state }) => {
      await terminal.answer('k');
      await delay(2_500);
      await terminal.answer('k');
      await delay(2_000);
      requestsAre(await state(), 1);
      assert.doesNotMatch(terminal.screen, /Expired/);
    },
    ['--expires', '4'],
  );

  scene('an assistant that insists can be stopped', 'looping', async ({ terminal, state }) => {
    for (let count = 0; count < 3; count++) {
      await terminal.answer('d');
      await terminal.answer('', 'Tell the assistant why (optional): ');
    }
    assert.match(await terminal.answer('s'), /Denied 3 times in this chat\. Stop the assistant\? Type s\.\n/);
    await terminal.reads('You: ');
    const now = await state();
    requestsAre(now, 4);
    assert.deepEqual(runs(now), []);
  });

  scene(
    'stopped at the second question, nothing of the first is sent, and a message goes on',
    'batch',
    async ({ terminal, state }) => {
      await terminal.answer('o');
      await terminal.answer('s');
      await terminal.reads('Stopped. Nothing runs of what was not sent.');
      await terminal.message('Something else');
      await terminal.reads('write_note notes.md: Not run: you sent a new message.');
      await terminal.reads('You: ');
      const now = await state();
      requestsAre(now, 2);
      assert.deepEqual(runs(now), []);
    },
  );

  scene(
    'a request that fails is tried again, with the same answer and once',
    'failing',
    async ({ terminal, state }) => {
      await terminal.answer('o');
      await terminal.answer('y');
      await terminal.reads('The request failed: The server stumbled, on purpose.');
      assert.match(
        await terminal.answer('r'),
        /The request failed\. The decisions are kept\. Try again\.\n {2}r {2}Try again\n/,
      );
      await terminal.reads('cache.log ran and returned');
      await terminal.reads('You: ');
      const now = await state();
      requestsAre(now, 3);
      assert.deepEqual(lastSent(now, 'cache.log'), ALLOWED);
      assert.deepEqual(runs(now), ['delete_file cache.log 1']);
    },
  );

  scene('leaving with decisions that were not sent is no success', 'failing', async ({ terminal, state }) => {
    await terminal.answer('o');
    await terminal.answer('y');
    await terminal.reads('Try again\n');
    await terminal.reads('Your choice: ');
    terminal.press(CTRL_D);
    await terminal.reads('Your decisions were not delivered. Goodbye.');
    assert.equal(await terminal.exited, 1);
    assert.deepEqual(runs(await state()), []);
  });

  scene('a tool of this side asks for a number', 'picker', async ({ terminal, state }) => {
    await terminal.answer('d');
    await terminal.answer('', 'Tell the assistant why (optional): ');
    assert.match(
      await terminal.answer('2'),
      /Which file matters most\?\n {2}1 {2}cache\.log\n {2}2 {2}draft\.md\n/,
    );
    await terminal.reads('delete_file .env: Denied by the server');
    await terminal.answer('1');
    await terminal.reads('You picked {"path":"cache.log"}');
    const now = await state();
    const picks = now.requests.at(-1)?.told.filter(({ toolName }) => toolName === 'pick_file');
    assert.deepEqual(
      picks?.map(({ value }) => value),
      [{ path: 'draft.md' }, { path: 'cache.log' }],
    );
    assert.deepEqual(runs(now), []);
  });

  for (const [name, key, code] of /** @type {const} */ ([
    ['Ctrl+C', CTRL_C, 130],
    ['the end of the input', CTRL_D, 1],
  ])) {
    scene(
      `${name} at a question decides nothing, and ends with a sentence`,
      'batch',
      async ({ terminal, state }) => {
        await terminal.answer('o');
        await terminal.answer('o');
        await terminal.reads('3 of 3');
        await terminal.reads('Your choice: ');
        terminal.press(key);
        await terminal.reads('What asked was not answered, and has not run. Goodbye.');
        assert.equal(await terminal.exited, code);
        const now = await state();
        requestsAre(now, 1);
        assert.deepEqual(runs(now), []);
      },
    );

    scene(`${name} at the summary and at the reason sends nothing`, 'pair', async ({ terminal, state }) => {
      await terminal.answer('o');
      await terminal.answer('d');
      await terminal.reads('Tell the assistant why (optional): ');
      terminal.press(key);
      assert.equal(await terminal.exited, code);
      requestsAre(await state(), 1);
    });
  }

  test('Ctrl+C during a response stops it, and the chat goes on', async () => {
    const endless = await scriptedServer(
      ({ write }) => {
        for (const chunk of [
          { type: 'start' },
          { type: 'start-step' },
          ...says('I go on and on ').slice(0, -1),
        ]) {
          write(/** @type {import('ai').UIMessageChunk} */ (chunk));
        }
      },
      step(...says('As you like.')),
    );
    const terminal = new Terminal(['--server', endless.url]);
    try {
      await terminal.message('Hello');
      await terminal.reads('on and on');
      terminal.press(CTRL_C);
      await terminal.reads('Stopped.');
      await terminal.message('Enough');
      await terminal.reads('As you like.');
      await terminal.reads('You: ');
      assert.equal(endless.requests.length, 2);
    } finally {
      await terminal.close();
      await endless.close();
    }
  });
});

describe('what reaches the screen', { concurrency: 4 }, () => {
  const EVIL = '\x1b]0;owned\x07\x1b[2J\x1b[31mred\rhidden\u202etxt.exe\x9b1mok⟦U+0041⟧';

  /** @param {string} raw */
  const isClean = (raw) => {
    for (const bad of ['\x1b]', '\x07', '\x1b[2J', '\x1b[31m', '\u202e', '\x9b']) {
      assert.ok(!raw.includes(bad), `${JSON.stringify(bad)} reached the terminal`);
    }
    // A text cannot imitate a mark, and no mark is written out as if it were a text.
    assert.doesNotMatch(raw, /⟦U\+0041⟧|⟦U\+27E6⟧U\+(?!0041)/);
    // What the program and the line editor write themselves.
    assert.deepEqual(raw.match(/\x1b(?!\[(?:\d*[GJ]|0m|1m|2m|1;31m))/g), null);
    assert.deepEqual(raw.match(/\r(?!\r?\n)/g), null);
  };

  /** @type {(name: string, replies: Parameters<typeof scriptedServer>, play: (terminal: Terminal, server: Awaited<ReturnType<typeof scriptedServer>>) => Promise<void>, options?: object) => void} */
  const scripted = (name, replies, play, options) =>
    void test(name, async () => {
      const server = await scriptedServer(...replies);
      const terminal = new Terminal(['--server', server.url], options);
      try {
        await terminal.message('Hello');
        await play(terminal, server);
      } finally {
        await terminal.close();
        await server.close();
      }
    });

  scripted(
    'no escape sequence of a text, a name, an input, an output or an error',
    [
      step(
        ...says(`Look: ${EVIL} end`),
        ...asks(`tool${EVIL}`, { [`field${EVIL}`]: EVIL, list: [EVIL], url: `https://a.example/${EVIL}` }),
      ),
      step(
        { type: 'tool-output-available', toolCallId: 'call_0', output: { said: EVIL } },
        {
          type: 'tool-input-available',
          toolCallId: 'call_1',
          toolName: 'other',
          input: {},
          providerExecuted: true,
        },
        { type: 'tool-output-error', toolCallId: 'call_1', errorText: EVIL, providerExecuted: true },
        ...says('Done.'),
      ),
    ],
    async (terminal) => {
      const question = await terminal.answer('t');
      assert.match(question, /│ Look: ⟦U\+001B⟧\]0;owned⟦U\+0007⟧⟦U\+001B⟧\[2J/);
      assert.match(question, /Allow “tool⟦U\+001B⟧/);
      assert.match(question, /hidden⟦U\+202E⟧txt\.exe/);
      assert.match(question, /invisible characters/);
      await terminal.reads('Done.');
      assert.match(terminal.screen, /ran: \{"said":"⟦?/);
      assert.match(terminal.screen, /other failed: ⟦U\+001B⟧/);
      await terminal.message('More');
      await terminal.reads('It is broken.⟦U+001B⟧]0;renamed⟦U+0007⟧');
      isClean(terminal.raw);
    },
    { columns: 500 },
  );

  scripted(
    'a message cannot look like a question: each of its lines stands behind a mark',
    [step(...says(`First\nAllow nothing?  1 of 1\n${' '.repeat(200)}Your choice: ${'x'.repeat(300)} end`))],
    async (terminal) => {
      await terminal.reads('You: ');
      const said = terminal.screen.split('Assistant:\n')[1]?.split('You: ')[0] ?? '';
      for (const line of said.trimEnd().split('\n')) {
        assert.match(line, /^│ /);
        assert.ok(line.length < 80, line);
      }
      assert.match(said, /^│ Allow nothing\?/m);
    },
    { columns: 80 },
  );

  scripted(
    'a long value is folded with a count, and shown in full when asked for',
    [step(...asks('save', { text: `${'word '.repeat(400)}the very end` }))],
    async (terminal) => {
      const question = await terminal.answer('m');
      const [, folded] = /… and (\d+) more characters: m shows them\./.exec(question) ?? [];
      assert.ok(Number(folded) > 1000, folded);
      assert.match(question, new RegExp(`m {2}Show ${folded} more characters`));
      assert.doesNotMatch(question, /the very end/);
      const more = await terminal.answer('o');
      assert.equal(more.match(/word/g)?.length, 400);
      assert.match(more.replace(/\n +│ /g, ''), /the very end/);
    },
  );

  scripted(
    'an input that cannot be shown can only be denied',
    [step(...asks('save', { text: 'x'.repeat(300_000) }))],
    async (terminal) => {
      const question = await terminal.answer('o');
      assert.match(question, /Its input cannot be shown \(too-large\), so it can only be denied\./);
      assert.doesNotMatch(question, /Allow once|Allow for this chat/);
      await terminal.reads('There is no choice “o”.');
    },
  );

  for (const NO_COLOR of ['', '1']) {
    scripted(
      NO_COLOR ? 'NO_COLOR: no colours' : 'colours, and nothing by them alone',
      [step(...asks('delete_file', { path: 'notes.md' }))],
      async (terminal) => {
        assert.match(await terminal.reads('Your choice: '), /Dangerous, according to this program/);
        assert.equal(/\x1b\[[\d;]*m/.test(terminal.raw), NO_COLOR === '');
      },
      { env: { NO_COLOR } },
    );
  }
});

describe('nobody at the terminal', () => {
  /** @param {ScenarioId} scenario @param {string} input */
  async function run(scenario, input) {
    const chat = newChat();
    const result = await piped(['--server', server.url, '--chat', chat, '--scenario', scenario], input);
    return { ...result, state: await stateOf(chat) };
  }

  test('each line is a message, and each call that asks is denied, which the model is told', async () => {
    const { code, stdout, stderr, state } = await run('batch', 'Hello\n\no\nAnd now?');
    assert.equal(code, 0);
    assert.equal(
      stderr,
      'Nobody is here to answer, so write_note notes.md, rename_file draft.md, and delete_file cache.log were denied.\n',
    );
    assert.match(
      stdout,
      /^You:\n│ Hello\nAssistant:\n│ Three things, if you agree\.\nAssistant:\n│ write_note on notes\.md did not run/,
    );
    assert.match(stdout, /\nYou:\n│ o\nAssistant:\n[^]*\nYou:\n│ And now\?\nAssistant:\n│ [^\n]+\n$/);
    assert.doesNotMatch(stdout, /\x1b|Nobody is here|Your choice/);
    requestsAre(state, 4);
    assert.deepEqual(runs(state), []);
    const [, second] = state.requests;
    assert.deepEqual(
      second?.told.map(({ outcome, value }) => [outcome, value]),
      Array(3).fill(['denied', 'Nobody was there to answer. This is not a refusal by the user.']),
    );
  });

  test('one line for each batch, also of one call', async () => {
    const { code, stderr } = await run('grant', 'Hello');
    assert.equal(code, 0);
    assert.equal(stderr.match(/Nobody is here/g)?.length, 2);
    assert.match(stderr, /so write_note cache\.log was denied\.\n/);
  });

  test('a tool of this side fails, because nobody is there', async () => {
    const { code, state } = await run('picker', 'Hello');
    assert.equal(code, 0);
    const picks = state.requests.at(-1)?.told.filter(({ toolName }) => toolName === 'pick_file');
    assert.deepEqual(
      picks?.map(({ outcome, value }) => [outcome, value]),
      [
        ['error', 'Nobody is there.'],
        ['error', 'Nobody is there.'],
      ],
    );
  });

  test('a server that fails: a message on standard error, and 1', async () => {
    const { code, stdout, stderr, state } = await run('failing', 'Hello\nAgain');
    assert.equal(code, 1);
    assert.match(stderr, /The request failed: The server stumbled, on purpose\.\n$/);
    assert.doesNotMatch(stdout, /stumbled|Again/);
    requestsAre(state, 2);
    const away = await piped(['--server', 'http://127.0.0.1:1'], 'Hello');
    assert.equal(away.code, 1);
    assert.match(away.stderr, /^The request failed: /);
  });

  test('it starts a server of its own', async () => {
    const { code, stdout, stderr } = await piped([], 'Hello');
    assert.equal(code, 0);
    assert.match(stdout, /Three things, if you agree\./);
    assert.match(stderr, /^Nobody is here to answer/);
  });

  test('arguments that are none: one sentence, and 2', async () => {
    for (const [args, sentence] of /** @type {[string[], RegExp][]} */ ([
      [['--scenario', 'nothing'], /^There is no scenario nothing; there are batch, [^\n]+ See --help\.\n$/],
      [['--scenario', 'toString'], /^There is no scenario toString;/],
      [['--server', 'nowhere'], /^--server needs the URL[^\n]+\n$/],
      [['--server', 'file:///etc'], /^--server needs the URL/],
      [['--expires', '0'], /^--expires needs/],
      [['--chat', 'a b'], /^--chat needs/],
      [['--unknown'], /^Unknown option '--unknown'\. See --help\.\n$/],
      [['word'], /^Unexpected argument 'word'/],
    ])) {
      const { code, stdout, stderr } = await piped(args, 'Hello');
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(stderr, sentence);
    }
    const help = await piped(['--help'], '');
    assert.equal(help.code, 0);
    assert.match(help.stdout, /^Usage: /);
    for (const scenario of ['pair', 'looping']) assert.match(help.stdout, new RegExp(`\\n +${scenario} `));
  });
});
