// Plays histories until there are enough, and shrinks what breaks a promise.
import fc from 'fast-check';

import { histories } from './history.mjs';
import { play } from './world.mjs';

/**
 * @param sdk one of `sdk.mjs`
 * @param options.seed of the first history
 * @param options.count how many histories
 * @param options.changes whether persons change inputs
 * @returns the kinds that were found, each with its smallest history, and how often each interesting case occurred
 */
export async function hunt(
  sdk,
  { seed, count, changes = false, most = 8, shrinks = true, onFound = () => {} },
) {
  const seen = new Map();
  const found = new Map();
  const paths = new Map();
  let i = -1;
  const all = fc.asyncProperty(histories(sdk, { changes }), async (history) => {
    i += 1;
    const { broken, seen: cases } = await play(sdk, history);
    for (const [name, n] of cases) seen.set(name, (seen.get(name) ?? 0) + n);
    const kind = broken[0]?.kind;
    if (kind === undefined) return;
    found.set(kind, (found.get(kind) ?? 0) + 1);
    if (!paths.has(kind) && paths.size < most) paths.set(kind, { i, history, broken });
  });
  await fc.check(all, { seed, numRuns: count, endOnFailure: true });
  for (const [kind, path] of paths) {
    if (shrinks) Object.assign(path, await shrunk(sdk, { kind, seed, i: path.i, changes }));
    onFound({ kind, seed, ...path });
  }
  return { found, paths, seen };
}

/** The smallest history of this kind. */
async function shrunk(sdk, { kind, seed, i, changes }) {
  const property = fc.asyncProperty(histories(sdk, { changes }), async (history) => {
    const { broken } = await play(sdk, history);
    return broken[0]?.kind !== kind;
  });
  const details = await fc.check(property, { seed, path: String(i), numRuns: 1, maxSkipsPerRun: 0 });
  if (!details.failed) return {};
  const [history] = details.counterexample;
  const { broken } = await play(sdk, history);
  return { history, broken, shrinks: details.numShrinks };
}
