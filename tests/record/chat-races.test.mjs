// Tabs of one chat answer, or are opened, at the same moment, while other pages of the origin write. The
// tests count what the server has received: no allowance twice, no allowance next to a denial. And no tab
// waits for ever.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { launchBrowser } from '../support/browsers.mjs';
import { assertAgreed, isDecided, makeNoise, noises, NO, YES } from './chat-noise.mjs';
import { browser, quiet, server, startServerAndBrowser, STORAGE, until } from './chat-stage.mjs';
import { seeded } from './seeded.mjs';

startServerAndBrowser(launchBrowser);

const limit = { timeout: 120_000 };

const openPage = async (context) => {
  const page = await context.newPage();
  await page.goto(`${server.url}?storage=${STORAGE}`);
  return page;
};
const show = (pages, id) => Promise.all(pages.map((page) => page.evaluate((id) => show(id), id)));

const pressAt = ({ id, time, answer }) => meet(time, () => press(id, answer));

/** Shows a new chat in all pages, and lets each of them answer some milliseconds after the first one. */
async function race(pages, answers, offsets) {
  const { id, backend } = await server.chat();
  await show(pages, id);
  const time = Date.now() + 60;
  await Promise.all(
    pages.map((page, i) => page.evaluate(pressAt, { id, time: time + offsets[i], answer: answers[i] })),
  );
  await assertAgreed(pages, id, backend);
  await Promise.all(pages.map((page) => page.evaluate((id) => chats[id].detach(), id)));
}

/** Runs all rounds, and then fails with the list of failed ones. */
async function rounds(t, list, play) {
  const failures = [];
  for (const one of list) await play(one).catch(({ message }) => failures.push({ one, message }));
  t.diagnostic(`${failures.length} of ${list.length} failed`);
  assert.deepEqual(failures, []);
}

const OFFSETS = Array.from({ length: 11 }, (_, i) => 8 * i - 40);
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
    before(async () => {
      context = await browser.newContext();
      for (const name of names) await makeNoise(context, server, name);
      while (pages.length < 5) pages.push(await openPage(context));
    });
    after(() => context?.close());

    for (const [what, answers] of Object.entries(PAIRS)) {
      test(`two that answer, ${what}, from -40 to 40 ms: one answer leaves`, limit, async (t) => {
        await rounds(t, OFFSETS, (offset) =>
          race(pages.slice(0, 2), answers, [Math.max(0, -offset), Math.max(0, offset)]),
        );
      });
    }

    test('five that answer at random moments: one answer leaves', limit, async (t) => {
      const random = seeded(names.length);
      const list = Array.from({ length: 10 }, () =>
        pages.map(() => ({ answer: random() < 0.5 ? YES : NO, offset: Math.floor(random() * 41) })),
      );
      await rounds(t, list, (all) =>
        race(
          pages,
          all.map(({ answer }) => answer),
          all.map(({ offset }) => offset),
        ),
      );
    });

    test(
      'two that are opened at the same moment: what one has sent is not sent by the other',
      limit,
      async (t) => {
        await rounds(t, [1, 2, 3, 4], async () => {
          const { id, backend } = await server.chat();
          const [first, second] = await Promise.all([openPage(context), openPage(context)]);
          await show([first, second], id);
          await first.evaluate(({ id, answer }) => press(id, answer), { id, answer: YES });
          await until(() => backend.carried > 0, 'the first request');
          // At this point, a person would look at the other tab and answer there.
          await delay(400);
          const seen = await second.evaluate((id) => look(id), id);
          await second.evaluate(({ id, answer }) => press(id, answer), { id, answer: YES });
          await quiet(200);
          assert.deepEqual(backend.received, { 'ap-c1': [true], 'ap-c2': [true] });
          assert.ok(isDecided(seen.c1), `it still says ${seen.c1.status}`);
          await Promise.all([first.close(), second.close()]);
        });
      },
    );
  });
}
