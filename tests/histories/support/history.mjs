// Histories at random.
import fc from 'fast-check';

const at = fc.nat({ max: 7 });
const tool = fc.constantFrom(
  'note',
  'note',
  'note',
  'note',
  'copy',
  'copy',
  'mcp',
  'read',
  'pick',
  'pick',
  'sign',
  'search',
  'order',
);
const rarely = fc.oneof(
  { weight: 5, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);
const seldom = fc.oneof(
  { weight: 19, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);
const optional = (model) => fc.record(model, { requiredKeys: [] });

/** @param changes whether persons change inputs */
const partsOf = (changes) => {
  const call = fc.record(
    {
      tool,
      shared: fc.constantFrom(0, 0, 1),
      counted: rarely,
      streams: rarely,
      answers: fc.boolean(),
      why: fc.boolean(),
      elsewhere: seldom,
      // Its approval has no signature, so that its input may be changed.
      ...(changes && { free: fc.boolean() }),
    },
    { requiredKeys: ['tool'] },
  );

  const reply = fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record(
        {
          calls: fc.array(call, { maxLength: 3 }),
          settles: fc.constantFrom(
            'all',
            'all',
            'all',
            'all',
            'first',
            'none',
            'again',
            'repeated',
            'unsaid',
          ),
          says: fc.constantFrom('', 'end', 'end', 'before', 'after', 'blank'),
          id: fc.constantFrom('same', 'same', 'none'),
          slow: fc.boolean(),
          preliminary: rarely,
        },
        { requiredKeys: ['calls'] },
      ),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        calls: fc.array(call, { maxLength: 2 }),
        settles: fc.constantFrom('all', 'all', 'none'),
        ends: fc.constant('break'),
        keeps: fc.nat({ max: 8 }),
        slow: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ form: fc.constantFrom('empty', 'data', 'abort', 'error', 'bare', 'copy') }),
    },
    { weight: 1, arbitrary: fc.record({ how: fc.constantFrom('refused', 'lost', 'gateway') }) },
  );

  const choice = fc.constantFrom('allow-once', 'allow-once', 'deny', 'deny', 'allow-chat', 'deny-chat');
  const acts = {
    say: [6, {}],
    decide: [10, { at, choice, covers: fc.constantFrom('tool', 'input'), wild: rarely, source: rarely }],
    ...(changes && { correct: [6, { at, wild: rarely, source: rarely }] }),
    answer: [6, { at, approved: fc.boolean() }],
    put: [5, { at, wild: fc.boolean(), error: rarely }],
    undo: [2, { at, all: rarely }],
    revoke: [1, {}],
    commit: [2, {}],
    retry: [3, {}],
    resume: [2, {}],
    go: [2, {}],
    regenerate: [1, {}],
    edit: [1, { at }],
    stop: [2, {}],
    reconnect: [2, { none: rarely }],
    list: [
      5,
      {
        at,
        how: fc.constantFrom(
          'older',
          'older',
          'older',
          'stored',
          'elsewhere',
          'copied',
          'pruned',
          'cut',
          'parts',
          'reordered',
        ),
      },
    ],
    flow: [10, { at, count: fc.integer({ min: 1, max: 6 }) }],
    cut: [2, { at }],
    drop: [1, { at }],
    adopt: [1, { sets: fc.constantFrom('after', 'before', 'never') }],
    ask: [1, {}],
    wait: [2, { ms: fc.constantFrom(500, 2_000, 4_000, 10_000) }],
    sleep: [1, { ms: fc.constantFrom(2_000, 10_000) }],
    clock: [1, { ms: fc.constantFrom(-10_000, 10_000) }],
    reload: [2, { how: fc.constantFrom('home', 'home', 'older'), at }],
    tab: [2, {}],
  };
  const then = fc.constantFrom('turn', 'turn', 'turn', 'turn', 'task', 'micro', 'micros', 'sync');
  const tab = fc.constantFrom(0, 1);
  const act = fc.oneof(
    ...Object.entries(acts).map(([name, [weight, fields]]) => ({
      weight,
      arbitrary: fc.record(
        { do: fc.constant(name), then, tab, ...fields },
        {
          requiredKeys: [
            'do',
            ...('how' in fields ? ['how'] : []),
            ...('sets' in fields ? ['sets'] : []),
            ...('ms' in fields ? ['ms'] : []),
            ...('approved' in fields ? ['approved'] : []),
          ],
        },
      ),
    })),
  );

  /** What a single act seldom leads to. */
  const scenes = fc.oneof(
    // A call expires, and a person denies it then.
    at.map((at) => [
      { do: 'wait', ms: 10_000 },
      { do: 'decide', at, choice: 'deny', wild: true },
    ]),
    // A response breaks that had to settle a call.
    fc
      .record({ at, after: fc.constantFrom('retry', 'resume', 'go', 'say') })
      .map(({ at, after }) => [{ do: 'decide', at, choice: 'allow-once' }, { do: 'cut' }, { do: after }]),
    // A page is closed with answers that it has not sent.
    fc
      .record({ at, approved: fc.boolean() })
      .map(({ at, approved }) => [
        { do: 'answer', at, approved },
        { do: 'reload', how: 'home' },
        { do: 'resume' },
      ]),
    ...(changes
      ? [
          // What becomes of a changed input.
          fc
            .record({
              at,
              next: fc.constantFrom(
                [{ do: 'undo' }, { do: 'decide', choice: 'allow-once' }],
                [{ do: 'undo' }, { do: 'correct' }],
                [{ do: 'decide', choice: 'deny' }],
                [{ do: 'list', at: 0, how: 'older' }, { do: 'say' }],
                [{ do: 'reload', how: 'home' }, { do: 'resume' }],
                [{ do: 'reload', how: 'older' }, { do: 'resume' }],
                [{ do: 'reconnect' }, { do: 'say' }],
                [{ do: 'cut' }, { do: 'retry' }],
                [{ do: 'decide', choice: 'allow-chat', tab: 1 }],
              ),
            })
            .map(({ at, next }) => [{ do: 'correct', at }, ...next.map((one) => ({ at, ...one }))]),
          // Two tabs change the input of a call.
          fc
            .record({ at, then })
            .map(({ at, then }) => [
              { do: 'tab' },
              { do: 'correct', at, then },
              { do: 'correct', at, tab: 1 },
            ]),
        ]
      : []),
    // A stop meets a press, or a request that waits for the record.
    fc
      .record({
        at,
        approved: fc.boolean(),
        press: fc.constantFrom('decide', 'answer', 'say', 'commit', 'retry', 'resume', 'go'),
        then: fc.constantFrom('sync', 'micro', 'micros', 'task'),
        after: fc.constantFrom([], [{ do: 'list', how: 'older' }], [{ do: 'retry' }], [{ do: 'resume' }]),
      })
      .map(({ at, approved, press, then, after }) => [
        { do: press, then, at, approved },
        { do: 'stop', then },
        ...after.map((one) => ({ at, ...one })),
      ]),
    // What is gone meanwhile comes back.
    fc
      .record({
        at,
        approved: fc.boolean(),
        gone: fc.constantFrom({ do: 'edit' }, { do: 'list', how: 'cut' }, { do: 'reload', how: 'older' }),
        meanwhile: fc.constantFrom([], [{ do: 'stop' }], [{ do: 'say' }]),
        back: fc.constantFrom('older', 'stored', 'elsewhere'),
      })
      .map(({ at, approved, gone, meanwhile, back }) => [
        { do: 'answer', at, approved },
        { at, ...gone },
        ...meanwhile,
        { do: 'list', at, how: back },
      ]),
    // A stop or an edit meets what can still be undone.
    fc
      .record({ at, choice, after: fc.constantFrom('stop', 'edit') })
      .map(({ at, choice, after }) => [{ do: 'decide', at, choice }, { do: after }, { do: 'commit' }]),
  );

  return { reply, act, scenes };
};

