// What the tarball holds beside declarations, maps and sources: those are the ones that these files need.
export const contents = [
  ...['CHANGELOG.md', 'LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'package.json'],
  ...['element.js', 'react.js', 'show.js', 'svelte.js', 'vue.js', 'locales/ar.js', 'locales/de.js'],
  ...['index.js', 'record.js', 'rules.js', 'verify.js'],
  ...['slim/index.js', 'slim/record.js', 'slim/rules.js'],
  ...['workerd/index.js', 'workerd/record.js', 'workerd/rules.js', 'workerd/verify.js'],
  ...['guard.wasm', 'record.wasm', 'rules.wasm'],
].sort();
