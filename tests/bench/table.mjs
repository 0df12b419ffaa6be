// The figures as a table that a person reads, each with its target.
const number = (value, digits = 2) => {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
  return Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(digits);
};
const spread = ({ median, low, high }) => `${number(median)} (${number(low)}–${number(high)})`;

/**
 * How much of its target a figure may take with `--check`. Medians of rounds in which all contenders take turns
 * differ by up to a fifth between runs on the same machine.
 */
export const MARGIN = 1.25;

/** The most of the SDK's predicate for approvals that a question may take. */
const ALONE = 0.7;

let missed = 0;
let margin = 1;
/** Judges the part of its target that a figure takes: 1 is all of it. */
const judged = (part) => {
  const pass = part <= margin;
  if (!pass) missed += 1;
  return pass ? 'pass' : 'MISS';
};
/** The part for a figure that is either right or wrong. */
const right = (isRight) => (isRight ? 0 : Infinity);
const most = (values) => Math.max(...values);

/** The tables so far, as Markdown. @type {string[]} */
const tables = [];

/** A table for the page of figures. What misses its target is bold. */
export function markdownTable(title, [head, ...rows]) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const marked = rows.map((cells) => cells.map((cell) => (cell === 'MISS' ? '**misses**' : cell)));
  return [`### ${title}`, '', line(head), line(head.map(() => '---')), ...marked.map(line)].join('\n');
}

/** All tables of this run, as Markdown. */
export const asMarkdown = () => tables.join('\n\n');

/** The page with these figures in place of those of an earlier run. */
export function withFigures(page, figures) {
  const [before, rest] = page.split('<!-- figures -->');
  const after = rest?.split('<!-- /figures -->')[1];
  if (after === undefined) throw new Error('The page has no place for figures.');
  return `${before}<!-- figures -->\n\n${figures}\n\n<!-- /figures -->${after}`;
}

