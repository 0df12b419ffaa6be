// Runs the bundle in QuickJS, which has the language and nothing of a platform. Its host gives it a console and timers.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';

const QuickJS = await newQuickJSWASMModuleFromVariant(variant);
const context = QuickJS.newContext();
const timers = new Map();
let last = 0;
const functions = {
  print: (...given) => console.log(...given.map((value) => context.dump(value))),
  setTimeout: (work, ms) => {
    last += 1;
    timers.set(last, { work: work.dup(), at: performance.now() + (context.dump(ms) || 0) });
    return context.newNumber(last);
  },
  clearTimeout: (id) => void timers.delete(context.dump(id)),
};
for (const [name, work] of Object.entries(functions)) {
  context.setProp(context.global, name, context.newFunction(name, work));
}
context.unwrapResult(context.evalCode('globalThis.console = { log: print, warn: print, error: print };'));
context.unwrapResult(context.evalCode(readFileSync('dist/program.js', 'utf8'), 'program.js'));

/** Runs the promises that are due. */
const settle = () => context.unwrapResult(context.runtime.executePendingJobs());
settle();
while (timers.size > 0) {
  const [id, timer] = [...timers].sort(([, one], [, other]) => one.at - other.at)[0];
  await wait(Math.max(0, timer.at - performance.now()));
  timers.delete(id);
  context.unwrapResult(context.callFunction(timer.work, context.undefined));
  settle();
}
