// Loaded before the tests. Node's runner follows each promise and timer to the test that made it, with a hook that costs a fifth
// of the time of tests with many promises. All that the runner needs is the suite in which a test is written, and that suite is
// what runs meanwhile. An error that no test waits for still fails the run: it is printed here, and the reporter counts it.
import asyncHooks from 'node:async_hooks';

const { createHook, executionAsyncId, executionAsyncResource } = asyncHooks;

/** What the runner does with each resource. It keeps those that are tests or suites. */
let keep;

asyncHooks.createHook = ({ init }) => {
  keep = init;
  return { enable() {}, disable() {} };
};
// The runner asks where it is whenever a test, a suite or something before or after them is written.
asyncHooks.executionAsyncId = () => {
  const id = executionAsyncId();
  keep?.(id, '', id, executionAsyncResource());
  return id;
};
// It takes both when it is loaded, and nobody else gets them.
await import('node:test');
Object.assign(asyncHooks, { createHook, executionAsyncId });

for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) => console.error(error));
