// Plays what depends on others with the newest that they have published: `npm run sdk:check`, after a build. These are both
// majors of `ai`, its newest pre-release if that is newer than its release, the transport of `@ai-sdk/workflow`, and
// `@assistant-ui/ai-sdk`. If every cell of the page *What it does* of the package is true for the newest release,
// the version above the table becomes that one; otherwise the cells that are not are listed, and the page stays as it is.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import semver from 'semver';

import { pack } from './support/pack.mjs';
import { CommandError, root, run } from './support/process.mjs';

const at = (...parts) => path.join(root, ...parts);
const source = at('pkg-template', 'docs', 'what-it-does.md');
/** The sentence above the table. */
const SENTENCE = /(The second column is the behaviour of `ai` )[\d.]+(?:-[\w.]+)?( with)/;

const withVersion = (text, version) => {
  if (!SENTENCE.test(text)) throw new Error('The sentence above the table What it does was not found.');
  return text.replace(SENTENCE, `$1${version}$2`);
};

const SDK = ['what-it-does', 'reports', 'sdk-transports'];
const ASSISTANT_UI = ['assistant-ui', 'assistant-ui-parts'];

/** Everything that `ai` has published. */
const { stdout } = await run('npm', ['view', 'ai', 'versions', '--json']);
const versions = JSON.parse(stdout);
const release = semver.maxSatisfying(versions, '7');
const newest = semver.rsort(versions.filter((version) => semver.prerelease(version)))[0];
const prerelease = semver.gt(newest, release) ? newest : undefined;
console.log(
  prerelease
    ? `The newest pre-release of ai is ${prerelease}.`
    : `No pre-release of ai is newer than ${release}.`,
);

/** What is played together: the packages, and the tests. What a set does not name is the one that is pinned. */
const sets = [
  {
    name: 'the newest releases of ai 7 and 6, and of @ai-sdk/workflow',
    ai: release,
    packages: [
      `ai@${release}`,
      '@ai-sdk/react@4',
      'ai6@npm:ai@6',
      'react6@npm:@ai-sdk/react@3',
      '@ai-sdk/workflow@2',
      'react',
      'react-dom',
    ],
    tests: SDK,
    writes: true,
  },
  {
    name: 'the newest @assistant-ui/ai-sdk',
    ai: release,
    packages: [
      `ai@${release}`,
      '@ai-sdk/react@4',
      ...['ai-sdk', 'react-ai-sdk', 'react', 'core', 'store', 'tap'].map((name) => `@assistant-ui/${name}`),
      'assistant-cloud',
      'assistant-stream',
      'react',
      'react-dom',
    ],
    tests: ASSISTANT_UI,
  },
  ...(prerelease
    ? [{ name: `ai ${prerelease}`, ai: prerelease, packages: [`ai@${prerelease}`, 'react'], tests: SDK }]
    : []),
];

/** Installs a set beside the packed package, and plays its tests. Returns what has failed. */
async function play({ name, ai, packages, tests }, i) {
  const project = at('target', `sdk-check-${i}`);
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  // Without the peers of `@ai-sdk/workflow`, which are a server.
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps'];
  try {
    await run('npm', ['install', ...packages, ...options], { cwd: project });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [
      `  ✖ ${name} cannot be installed: ${error.result.output.trim().split('\n').slice(0, 3).join(' ')}`,
    ];
  }
  // After the installation, which removes what it does not know.
  const installed = path.join(project, 'node_modules', 'tool-approval-guard');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', await pack(), '-C', installed, '--strip-components=1']);
  const page = path.join(installed, 'docs', 'what-it-does.md');
  writeFileSync(page, withVersion(readFileSync(page, 'utf8'), ai));
  for (const folder of ['tests/package', 'tests/support'])
    cpSync(at(folder), path.join(project, folder), { recursive: true });
  const files = tests.map((test) => path.join(project, 'tests', 'package', `${test}.test.mjs`));
  const { code, output } = await run(process.execPath, ['--test', '--test-reporter=spec', ...files], {
    env: { NODE_TEST_CONTEXT: undefined },
    may: true,
  });
  if (code === 0) return [];
  const failed = output.split('\n').filter((line) => /^ *✖ /.test(line));
  return failed.length > 0 ? failed : [output.trim().split('\n').slice(-5).join('\n')];
}

for (const [i, set] of sets.entries()) {
  const failed = await play(set, i);
  if (failed.length > 0) {
    console.error([`Not everything is true beside ${set.name}:`, ...failed].join('\n'));
    process.exitCode = 1;
    continue;
  }
  console.log(`Everything is true beside ${set.name}.`);
  if (!set.writes) continue;
  const text = readFileSync(source, 'utf8');
  const next = withVersion(text, set.ai);
  if (next !== text) writeFileSync(source, next);
}
