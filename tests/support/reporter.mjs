// A reporter for `node --test`: one line per file with its time, each slow test and each failure in full, and the real
// counts, failures and times as JSON in the file that TEST_COUNTS names. What was skipped, and a file without a single test, count as failed: a test that
// does not run shows nothing.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';

/** A test that takes longer is named, in seconds. */
const SLOW = 20;

export default async function* reporter(events) {
  const total = { passed: 0, failed: 0, failures: [], took: [] };
  let file = { name: undefined, passed: 0, failed: 0, ms: 0 };

  const line = () => {
    const { name, passed, failed, ms } = file;
    if (name === undefined) return '';
    total.took.push([name, ms / 1000]);
    return `  ${name}: ${passed} passed, ${failed} failed (${(ms / 1000).toFixed(1)} s)\n`;
  };
  const failure = (data, why) => {
    file.failed++;
    total.failed++;
    const indented = why.replaceAll('\n', '\n      ');
    const text = `  ✖ ${file.name}: ${data.name}\n      ${indented}\n`;
    total.failures.push(text);
    return text;
  };

  // A test that a helper makes is one of the file of its suite.
  let suite;
  for await (const { type, data } of events) {
    if (type === 'test:start' && data.nesting === 0) suite = data.file;
    if (type === 'test:stderr' || type === 'test:stdout') {
      yield data.message;
      continue;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    // A file that could not be loaded, or that has no test, appears as a test of its own name.
    const isFile = data.nesting === 0 && path.resolve(data.name) === (data.file ?? path.resolve(data.name));
    const name = path.basename(suite ?? data.file ?? data.name);
    if (name !== file.name) {
      yield line();
      file = { name, passed: 0, failed: 0, ms: 0 };
    }
    const seconds = (data.details?.duration_ms ?? 0) / 1000;
    if (data.nesting === 0) file.ms += seconds * 1000;
    if (seconds > SLOW && data.details?.type !== 'suite') {
      yield `  … ${name}: ${data.name} took ${seconds.toFixed(1)} s\n`;
    }
    const error = data.details?.error;
    if (type === 'test:fail') {
      if (error?.failureType === 'subtestsFailed') continue;
      yield failure(data, inspect(error?.cause ?? error, { depth: 6 }));
    } else if (data.details?.type === 'suite') {
      continue;
    } else if (isFile) {
      yield failure(data, 'There is no test in this file.');
    } else if (data.skip !== undefined || data.todo !== undefined) {
      yield failure(data, 'The test was skipped.');
    } else {
      file.passed++;
      total.passed++;
    }
  }
  yield line();
  if (process.env.TEST_COUNTS) writeFileSync(process.env.TEST_COUNTS, JSON.stringify(total));
}
