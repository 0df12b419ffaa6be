// Tabs of one chat answer, or are opened, at the same moment, while other pages of the origin write. The
// tests count what the server has received: no allowance twice, no allowance next to a denial. And no tab
// waits for ever.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { assertAgreed, makeNoise, noises, NO, untilDecided, YES } from './chat-noise.mjs';
import { browser, quiet, server, startServerAndBrowser, STORAGE, until } from './chat-stage.mjs';
import { byBreadth } from '../support/breadth.mjs';
import { seeded } from '../package/support/seeded.mjs';

startServerAndBrowser();

const limit = { timeout: 240_000 };

const load = (page) => page.goto(`${server.url}?storage=${STORAGE}`);
const openPage = async (context) => {
  const page = await context.newPage();
  await load(page);
  return page;
};
const show = (pages, id) => Promise.all(pages.map((page) => page.evaluate((id) => show(id), id)));

const pressAt = ({ id, time, answer }) => meet(time, () => press(id, answer));

/**
 * Races in these pages, `size` of them shortly after each other. In each, all pages show a new chat, and answer it
 * some milliseconds after the first one. Fails with the list of failed races.
 */
async function races(t, pages, list, size) {
  const failures = [];
  const play = async ({ answers, offsets }, { id, backend }, start) => {
    await Promise.all(
      pages.map((page, i) => page.evaluate(pressAt, { id, time: start + offsets[i], answer: answers[i] })),
    );
    await assertAgreed(pages, id, backend);
    await Promise.all(pages.map((page) => page.evaluate((id) => chats[id].detach(), id)));
  };
  for (let first = 0; first < list.length; first += size) {
    const some = list.slice(first, first + size);
    const all = await Promise.all(some.map(() => server.chat()));
    for (const { id } of all) await show(pages, id);
    const start = Date.now() + 60;
    await Promise.all(
      some.map((one, i) =>
        play(one, all[i], start + 100 * i).catch(({ message }) => failures.push({ ...one, message })),
      ),
    );
  }
  t.diagnostic(`${failures.length} of ${list.length} failed`);
  assert.deepEqual(failures, []);
}

/** How often tabs meet. Beside pages that write each time costs ten times as much. */
const OFTEN = { offsets: Array.from({ length: 11 }, (_, i) => 8 * i - 40), five: 10, opened: 2 };
const SELDOM = byBreadth({ commit: { offsets: [-8, 0, 8], five: 3, opened: 1 }, all: OFTEN });
const PAIRS = {
  'a yes and a no': [YES, NO],
  'twice yes': [YES, YES],
  'each another one': [
    { c1: 'allow-once', c2: 'deny' },
    { c1: 'deny', c2: 'allow-once' },
  ],
};

for (const [scene, names] of Object.entries({ alone: [], 'beside pages that write': Object.keys(noises) })) {
  describe(`tabs of one chat, ${scene}`, () => {
    let context;
    const pages = [];
    // Pages that write leave no room for several races at once.
    const size = names.length === 0 ? 4 : 1;
    const often = names.length === 0 ? OFTEN : SELDOM;
    before(async () => {
      context = await browser.newContext();
      for (const name of names) await makeNoise(context, server, name);
      while (pages.length < 5) pages.push(await openPage(context));
    });
    after(() => context?.close());

    const last = Math.max(...often.offsets);
    for (const [what, answers] of Object.entries(PAIRS)) {
      test(`two that answer, ${what}, from ${-last} to ${last} ms: one answer leaves`, limit, async (t) => {
        const list = often.offsets.map((offset) => ({
          answers,
          offsets: [Math.max(0, -offset), Math.max(0, offset)],
        }));
        await races(t, pages.slice(0, 2), list, size);
      });
    }

    test('five that answer at random moments: one answer leaves', limit, async (t) => {
      const random = seeded(names.length);
      const list = Array.from({ length: often.five }, () => ({
        answers: pages.map(() => (random() < 0.5 ? YES : NO)),
        offsets: pages.map(() => Math.floor(random() * 41)),
      }));
      await races(t, pages, list, size);
    });

    test(
      'two that are opened at the same moment: what one has sent is not sent by the other',
      limit,
      async () => {
        const play = async ([first, second], waits) => {
          const { id, backend } = await server.chat();
          await Promise.all([load(first), load(second)]);
          await show([first, second], id);
          await first.evaluate(({ id, answer }) => press(id, answer), { id, answer: YES });
          await until(() => backend.carried > 0, 'the first request');
          // A person looks at the other tab, and answers there at once or when it has understood.
          const untilUnderstood = (patience) =>
            untilDecided(second, id, ['c1'], 'the answer of the first tab', patience);
          if (waits) await untilUnderstood(4_000);
          await second.evaluate(({ id, answer }) => press(id, answer), { id, answer: YES });
          await untilUnderstood();
          await quiet(200);
          assert.deepEqual(backend.received, { 'ap-c1': [true], 'ap-c2': [true] });
        };
        const [one, two] = [pages.slice(0, 2), pages.slice(2, 4)];
        for (let round = 0; round < often.opened; round++)
          await Promise.all([play(one, true), play(two, false)]);
      },
    );
  });
}