function print(title, head, rows) {
  console.log(`\n${title}`);
  const all = [head, ...rows].map((row) => row.map(String));
  tables.push(markdownTable(title, all));
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i].length)));
  all.forEach((row, r) => {
    console.log(
      `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ')}`,
    );
    if (r === 0) console.log(`  ${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  });
}

const ENVIRONMENTS = ['node', 'chromium'];

function deciding({ suites }) {
  const head = ['messages × calls'];
  for (const e of ENVIRONMENTS) head.push(`${e}: µs`, 'SDK µs', '÷ pair', '÷ approvals', '÷ plain');
  const rows = suites.node.deciding.map((row, i) => [
    `${row.messages} × ${row.calls}${row.copies === 'deep' ? ', deep copy' : ''}`,
    ...ENVIRONMENTS.flatMap((e) => {
      const { micros, toPair, toApprovals, toPlain } = suites[e].deciding[i];
      return [
        number(micros.guard.median, 3),
        number(micros.approvals.median, 3),
        spread(toPair),
        spread(toApprovals),
        number(toPlain.median),
      ];
    }),
    // What the SDK asks about is a spread copy; a deep one is shown, not judged.
    row.copies === 'deep' ? '–' : judged(most(ENVIRONMENTS.map((e) => suites[e].deciding[i].toPair.median))),
    row.copies === 'deep'
      ? '–'
      : judged(most(ENVIRONMENTS.map((e) => suites[e].deciding[i].toApprovals.median)) / ALONE),
  ]);
  print(
    `Deciding, while one answer is missing. Target ≤ ${ALONE} × the predicate of the SDK for approvals, ≤ 1.0 × the pair (approvals || tool calls) that the same job needs`,
    [...head, 'pair ≤ 1', `alone ≤ ${ALONE}`],
    rows,
  );
}

function yes({ suites }) {
  const names = ['guard', 'pair', 'approvals', 'plain'];
  const rows = suites.node.yes.map((row, i) => [
    `${row.calls} calls`,
    ...ENVIRONMENTS.flatMap((e) => names.map((name) => number(suites[e].yes[i].micros[name].median))),
  ]);
  const head = ['10 messages', ...ENVIRONMENTS.flatMap((e) => names.map((name) => `${e}: ${name}`))];
  print('One yes, once per answer, in µs: the change is read, recorded and told', head, rows);
}

function expiring({ suites }) {
  const names = ['off', 'on', 'drafted'];
  const head = ['10 messages'];
  for (const e of ENVIRONMENTS)
    head.push(`${e}: SDK µs`, ...names, 'on ÷ off', ...names.map((name) => `${name} ÷ SDK`));
  const rows = suites.node.expiring.map((row, i) => [
    `${row.calls} calls`,
    ...ENVIRONMENTS.flatMap((e) => {
      const { micros, onToOff, toApprovals } = suites[e].expiring[i];
      return [
        ...['approvals', ...names].map((name) => number(micros[name].median, 3)),
        number(onToOff.median),
        ...names.map((name) => number(toApprovals[name].median)),
      ];
    }),
    judged(
      most(ENVIRONMENTS.flatMap((e) => names.map((name) => suites[e].expiring[i].toApprovals[name].median))) /
        ALONE,
    ),
  ]);
  print(
    `Deciding with \`expiresMs\` off and on, and after a first draft that was undone. Target ≤ ${ALONE} × the predicate of the SDK for approvals`,
    [...head, `all ≤ ${ALONE}`],
    rows,
  );
}

/** In µs, what would be felt: a decision and an undo, and the snapshot that a page renders after them. */
function limitOf(what) {
  if (what.startsWith('snapshot')) return 1_000;
  return what.startsWith('decide,') || what === 'decide' || /^undo(,|$)/.test(what) ? 100 : undefined;
}

function prompting({ suites }) {
  const head = ['calls that ask, 10 messages'];
  for (const e of ENVIRONMENTS) head.push(`${e}: µs`, 'by hand', '÷ by hand');
  const rows = suites.node.prompting.map((row, i) => {
    const limit = limitOf(row.what);
    return [
      `${row.calls.toLocaleString('en')}, ${row.what}`,
      ...ENVIRONMENTS.flatMap((e) => {
        const { guard, hand, ratio } = suites[e].prompting[i];
        return [spread(guard), number(hand.median), spread(ratio)];
      }),
      limit === undefined ? '–' : `≤ ${limit.toLocaleString('en')} µs`,
      limit === undefined
        ? '–'
        : judged(most(ENVIRONMENTS.map((e) => suites[e].prompting[i].guard.median)) / limit),
    ];
  });
  print(
    'Decisions and snapshots, beside a map and a filter over the parts by hand. A decision ≤ 100 µs, a snapshot ≤ 1 ms',
    [...head, 'limit', ''],
    rows,
  );
}

function omitting({ suites }) {
  const head = [
    'settled calls',
    ...ENVIRONMENTS.flatMap((e) => [`${e}: none left out`, 'all left out', 'map']),
  ];
  const rows = suites.node.omitting.map(({ calls }, i) => [
    number(calls, 0),
    ...ENVIRONMENTS.flatMap((e) => {
      const { none, all, map } = suites[e].omitting[i].net;
      return [spread(none), spread(all), number(map.median)];
    }),
  ]);
  print('A request with omitFromWire, in µs beyond an asynchronous call that does nothing', head, rows);
}

function granting({ suites }) {
  const names = ['none', 'one', 'hundred', 'many', 'hand'];
  const titles = ['no grant', '1 grant', '100', '1,000', 'a set by hand'];
  const head = ['a new call with an input of'];
  for (const e of ENVIRONMENTS)
    head.push(`${e}: ${titles[0]}`, ...titles.slice(1), '1 ÷ none', '1,000 ÷ none', '1,000 ÷ set');
  const rows = suites.node.granting.rows.map((row, i) => [
    row.size,
    ...ENVIRONMENTS.flatMap((e) => {
      const { micros } = suites[e].granting.rows[i];
      const ratio = (name, to) => number(micros[name].median / micros[to].median);
      return [
        ...names.map((name) => number(micros[name].median)),
        ratio('one', 'none'),
        ratio('many', 'none'),
        ratio('many', 'hand'),
      ];
    }),
  ]);
  print('A new call that a grant covers: from the question of the chat to its yes, in µs', head, rows);
  const giving = (e) => {
    const { few, many } = suites[e].granting.giving;
    return `${e} ${spread(few)} µs, ${spread(many)} µs`;
  };
  console.log(
    `  giving a grant, with its commit, beside 10 to 40 others, and beside 970 to 1,000: ${ENVIRONMENTS.map(giving).join('; ')}`,
  );
}

/** How much longer twice the text may take: one search for each piece, and what a busy machine adds. */
const LINEAR = 2.3;

function ruling({ suites, globs }) {
  const head = ['µs', ...ENVIRONMENTS, ''];
  const rows = (name, limit) =>
    suites.node.ruling[name].map(({ what }, i) => {
      const micros = ENVIRONMENTS.map((e) => suites[e].ruling[name][i].micros);
      return [what, ...micros.map(spread), judged(most(micros.map(({ median }) => median)) / limit)];
    });
  print(
    'Judging a call by 1,000 rules: a mix of kinds, and all for its tool. Target ≤ 20 µs, with its JSON and the border',
    head,
    rows('calls', 20),
  );
  print('Taking the secrets out of 250 KB. Target ≤ 2 ms', head, rows('redaction', 2_000));
  print(
    'The worst patterns on twice the text: native 1 MB ÷ 512 KB, in the package 250 KB ÷ 125 KB. Target: linear',
    ['', 'native ms', '÷ half', ...ENVIRONMENTS.flatMap((e) => [`${e}: ms`, '÷ half']), ''],
    globs.map(({ what, half, whole }, i) => {
      const pages = ENVIRONMENTS.map((e) => suites[e].ruling.globs[i]);
      return [
        what,
        number(whole / 1000),
        number(whole / half),
        ...pages.flatMap(({ micros, growth }) => [number(micros.median / 1000), spread(growth)]),
        judged(most([whole / half, ...pages.map(({ growth }) => growth.median)]) / LINEAR),
      ];
    }),
  );
}

function sharing({ sharing: figures }) {
  const { rounds, entries, known, claim, write, claimToWrite, fill, append, open, read } = figures;
  const row = (what, { median, low, high, worst }) => [
    what,
    spread({ median, low, high }),
    worst === undefined ? '' : number(worst),
  ];
  print(
    `The record of two tabs in IndexedDB, ${rounds} times, in ms; a request waits for its claim`,
    ['', 'median', 'worst'],
    [
      row('an answer in one tab is known in the other', known),
      row('the claim of a request', claim),
      row('a plain write of one text of 1,000 letters', write),
      row('claim ÷ plain write', claimToWrite),
    ],
  );
  print(
    `A record of ${number(entries, 0)} entries in IndexedDB, in ms`,
    ['all written', 'one more written', 'opened', 'listed'],
    [[number(fill), spread(append), number(open), number(read)]],
  );
}

/** How much a day may add to the heap beyond its first tenth. */
const GROWTH = 8 * 1024 * 1024;

function recording({ suites, memory: { day } }) {
  const rows = (name, part) =>
    [
      ['an entry, as the guard notes it: µs', 'appendMicros', 5],
      ['all of it written: ms', 'storeMs', 10],
      ['written again after one more entry: ms', 'saveMs'],
      ['read again: ms', 'restoreMs', 10],
      ['exported: ms', 'exportMs'],
    ].map(([what, figure, limit]) => {
      const figures = ENVIRONMENTS.map((e) => suites[e].recording[part][figure]);
      const holds =
        limit !== undefined && name === 'kept'
          ? judged(most(figures.map(({ median }) => median)) / limit)
          : '';
      return [what, ...figures.map(spread), limit === undefined ? '' : `≤ ${limit}`, holds];
    });
  const { entries, pending } = suites.node.recording;
  const pendingMs = ENVIRONMENTS.map((e) => suites[e].recording.pendingMs);
  print(
    `The record after ${number(entries, 0)} entries, ${pending} calls waiting; the latest 1,000 are kept whole`,
    ['', ...ENVIRONMENTS, 'target', ''],
    [
      [
        'what waits: ms',
        ...pendingMs.map(spread),
        '≤ 0.1',
        judged(most(pendingMs.map(({ median }) => median)) / 0.1),
      ],
      ...rows('kept', 'byDefault'),
    ],
  );
  print('The same where all of them are kept whole', ['', ...ENVIRONMENTS, '', ''], rows('all', 'all'));
  const { bytes, stored } = suites.node.recording.byDefault;
  console.log(`  ${number(bytes, 0)} bytes an entry as exported; ${number(stored / 1024, 0)} KB stored`);
  const { looks } = day;
  const mega = (bytes) => number(bytes / 1024 / 1024);
  const [, first] = looks;
  const last = looks.at(-1);
  print(
    `A busy chat: ${number(day.events, 0)} events in ${number(day.seconds, 0)} s, of which the application keeps the latest messages. Target: bounded`,
    ['MB after', ...looks.map(({ events }) => number(events, 0)), ''],
    [
      ['heap', ...looks.map(({ heap }) => mega(heap)), judged((last.heap - first.heap) / GROWTH)],
      ['wasm', ...looks.map(({ wasm }) => mega(wasm)), judged(last.wasm / (2 * first.wasm))],
    ],
  );
}

/** In µs, of a request of an unchanged chat beyond one without a guard. */
const REQUEST = 3;
function target(row) {
  if (row.what === 'unchanged') return [`≤ ${REQUEST} µs`, ({ net }) => net.guard.median / REQUEST];
  if (row.what.startsWith('rejections')) return ['≤ 1.0 × map', ({ toMap }) => toMap];
  return ['–', undefined];
}

function repairing({ suites }) {
  const head = ['chat', ...ENVIRONMENTS.flatMap((e) => [`${e}: µs`, 'map', 'plain', '÷ map']), 'target', ''];
  const rows = suites.node.repairing.map((row, i) => {
    const [text, part] = target(row);
    return [
      `${row.messages}, ${row.what}`,
      ...ENVIRONMENTS.flatMap((e) => {
        const { net, toMap } = suites[e].repairing[i];
        return [spread(net.guard), number(net.map.median), number(net.plain.median), number(toMap)];
      }),
      text,
      part === undefined ? '–' : judged(most(ENVIRONMENTS.map((e) => part(suites[e].repairing[i])))),
    ];
  });
  const floor = ENVIRONMENTS.map((e) => `${e} ${number(suites[e].repairing[0].nothing.median)} µs`).join(
    ', ',
  );
  print(
    `A request on its way out, in µs beyond an asynchronous call that does nothing (${floor}), in batches`,
    head,
    rows,
  );
}

function downloading({ sizes, rooms }) {
  const row = (name, { raw, gzip, brotli, budget, target }) => [
    name,
    ...[raw, gzip, brotli, ...(budget ? [Math.round(budget)] : ['–'])].map((n) => n.toLocaleString('en')),
    target?.toLocaleString('en') ?? '–',
    target ? judged(brotli / target) : '–',
  ];
  print(
    'Bytes to download. The budget is what `npm test` allows, the target what the design asks for',
    ['', 'raw', 'gzip 9', 'brotli 11', 'budget', 'target', ''],
    [
      ...sizes.entries.map((entry) => row(entry.name, entry)),
      row('the module of the guard', sizes.module),
      row('the JavaScript around it', sizes.script),
      row('the plain guard', sizes.plain),
    ],
  );
  for (const [name, { script, module }] of Object.entries(rooms)) {
    print(
      `What the JavaScript of ${name} is made of: brotli that would be saved without it, of ${script.whole.toLocaleString('en')}`,
      ['', 'bytes'],
      script.costs.map(([source, bytes]) => [source, bytes.toLocaleString('en')]),
    );
    if (module === undefined) continue;
    print(
      `What the module of ${name} is made of: ${module.raw.toLocaleString('en')} bytes, ${module.whole.toLocaleString('en')} as brotli`,
      ['', 'bytes', '%'],
      module.costs.map(([room, bytes]) => [
        room,
        bytes.toLocaleString('en'),
        number((100 * bytes) / module.raw, 1),
      ]),
    );
  }
  const sections = Object.entries(sizes.sections).filter(([, bytes]) => bytes > 200);
  console.log(
    `  sections of the module: ${sections.map(([name, bytes]) => `${name} ${bytes.toLocaleString('en')}`).join(', ')}`,
  );
}

/** What may be shown of an entry at most: of the first commit of React, and as one task. */
const AT_ONCE = 1.5;
const LATER = 0.3;
const LONGEST_TASK = 16;

/** The first card of a fresh process or page, beside that of React. */
export function starting({ node, chromium, tasks, toReact }) {
  const row = (name, { card, load }, ...more) => [name, spread(card), spread(load), ...more];
  const inPages = Object.entries(chromium).filter(([name]) => name !== 'react');
  print(
    `The first card: from \`createApprovalGuard\` to a snapshot with a call that asks, beside the first commit of that card by react-dom. Target ≤ ${AT_ONCE} × React, ≤ ${LATER} if 100 ms lie between the guard and its first messages, and no task over ${LONGEST_TASK} ms. /sync does all at once`,
    ['ms', 'first card', 'import', '÷ React', '', 'longest task', ''],
    [
      ...Object.entries(node).map(([name, figures]) => row(`node, ${name}`, figures, '', '', '', '')),
      ...inPages.map(([name, figures]) => {
        const isJudged = !/sync/i.test(name);
        const most = name.endsWith('Later') ? LATER : AT_ONCE;
        const marks = [toReact[name].median / most, tasks[name].median / LONGEST_TASK].map((part) =>
          isJudged ? judged(part) : '–',
        );
        const [card, task] = marks;
        return row(`chromium, ${name}`, figures, spread(toReact[name]), card, spread(tasks[name]), task);
      }),
      row('chromium, React', chromium.react, '', '', '', ''),
    ],
  );
}

function onBoth({ suites }) {
  const head = ['10 messages'];
  for (const e of ENVIRONMENTS) head.push(`${e}: WebAssembly µs`, 'JavaScript µs', '÷');
  const rows = suites.node.onBoth.map(({ what, calls }, i) => {
    const figures = ENVIRONMENTS.map((e) => suites[e].onBoth[i]);
    return [
      `${what}, ${calls} calls`,
      ...figures.flatMap(({ micros, toWasm }) => [
        ...[micros.wasm, micros.javascript].map(({ median }) => number(median, 3)),
        spread(toWasm),
      ]),
      judged(most(figures.map(({ toWasm }) => toWasm.median)) / 4),
    ];
  });
  print('The predicate on both engines. Target: JavaScript ≤ 4 × WebAssembly', [...head, '≤ 4'], rows);
}

/** The first rendering of many calls, beside that of React. */
export function listing({ script, layout, all, toReact }) {
  const row = (name, what, ...more) => [
    name,
    ...[script, layout, all].map((figure) => spread(figure[what])),
    ...more,
  ];
  print(
    'The first rendering of 1,000 calls that ask: by the queue, beside plain cards by React. Target ≤ 1.5',
    ['ms', 'script', 'style and layout', 'all', '÷ React', ''],
    [row('the queue', 'queue', spread(toReact), judged(toReact.median / 1.5)), row('React', 'react', '', '')],
  );
}

function rest({ memory, behaviours }) {
  const { rounds, guards } = memory;
  const mega = (bytes) => (bytes / 1024 / 1024).toFixed(2);
  const grown = (rounds.at(-1).heap - rounds[1].heap) / (guards * (rounds.length - 2));
  print(
    `Memory after each ${guards.toLocaleString('en')} guards, created, used and disposed. Target: flat`,
    ['MB', ...rounds.map((_, i) => i + 1), ''],
    [
      ['heap', ...rounds.map(({ heap }) => mega(heap)), judged(grown / 8)],
      ['wasm', ...rounds.map(({ wasm }) => mega(wasm)), judged(right(rounds.at(-1).wasm === rounds[0].wasm))],
    ],
  );

  const { dropped, grants, inJavaScript } = memory;
  const resting = { ...memory.resting, 'and on the engine in JavaScript': inJavaScript };
  const last = dropped.rounds.at(-1);
  print(
    `Guards that are used and then held by nobody, without dispose(), after each ${number(dropped.guards, 0)}. Target: none is held, and the memory is flat`,
    ['', ...dropped.rounds.map((_, i) => i + 1), ''],
    [
      ['held', ...dropped.rounds.map(({ held }) => held), judged(right(last.held === 0))],
      ['heap, MB', ...dropped.rounds.map(({ heap }) => mega(heap)), ''],
      [
        'wasm, MB',
        ...dropped.rounds.map(({ wasm }) => mega(wasm)),
        judged(right(last.wasm === dropped.rounds[1].wasm)),
      ],
    ],
  );
  const middle = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const bytes = (values) => `${number(middle(values), 0)} (${values.map((v) => number(v, 0)).join(', ')})`;
  print(
    `Memory of a guard at rest, in bytes beyond its chat: the average, and that of each ${number(Object.values(resting)[0].guards / 5, 0)}. Target: 7 KB with two settled calls, otherwise 1 KB; given back: nothing is left, and no page more is needed the second time`,
    ['', 'heap', 'wasm', 'both', 'target', 'left on the heap', 'wasm, the second time', ''],
    Object.entries(resting).map(([name, { heap, wasm, left }]) => {
      const both = middle(heap) + middle(wasm);
      return [
        name,
        bytes(heap),
        bytes(wasm),
        number(both, 0),
        judged(both / (name === 'attached, 2 settled calls' ? 7_168 : 1_024)),
        number(left.heap, 0),
        left.wasm,
        judged(left.wasm === 0 ? left.heap / 32 : Infinity),
      ];
    }),
  );
  const { once, chat } = grants;
  const perDecision = (name, { heap, wasm: module, left }) => [
    name,
    ...[heap, module, heap + module, left].map((value) => number(value, 0)),
  ];
  print(
    `Memory of ${number(chat.grants, 0)} decisions over different inputs in one chat, in bytes for each, with its call and the ledger`,
    ['', 'heap', 'wasm', 'both', 'left on the heap'],
    [
      perDecision('allow-once', once),
      perDecision('allow-chat', chat),
      [
        'a grant, which is the difference',
        ...[chat.heap - once.heap, chat.wasm - once.wasm, chat.heap + chat.wasm - once.heap - once.wasm].map(
          (value) => number(value, 0),
        ),
        '',
      ],
    ],
  );

  print(
    'What it buys: the same scenes beside a real chat',
    ['', 'guard', 'plain'],
    behaviours.map(({ name, guard, plain }) => [name, guard ? 'right' : 'WRONG', plain ? 'right' : 'wrong']),
  );
}

/** What claims cost, in each store. */
export function claims(stores) {
  const head = ['', 'at once', 'round trip µs', 'asked ÷', 'take ÷', 'take µs', 'execute ÷', 'execute µs'];
  const rows = Object.entries(stores).flatMap(([name, { atOnce }]) =>
    Object.entries(atOnce).map(([count, { ping, asked, take, execute }]) => [
      ...[name, count, number(ping.micros.median), spread(asked.toPing)],
      ...[spread(take.toPing), number(take.micros.median)],
      ...[spread(execute.toPing), number(execute.micros.median)],
    ]),
  );
  print(
    'Claims: `asked`, `take` and a wrapped `execute` ÷ a plain round trip of the same client',
    head,
    rows,
  );
  print(
    'Claims: what is stored of each approval, and approvals in each second, from the question to the end, with two processes',
    ['', 'rows', 'bytes', 'approvals/s'],
    Object.entries(stores).map(([name, { rows, bytes, perSecond }]) => [
      name,
      ...[rows, bytes, perSecond].map((value) => number(value, 0)),
    ]),
  );
}

/** Prints everything; returns how many figures take more than this share of their targets. */
export function report(figures, share = 1) {
  missed = 0;
  margin = share;
  deciding(figures);
  yes(figures);
  expiring(figures);
  onBoth(figures);
  repairing(figures);
  prompting(figures);
  omitting(figures);
  granting(figures);
  ruling(figures);
  recording(figures);
  sharing(figures);
  downloading(figures);
  starting(figures.starts);
  listing(figures.lists);
  claims(figures.claims);
  rest(figures);
  return missed;
}
