import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

/** @param {string} path */
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  plugins: [
    vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'tool-approval-queue' } } }),
  ],
  resolve: {
    // The package for Vue brings an older one of its own. There is one here, as in the types.
    dedupe: ['ai'],
    alias: [
      { find: /^tool-approval-guard$/, replacement: at('../pkg/index.js') },
      { find: /^tool-approval-guard\/(.+)$/, replacement: `${at('../pkg')}/$1.js` },
    ],
  },
  build: {
    rolldownOptions: { input: [at('index.html'), at('vue.html'), at('rules.html'), at('events.html')] },
    // The default limit warns about a page with the AI SDK in it.
    chunkSizeWarningLimit: 2000,
  },
});
