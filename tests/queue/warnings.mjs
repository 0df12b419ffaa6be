// What the queue warns of in each state.
import assert from 'node:assert/strict';

/** It names who tricks (what is read), whom, and what to do. The short one says only what to do. */
export const FULL =
  /^Content that the assistant reads, .*\bweb page\b.*\boutput of a tool\b.* can trick it .*\. Read each request before you allow it\.$/;
export const SHORT = /^Read each request before you allow it\.$/;

/** States in which nothing waits for an answer of the user. */
export const SILENT = new Set([
  ...['empty', 'decided', 'decided-countdown', 'decided-early', 'decided-patient', 'sending', 'sent', 'done'],
  ...[
    'failed',
    'in-doubt',
    'held',
    'held-with-allowance',
    'passed',
    'limit',
    'history',
    'grants-alone',
    'expired',
    'superseded',
    'unattended',
  ],
  'ruled-alone',
]);
/** States in which the chat has asked before. */
export const LATER = new Set(['looping', 'granted-automatically', 'denied-automatically', 'grants', 'later']);

/** Cards have a warning, too. */
export const inQueue = (scene) => scene.page.locator('tool-approval-queue [part="warning"]');
/** What the queue says as its warning; `undefined` if nobody sees it. */
export const warningOf = (scene) =>
  inQueue(scene).evaluate((element) => {
    const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    return isSeen ? element.innerText : undefined;
  });

/** The warning of a state is there in full, in short where the chat has asked before, or not at all. */
export async function assertWarning(scene, state) {
  const text = await warningOf(scene);
  if (SILENT.has(state)) assert.equal(text, undefined);
  else assert.match(text ?? '', LATER.has(state) ? SHORT : FULL);
}
