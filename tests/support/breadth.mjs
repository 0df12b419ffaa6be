// How much of what repeats is tested. Every run plays every kind of check; what differs is how often.

/** What `TEST_BREADTH` can be: `npm test`, `npm run test:all` and `npm run soak`. */
const BREADTHS = ['commit', 'all', 'soak'];

// An option of the program says it to the programs that it starts, and to modules that are loaded before it reads its own.
for (const name of BREADTHS.slice(1)) {
  if (process.argv.includes(`--${name}`)) process.env.TEST_BREADTH = name;
}
const asked = process.env.TEST_BREADTH ?? 'commit';
if (!BREADTHS.includes(asked))
  throw new Error(`TEST_BREADTH is ${asked}; it is one of ${BREADTHS.join(', ')}.`);

/** The breadth of this run. @type {'commit' | 'all' | 'soak'} */
export const breadth = /** @type {'commit' | 'all' | 'soak'} */ (asked);

/** Whether what repeats for breadth is played as well. */
export const isBroad = breadth !== 'commit';

/**
 * A number that grows with the breadth of the run.
 *
 * @template T
 * @param {{ commit: T, all: T, soak?: T }} amounts `soak` is `all` where it is left out
 */
export const byBreadth = ({ commit, all, soak = all }) => ({ commit, all, soak })[breadth];
