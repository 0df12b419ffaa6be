// Runs in Miniflare what Wrangler has bundled.
import { readdirSync } from 'node:fs';

import { Miniflare } from 'miniflare';

const wasm = readdirSync('dist').filter((name) => name.endsWith('.wasm'));
const worker = new Miniflare({
  // The first one is the Worker.
  modules: [
    { type: 'ESModule', path: 'dist/worker.js' },
    ...wasm.map((name) => ({ type: 'CompiledWasm', path: `dist/${name}` })),
  ],
  modulesRoot: 'dist',
  compatibilityDate: '2026-04-01',
});
try {
  const response = await worker.dispatchFetch('http://127.0.0.1/');
  console.log(await response.text());
} finally {
  await worker.dispose();
}
