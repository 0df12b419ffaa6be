// `npm run bench`: the figures of the package, in Node and in Chromium, each beside its target.
//   --json FILE   writes them to a file too
//   --write       writes them into tests/bench/README.md
//   --check       fails if a figure misses its target by more than the margin
//   --claims      measures only the claims
//   --starts      measures only the first card, and the first rendering of many, in fresh processes and pages
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { format, resolveConfig } from 'prettier';

import { createApprovalGuard } from '../../pkg/sync.js';
import { behaviours } from './behaviours.mjs';
import {
  inChromium,
  listsInChromium,
  startsInChromium,
  suiteInChromium,
  tasksInChromium,
} from './browser.mjs';
import { claiming } from './claiming.mjs';
import { ratio, summary } from './measure.mjs';
import { memory } from './memory.mjs';
import { createPlainGuard } from './plain.mjs';
import { globs } from './globs.mjs';
import { breakdown } from './rooms.mjs';
import { sharing } from './sharing.mjs';
import { downloads } from './size.mjs';
import { ENTRIES, startsInNode } from './start.mjs';
import { suite } from './suite.mjs';
import { asMarkdown, claims, listing, MARGIN, report, starting, withFigures } from './table.mjs';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    write: { type: 'boolean' },
    check: { type: 'boolean' },
    claims: { type: 'boolean' },
    starts: { type: 'boolean' },
  },
});
const begin = performance.now();
const log = (where) => (text) =>
  console.log(`bench: ${((performance.now() - begin) / 1000).toFixed(1).padStart(5)} s  ${where}  ${text}`);
const STARTS = 9;
/** Of each entry, in how many pages the tasks are noted. */
const TRACED = 3;

const summed = (starts) => ({
  card: summary(starts.map(({ card }) => card)),
  load: summary(starts.map(({ load }) => load)),
});
/** One figure of each page, by what it shows. */
const only = (pages, figure) =>
  Object.fromEntries(Object.entries(pages).map(([name, list]) => [name, list.map((page) => page[figure])]));

if (values.claims) {
  claims(await claiming(log('node')));
  process.exit(0);
}

const nodeStarts = Object.fromEntries(
  Object.keys(ENTRIES).map((entry) => [entry, startsInNode(entry, STARTS)]),
);
log('node')('started');
const chromium = await inChromium(log('chromium'), async (pages) => ({
  version: pages.version,
  starts: await startsInChromium(pages, STARTS),
  tasks: await tasksInChromium(pages, TRACED),
  lists: await listsInChromium(pages, STARTS),
  suite: values.starts ? undefined : await suiteInChromium(pages),
}));
const summedUp = (all) => Object.fromEntries(Object.entries(all).map(([name, list]) => [name, summed(list)]));
const cards = only(chromium.starts, 'card');
const starts = {
  node: summedUp(nodeStarts),
  chromium: summedUp(chromium.starts),
  tasks: Object.fromEntries(Object.entries(chromium.tasks).map(([name, list]) => [name, summary(list)])),
  toReact: Object.fromEntries(Object.keys(cards).map((name) => [name, ratio(cards, name, 'react')])),
};
const byWhat = (figure) => {
  const { queue, react } = only(chromium.lists, figure);
  return { queue: summary(queue), react: summary(react) };
};
const lists = {
  script: byWhat('script'),
  layout: byWhat('layout'),
  all: byWhat('all'),
  toReact: ratio(only(chromium.lists, 'all'), 'queue', 'react'),
};
if (values.starts) {
  starting(starts);
  listing(lists);
  process.exit(0);
}
const node = await suite(log('node'));

const figures = {
  machine: {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.cpus().length,
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GB`,
    system: `${os.type()} ${os.arch()}`,
    load: os.loadavg()[0],
    node: process.versions.node,
    chromium: chromium.version,
  },
  suites: { node, chromium: chromium.suite },
  starts,
  lists,
  sharing: await sharing(log('chromium')),
  claims: await claiming(log('node')),
  globs: await globs(),
  sizes: await downloads(),
  rooms: await breakdown(),
  memory: memory(),
  behaviours: await behaviours({ guard: createApprovalGuard, plain: createPlainGuard }),
};

const {
  cpu,
  cores,
  memory: ram,
  system,
  load,
  node: nodeVersion,
  chromium: chromiumVersion,
} = figures.machine;
console.log(`\n${cpu}, ${cores} cores, ${ram}, ${system}; Node ${nodeVersion}, Chromium ${chromiumVersion}`);
console.log(
  `Medians of rounds in which all contenders take turns, with the quarters around them; load at the end ${load.toFixed(1)}`,
);
const missed = report(figures, values.check ? MARGIN : 1);
const by = values.check ? ` by more than ${Math.round(100 * (MARGIN - 1))} %` : '';
console.log(`\nbench: ${missed} targets missed${by}, ${((performance.now() - begin) / 1000).toFixed(0)} s`);
if (values.write) {
  const page = new URL('./README.md', import.meta.url);
  const where = `One run on ${cpu}, ${cores} cores, ${ram}, ${system}, with Node ${nodeVersion} and Chromium ${chromiumVersion}.`;
  const text = withFigures(readFileSync(page, 'utf8'), `${where}\n\n${asMarkdown()}`);
  const filepath = fileURLToPath(page);
  writeFileSync(page, await format(text, { ...(await resolveConfig(filepath)), filepath }));
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
// Chats of the scenes may still hold timers.
process.exit(values.check && missed > 0 ? 1 : 0);
