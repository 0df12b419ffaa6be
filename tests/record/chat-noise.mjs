// Pages of a profile in which other pages write all the time, and checks of what the server may have received
// from a chat that several of them show.
import assert from 'node:assert/strict';

import { until, untilIn } from './chat-stage.mjs';

/** What other pages of the origin do all the time. */
export const noises = {
  localStorage: () => {
    const text = 'x'.repeat(300_000);
    let n = 0;
    setInterval(() => {
      for (const key of ['a', 'b', 'c']) localStorage.setItem(`noise ${key}`, `${n++}${text}`);
    }, 30);
  },
  IndexedDB: () => {
    const request = indexedDB.open('noise', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('texts');
    request.onsuccess = () => {
      const text = 'x'.repeat(100_000);
      const write = () => {
        const transaction = request.result.transaction('texts', 'readwrite');
        for (let i = 0; i < 3; i++) transaction.objectStore('texts').put(text, i);
        transaction.oncomplete = () => setTimeout(write, 20);
      };
      write();
    };
  },
};

/** Opens a page of the origin that makes this noise. */
export async function makeNoise(context, { url }, name) {
  const page = await context.newPage();
  await page.goto(`${url}messages`);
  await page.evaluate(noises[name]);
}

const both = (choice) => ({ c1: choice, c2: choice });
export const YES = both('allow-once');
export const NO = both('deny');

/** The states of calls that wait for a person, or whose answer is still on its way. */
const OPEN = ['asking', 'drafted', 'answered'];
export const isDecided = ({ status, decision }) => decision !== undefined && !OPEN.includes(status);

/** Waits until these calls of a chat are decided in this page, and their answers are no longer on their way. */
export const untilDecided = (page, id, calls, what, patience) =>
  untilIn(
    page,
    ({ id, calls, open }) =>
      Object.entries(look(id)).every(
        ([call, { status, decision }]) =>
          !calls.includes(call) || (decision !== undefined && !open.includes(status)),
      ),
    what,
    { id, calls, open: OPEN },
    patience,
  );

export const lookIn = (pages, id) => Promise.all(pages.map((page) => page.evaluate((id) => look(id), id)));

/** Asserts that no two different answers were sent for a call, and no answer twice. */
export function assertReceivedOnce({ received }) {
  for (const [approval, answers] of Object.entries(received)) {
    assert.equal(answers.length, 1, `${approval} left as ${answers.join(' and ')}`);
  }
}

/**
 * Asserts that no two different answers were sent for a call, and no allowance twice. A person may send a
 * denial again.
 */
export function assertReceivedSafely({ received }) {
  for (const [approval, answers] of Object.entries(received)) {
    const isSafe = answers.length === 1 || answers.every((answer) => !answer);
    assert.ok(isSafe, `${approval} left as ${answers.join(' and ')}`);
  }
}

/**
 * Asserts that each page shows for each call what the server has received, and that this was a single answer.
 */
export async function assertAgreed(pages, id, backend) {
  await until(() => backend.ids.every((call) => backend.answers[`ap-${call}`] !== undefined), 'the answers');
  const said = Object.fromEntries(
    backend.ids.map((call) => [call, backend.answers[`ap-${call}`] ? 'allowed' : 'denied']),
  );
  /** Runs in the page. */
  const isSaid = ({ id, said, open }) => {
    const calls = look(id);
    return Object.entries(said).every(
      ([call, decision]) => calls[call].decision === decision && !open.includes(calls[call].status),
    );
  };
  const agree = (page) => untilIn(page, isSaid, 'every page says what was sent', { id, said, open: OPEN });
  await Promise.all(pages.map(agree)).catch(async ({ message }) => {
    const seen = await lookIn(pages, id);
    assert.fail(
      `${message}: the pages say ${JSON.stringify(seen)}, and what left is ${JSON.stringify(backend.received)}`,
    );
  });
  assertReceivedOnce(backend);
}
