// The percentiles of a record's durations.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import fc from 'fast-check';

import { load } from './load.mjs';

const { Durations } = await load('record/metrics');

const figuresOf = (times) => {
  const durations = new Durations();
  for (const time of times) durations.add(time);
  return durations.figures();
};

describe('the figures of durations', () => {
  test('of few', () => {
    for (const [times, medianMs, p95Ms] of [
      [[], null, null],
      [[7], 7, 7],
      [[9, 7], 7, 9],
      [[30, 10, 20], 20, 30],
    ])
      assert.deepEqual(figuresOf(times), { count: times.length, medianMs, p95Ms });
  });

  test('are of the latest thousand', () => {
    const times = Array.from({ length: 3_000 }, (_, i) => i);
    assert.deepEqual(figuresOf(times), { count: 1_000, medianMs: 2_499, p95Ms: 2_949 });
  });

  test('are the smallest times that so many do not exceed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { minLength: 1, maxLength: 200 }), (times) => {
        const rank = (percent) => {
          const reach = (time) =>
            times.filter((other) => other <= time).length * 100 >= percent * times.length;
          return Math.min(...times.filter(reach));
        };
        assert.deepEqual(figuresOf(times), { count: times.length, medianMs: rank(50), p95Ms: rank(95) });
      }),
    );
  });
});
