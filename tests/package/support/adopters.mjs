// Models of chats that people have. Each is a page and a server, written without the guard; a diff of docs/adopting.md brings the
// guard in. The model of the language model does what the user says: `delete a b` asks to delete both.
import './page.mjs';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';

const models = fileURLToPath(new URL('../adopters/', import.meta.url));
const manifest = fileURLToPath(import.meta.resolve('tool-approval-guard/package.json'));
const guide = readFileSync(path.join(path.dirname(manifest), 'docs', 'adopting.md'), 'utf8');

/** The diffs of the guide for a model: the file that each is for, and its lines. */
export const diffsOf = (name) =>
  [...guide.matchAll(/<!-- model: (\S+)\/(\S+) -->\n\n```diff\n([^]*?)\n```/g)]
    .filter(([, model]) => model === name)
    .map(([, , file, lines]) => ({ file, lines: lines.split('\n') }));

/** The names of the models in the guide. */
export const named = new Set([...guide.matchAll(/<!-- model: (\S+)\//g)].map(([, name]) => name));

/** A file after a diff, whose hunks are separated by lines of `@@`. Each hunk fits in one place. */
function patched(text, lines, file) {
  const hunks = lines
    .join('\n')
    .split(/^@@.*\n/m)
    .filter((hunk) => hunk !== '');
  return hunks.reduce((before, hunk) => {
    const side = (sign) =>
      hunk
        .trimEnd()
        .split('\n')
        .filter((line) => line[0] === ' ' || line[0] === sign || line === '')
        .map((line) => line.slice(1))
        .join('\n');
    const [old, next] = [side('-'), side('+')];
    assert.equal(before.split(old).length, 2, `${file} has this in one place:\n${old}`);
    return before.replace(old, () => next);
  }, text);
}

/** The page and the server of a model, as they are (`before`) or as the guide makes them (`after`). */
export async function modelOf(name, when) {
  const diffs = when === 'after' ? diffsOf(name) : [];
  const load = async (file) => {
    let text = readFileSync(path.join(models, name, file), 'utf8');
    for (const diff of diffs) if (diff.file === file) text = patched(text, diff.lines, `${name}/${file}`);
    const to = path.join(models, name, `${when}.${file}`);
    writeFileSync(to, text);
    return import(pathToFileURL(to));
  };
  return { ...(await load('page.mjs')), ...(await load('server.mjs')) };
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const textOf = ({ content }) => content.map(({ text }) => text ?? '').join('');

/** A language model that asks for what the last message of the user says, and else says something. */
async function obedient(sdk, prompts) {
  const mocks = await sdk.test();
  const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;
  let calls = 0;
  return new Model({
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const last = prompt.at(-1);
      const [word, ...files] = last.role === 'user' ? textOf(last).split(' ') : [];
      const asked = word === 'delete' ? files : [];
      const parts = asked.map((file) => ({
        type: 'tool-call',
        toolCallId: `call-${(calls += 1)}-${file}`,
        toolName: 'delete_file',
        input: JSON.stringify({ file }),
      }));
      const said = [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Well.' },
        { type: 'text-end', id: '1' },
      ];
      const reason = parts.length > 0 ? 'tool-calls' : 'stop';
      return {
        stream: sdk.ai.simulateReadableStream({
          chunkDelayInMs: null,
          initialDelayInMs: null,
          chunks: [
            { type: 'stream-start', warnings: [] },
            ...(parts.length > 0 ? parts : said),
            { type: 'finish', finishReason: { unified: reason, raw: reason }, usage },
          ],
        }),
      };
    },
  });
}

// What Vue looks for in a browser.
for (const name of ['Element', 'SVGElement']) globalThis[name] ??= window[name];

/** The `Chat` of Vue of each major. */
const vueChats = { 7: (await import('@ai-sdk/vue')).Chat, 6: (await import('vue6')).Chat };

/** A page of a model beside its server, and what came of it. */
export async function adopter(sdk, name, when) {
  const { openPage, createServer } = await modelOf(name, when);
  const [prompts, ran, errors, said] = [[], [], [], []];
  const deleteFile = async ({ file }) => {
    ran.push(file);
    return { deleted: file };
  };
  const server = createServer({ ai: sdk.ai, model: await obedient(sdk, prompts), deleteFile });
  const fetch = async (url, init = {}) => {
    try {
      return await server(new Request(new URL(url, 'https://page.example/'), { ...init, signal: null }));
    } catch (error) {
      errors.push(error);
      return new Response(String(error), { status: 500 });
    }
  };
  let page;
  const open = (messages) => {
    const VueChat = vueChats[sdk.major];
    page = openPage({ ...sdk, VueChat, fetch, id: 'chat', messages, onError: (error) => errors.push(error) });
  };
  open([]);
  const settle = async () => {
    for (let i = 0; i < 15; i += 1) {
      await wait(1);
      if (['submitted', 'streaming'].includes(page.chat.status)) i = 0;
    }
  };
  const parts = () => page.chat.messages.flatMap((message) => message.parts);
  const asked = (file) =>
    parts().findLast((part) => part.type === 'tool-delete_file' && part.input?.file === file);
  return {
    prompts,
    ran,
    errors,
    said,
    /** The user writes. */
    async say(text) {
      said.push(text);
      await Promise.resolve(page.chat.sendMessage({ text })).catch((error) => errors.push(error));
      await settle();
    },
    /** The user presses a button of the card. */
    async press(file, allowed) {
      const part = asked(file);
      if (part === undefined) errors.push(new Error(`There is no card of ${file}.`));
      else await Promise.resolve(page.decide(part, allowed)).catch((error) => errors.push(error));
      await settle();
    },
    /** The user goes to another view of the page, or comes back to its `chat`. */
    async show(view) {
      page.show(view);
      await settle();
    },
    /** The user opens a chat of the page. */
    async open(id) {
      page.open(id);
      await settle();
    },
    async reload() {
      const stored = JSON.parse(JSON.stringify(page.chat.messages));
      open(stored);
      await settle();
    },
    /** Each text of the user that the language model never saw. */
    lost: () =>
      said.filter(
        (text) =>
          !prompts.some((prompt) => prompt.some((one) => one.role === 'user' && textOf(one) === text)),
      ),
    /** Whether the language model was told of a denial, in whatever words. */
    wasTold: (file) =>
      prompts.some((prompt) =>
        prompt.some(
          ({ role, content }) =>
            role === 'tool' &&
            content.some(
              ({ toolCallId = '', output }) =>
                toolCallId.endsWith(`-${file}`) && output?.type === 'execution-denied',
            ),
        ),
      ),
  };
}
