import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: { 'tool-approval-guard': fileURLToPath(new URL('../pkg/index.js', import.meta.url)) },
  },
  // The default limit warns about a React page with the AI SDK in it.
  build: { chunkSizeWarningLimit: 2000 },
});
