// What the tarball holds beside declarations, maps and sources: those are the ones that these files need.
const modules = ['claims', 'guard', 'record', 'redact', 'rules', 'server', 'verify'];
const entries = ['index', 'record', 'redact', 'rules', 'server', 'verify'];
const guides = [
  ...[
    'assistant-ui',
    'react',
    'next',
    'vue',
    'svelte',
    'angular',
    'without-a-framework',
    'adopting',
    'transports',
    'migration',
    'works-in',
    'entries',
    'terms',
    'limits',
    'what-it-does',
    'troubleshooting',
  ],
  ...['guard', 'decisions', 'queue', 'rules', 'record', 'backends', 'claims', 'threads', 'ai-elements'],
];
const reference = [
  ...[
    'README',
    'index',
    'slim',
    'claims',
    'claims/testing',
    'assistant-ui',
    'element',
    'escape',
    'react',
    'svelte',
    'angular',
    'vue',
  ],
  'words',
  'record/testing',
  ...['record', 'redact', 'rules', 'server', 'threads', 'verify'].flatMap((name) => [name, `${name}/slim`]),
];

export const contents = [
  ...['CHANGELOG.md', 'LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'package.json'],
  ...[
    'claims.js',
    'claims/testing.js',
    'assistant-ui.js',
    'element.js',
    'react.js',
    'escape.js',
    'svelte.js',
    'angular.js',
    'vue.js',
    'words.js',
    'locales/ar.js',
    'locales/de.js',
  ],
  ...entries.map((name) => `${name}.js`),
  ...['threads.js', 'threads/slim.js'],
  ...[...entries, 'claims', 'threads'].map((name) => `javascript/${name}.js`),
  ...['record', 'redact', 'rules', 'server', 'verify'].map((name) => `${name}/slim.js`),
  ...['slim.js', 'record/testing.js'],
  ...modules.map((name) => `${name}.wasm`),
  ...guides.map((name) => `docs/${name}.md`),
  ...reference.map((name) => `docs/api/${name}.md`),
  ...['backend.py', 'decisions.py', 'main.py', 'merge.py', 'requirements.txt', 'transport.mjs'].map(
    (name) => `examples/python/${name}`,
  ),
  'registry/confirmation.json',
  ...['decide', 'merge', 'normalize', 'rules', 'server'].map((name) => `vectors/${name}.json`),
].sort();