const guard = optional({
  undoMs: fc.constantFrom(3_000, Infinity),
  expiresMs: fc.constant(5_000),
  attended: fc.constant(false),
  maxAutomaticSends: fc.constantFrom(0, 1, 2),
  whenUserSends: fc.constant('pass'),
  whenAllDenied: fc.constant('hold'),
  sendOn: fc.constantFrom('approvals', 'outputs'),
});
/** Most histories have no option, or one. */
const options = (sdk) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: fc.record({ renders: fc.constantFrom('snapshots', 'observes') }) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(guard, fc.nat({ max: 6 }))
        .map(([all, i]) => Object.entries(all).filter((_, k, list) => k === i % list.length))
        .map((some) => (some.length > 0 ? { guard: Object.fromEntries(some) } : {})),
    },
    { weight: 1, arbitrary: fc.constant({ rules: true }) },
    {
      weight: 4,
      arbitrary: fc.record({
        record: fc.constantFrom('now', 'later', 'grants'),
        renders: fc.constantFrom(undefined, 'observes'),
      }),
    },
    // The engine comes while the page is in use.
    { weight: 1, arbitrary: fc.record({ engine: fc.constantFrom(1, 3, 8) }) },
    ...(sdk.major >= 7 ? [{ weight: 1, arbitrary: fc.constant({ queue: true }) }] : []),
  );

/**
 * @param changes whether persons change inputs. Without, a seed gives the histories that it gave before
 * @returns histories, each of which can be given to `play`
 */
export function histories(sdk, { changes = false } = {}) {
  const { reply, act, scenes } = partsOf(changes);
  return fc.record({
    options: options(sdk),
    replies: fc.array(reply, { minLength: 1, maxLength: 6 }),
    acts: fc
      .array(fc.oneof({ weight: 14, arbitrary: act.map((one) => [one]) }, { weight: 1, arbitrary: scenes }), {
        minLength: 2,
        maxLength: 14,
        size: 'max',
      })
      .map((list) => [{ do: 'say' }, ...list.flat()]),
  });
}
