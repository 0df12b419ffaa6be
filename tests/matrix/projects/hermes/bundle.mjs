// Bundles the app as React Native does, and compiles the bundle for Hermes.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import Metro from 'metro';

const { resolve } = createRequire(import.meta.url);
const project = path.resolve('.');
const defaults = await Metro.loadConfig({ cwd: project }, { projectRoot: project });
const modules = path.resolve('..', 'node_modules');
const config = {
  ...defaults,
  watchFolders: [
    project,
    ...['tool-approval-guard', 'web-streams-polyfill', 'metro-runtime', '@babel/runtime'].map((name) =>
      path.join(modules, name),
    ),
  ],
  // As @react-native/metro-config has them.
  resolver: {
    ...defaults.resolver,
    unstable_conditionNames: ['require', 'react-native'],
    useWatchman: false,
  },
  transformer: {
    ...defaults.transformer,
    babelTransformerPath: resolve('@react-native/metro-babel-transformer'),
  },
  reporter: { update: () => {} },
  cacheStores: [],
  maxWorkers: 1,
};
mkdirSync('dist');
const out = path.resolve('dist', 'main');
await Metro.runBuild(config, { entry: 'index.js', dev: false, minify: false, platform: 'android', out });
const compiler = path.join(modules, 'hermes-compiler', 'hermesc', 'linux64-bin', 'hermesc');
execFileSync(compiler, ['-w', '-emit-binary', '-O', '-out', 'dist/main.hbc', 'dist/main.js'], {
  stdio: 'inherit',
});
