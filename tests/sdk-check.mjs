// Plays the table *What it does* of the package's README with the newest published `ai`: `npm run sdk:check`, after a
// build. If every cell is true, the version above the table becomes that one; otherwise the cells that are not are
// listed, and the README stays as it is.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { pack } from './support/pack.mjs';
import { root, run } from './support/process.mjs';

const at = (...parts) => path.join(root, ...parts);
const project = at('target', 'sdk-check');
const installed = path.join(project, 'node_modules', 'tool-approval-guard');
const source = at('pkg-template', 'README.md');
/** The sentence above the table. */
const SENTENCE = /(The second column is the behaviour of `ai` )[\d.]+( with)/;

const withVersion = (text, version) => {
  if (!SENTENCE.test(text)) throw new Error('The sentence above the table What it does was not found.');
  return text.replace(SENTENCE, `$1${version}$2`);
};

rmSync(project, { recursive: true, force: true });
mkdirSync(project, { recursive: true });
writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
const packages = ['ai@7', '@ai-sdk/react@4', 'react'];
await run('npm', ['install', ...packages, '--no-audit', '--no-fund', '--no-package-lock'], { cwd: project });
const manifest = readFileSync(path.join(project, 'node_modules', 'ai', 'package.json'), 'utf8');
const { version } = JSON.parse(manifest);

// After the installation, which removes what it does not know.
mkdirSync(installed, { recursive: true });
await run('tar', ['-xzf', await pack(), '-C', installed, '--strip-components=1']);
const readme = path.join(installed, 'README.md');
writeFileSync(readme, withVersion(readFileSync(readme, 'utf8'), version));
cpSync(at('tests', 'package'), path.join(project, 'tests', 'package'), { recursive: true });

const test = path.join(project, 'tests', 'package', 'what-it-does.test.mjs');
const { code, output } = await run(process.execPath, ['--test', '--test-reporter=spec', test], {
  env: { NODE_TEST_CONTEXT: undefined },
  may: true,
});
if (code === 0) {
  const text = readFileSync(source, 'utf8');
  const next = withVersion(text, version);
  if (next !== text) writeFileSync(source, next);
  console.log(`Every cell of the table What it does is true for ai ${version}.`);
} else {
  const failed = output.split('\n').filter((line) => line.startsWith('  ✖ '));
  console.error([`Not all of the table What it does is true for ai ${version}:`, ...failed].join('\n'));
  process.exitCode = 1;
}
