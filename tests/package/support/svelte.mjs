// Svelte components and the `Chat` of an SDK, compiled as a bundler of an application would: once for
// browsers and once for servers. Everything that must share one copy of Svelte is in one bundle.
import { build } from 'esbuild';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, compileModule } from 'svelte/compiler';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);

const svelte = (generate) => ({
  name: 'svelte',
  setup(setup) {
    const compiled = (work) => (args) => {
      const { js, warnings } = work(readFileSync(args.path, 'utf8'), {
        generate,
        dev: true,
        filename: args.path,
      });
      // A warning here is about how the binding is used.
      const ours = warnings.filter(() => args.path.startsWith(here));
      return { contents: js.code, loader: 'js', warnings: ours.map((w) => ({ text: w.message })) };
    };
    setup.onLoad({ filter: /\.svelte$/ }, compiled(compile));
    setup.onLoad({ filter: /\.svelte\.js$/ }, compiled(compileModule));
  },
});

/** @param sdk the package with the `Chat` @param generate `client` or `server` */
export async function bundled(sdk, generate) {
  const { outputFiles, warnings } = await build({
    stdin: {
      contents: `
        export { Chat } from '${sdk}';
        export { default as Cards } from './Cards.svelte';
        export { default as Effects } from './Effects.svelte';
        export { default as Follow } from './Follow.svelte';
        export { default as Keyed } from './Keyed.svelte';
        export { default as Selected } from './Selected.svelte';
        export { useApprovalGuard } from 'tool-approval-guard/svelte';
        export * as svelte from 'svelte';
        ${generate === 'server' ? "export { render } from 'svelte/server';" : ''}`,
      resolveDir: here,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['svelte', 'development', ...(generate === 'client' ? ['browser'] : [])],
    banner: {
      js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);",
    },
    plugins: [svelte(generate)],
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(warnings.map((w) => w.text).join('\n'));
  const folder = mkdtempSync(path.join(tmpdir(), 'svelte-'));
  try {
    const file = path.join(folder, 'bundle.mjs');
    writeFileSync(file, outputFiles[0].text);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
