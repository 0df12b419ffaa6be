// Creating and disposing guards must leave memory as it was. Runs in a process of its own, as a
// module with `--expose-gc`; imported, it starts that process.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROUNDS = 10;
const GUARDS = 10_000;

/** @returns heap and wasm memory in bytes after each round of guards */
export const memory = () =>
  JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url)], { encoding: 'utf8' }),
  );

async function measure() {
  // The package keeps its memory to itself, so it is caught when it is made.
  let wasm;
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function (...given) {
    const instance = new Instance(...given);
    wasm = instance.exports.memory;
    return instance;
  };
  const { createApprovalGuard } = await import('../../pkg/index.js');
  const { prime } = await import('./deciding.mjs');
  const { answering } = await import('./chats.mjs');
  const chat = answering(2);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let i = 0; i < GUARDS; i++) {
      const guard = createApprovalGuard({ chatId: 'chat' });
      const unsubscribe = guard.subscribe(() => {});
      void prime(guard, chat.before);
      guard.sendAutomaticallyWhen({ messages: chat.open });
      guard.getSnapshot();
      if (i % 2) guard.sendAutomaticallyWhen({ messages: chat.settled });
      unsubscribe();
      guard.dispose();
    }
    const time = performance.now() - start;
    // Leases end with the turn.
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
    globalThis.gc();
    rounds.push({
      heap: process.memoryUsage().heapUsed,
      wasm: wasm.buffer.byteLength,
      micros: (time * 1000) / GUARDS,
    });
  }
  console.log(JSON.stringify({ guards: GUARDS, rounds }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await measure();
