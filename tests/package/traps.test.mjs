// A guard whose WebAssembly traps. The module contains no messages for this, so the trap alone has to be
// enough.
import { test } from 'node:test';
import assert from 'node:assert/strict';

// The instances of a module are not exposed; a test that needs their memory has to observe their creation. A module that is
// JavaScript has no instance: there the memory that it next asks for is refused.
const instances = [];
const isJavaScript = import.meta.resolve('tool-approval-guard/sync').includes('/javascript/');
const { Instance } = WebAssembly;
WebAssembly.Instance = new Proxy(Instance, {
  construct(target, args) {
    const instance = new target(...args);
    // Another module, which imports nothing, only reads the text of the one that is meant.
    if (args.length > 1) instances.push(instance);
    return instance;
  },
});
const { createApprovalGuard } = await import('tool-approval-guard/sync');
const { createRecord } = await import('tool-approval-guard/record');
const { answered, asking, assistant, user } = await import('./support/stored.mjs');

const PAGE = 65_536;
/** What is left for the next guard, in pages: it needs less than one list of thousands of calls. */
const LEFT = 4;
/** Takes nearly all the memory that a module can have, so that it panics when it next needs much. */
function exhaust(instance) {
  if (isJavaScript) {
    globalThis.ArrayBuffer = class extends ArrayBuffer {
      constructor() {
        throw new RangeError('Array buffer allocation failed');
      }
    };
    return;
  }
  const { exports } = instance;
  const memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
  memory.grow(PAGE - LEFT - memory.buffer.byteLength / PAGE);
}
const request = (messages) => ({
  trigger: 'submit-message',
  chatId: 's',
  messageId: undefined,
  messages,
  abortSignal: undefined,
});

test('a panic is a reported trap, and the guard fails closed', async () => {
  const errors = [];
  const record = createRecord();
  const guard = createApprovalGuard({ chatId: 's', record, onError: (error) => errors.push(error) });
  const sent = [];
  const transport = guard.transport({
    sendMessages: async ({ messages }) => (
      sent.push(messages),
      new ReadableStream({ start: (controller) => controller.close() })
    ),
    reconnectToStream: async () => null,
  });
  guard.observe([user(), assistant('a1', asking('c1', 'rm'))]);
  guard.attach({ messages: [], addToolApprovalResponse() {} });
  guard.getSnapshot();
  let told = 0;
  guard.subscribe(() => told++);

  exhaust(instances[0]);
  const many = Array.from({ length: 60_000 }, (_, i) => answered(`x${i}`, 'ls', true));
  assert.equal(guard.sendAutomaticallyWhen({ messages: [user(), assistant('a1', ...many)] }), false);
  assert.deepEqual(
    errors.map(({ code }) => code),
    ['wasm-trapped'],
  );
  if (isJavaScript) assert.equal(errors[0].cause.name, 'Trap');
  else assert.ok(errors[0].cause instanceof WebAssembly.RuntimeError);
  assert.ok(told > 0, 'who shows it is told');
  assert.equal(guard.explain().reason, 'unavailable');
  assert.deepEqual(guard.getSnapshot().calls, []);
  assert.equal(guard.decide('ap-c1', 'allow-once').type, 'refused');
  const { type, reason } = guard.commit();
  assert.deepEqual([type, reason], ['refused', 'unavailable']);
  const yes = [user(), assistant('a1', answered('c1', 'rm', true))];
  assert.equal(guard.sendAutomaticallyWhen({ messages: yes }), false);
  await assert.rejects(transport.sendMessages(request(yes)), { code: 'wasm-trapped' });
  await transport.sendMessages(request([user()]));
  assert.deepEqual(sent, [[user()]]);

  guard.dispose();
  const next = createApprovalGuard({ chatId: 's', record, onError: (error) => errors.push(error) });
  next.observe([user(), assistant('a1', asking('c1', 'rm'))]);
  assert.equal(errors.at(-1).code, 'wasm-trapped', 'its record is free for the next guard');
  assert.equal(next.getSnapshot().calls[0].status, 'asking');
});
