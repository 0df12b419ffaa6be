// Runs in Miniflare what Wrangler has bundled.
import { Miniflare } from 'miniflare';

const worker = new Miniflare({
  modules: [{ type: 'ESModule', path: 'dist/worker.js' }],
  modulesRoot: 'dist',
  compatibilityDate: '2026-04-01',
});
try {
  const response = await worker.dispatchFetch('http://127.0.0.1/');
  console.log(await response.text());
} finally {
  await worker.dispose();
}
