// Which states a test goes through that looks at the same thing in each of them.
import { isBroad } from '../support/breadth.mjs';
import { STATES } from './states.mjs';

/** States with much in them: what is too long, too wide or too close is so there first. */
const FULLEST = [
  ...[
    'long-values',
    'long-names',
    'folded-name',
    'invisible',
    'many-fields',
    'hosts-and-paths',
    'nested-json',
  ],
  ...['dangerous', 'same-tool', 'decided-countdown', 'grants', 'ruled'],
];

/**
 * The states that are looked at in one of several views, such as a width. In a broad run these are all states in each
 * view. Otherwise each view has the fullest states and its share of the others, so that each state is in one view.
 *
 * @param {number} view its number
 * @param {number} views how many there are
 */
export const statesOf = (view, views) =>
  Object.keys(STATES).filter((name, i) => isBroad || FULLEST.includes(name) || i % views === view);
