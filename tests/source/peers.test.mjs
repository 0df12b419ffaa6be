// Which versions of `ai` can be installed beside the package, as npm decides it.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import semver from 'semver';

const manifest = JSON.parse(
  readFileSync(new URL('../../pkg-template/package.json', import.meta.url), 'utf8'),
);
const { ai } = manifest.peerDependencies;

/** The first and the last version of each line that npm has. */
const TAKEN = [
  ['6.0.0-beta.46', '6.0.0-beta.169'],
  ['6.0.0', '6.0.326'],
  ['7.0.0-beta.5', '7.0.0-beta.187'],
  ['7.0.0-canary.130', '7.0.0-canary.176'],
  ['7.0.0', '7.0.173', '7.12.0'],
].flat();
const REFUSED = ['5.0.0', '5.0.210', '5.1.0-beta.28', '8.0.0-canary.1', '8.0.0', '9.0.0'];

test('the peer range takes the releases and pre-releases of 6 and 7, and no other major', () => {
  assert.ok(semver.validRange(ai), ai);
  for (const version of TAKEN) assert.ok(semver.satisfies(version, ai), `${version} is taken`);
  for (const version of REFUSED) assert.ok(!semver.satisfies(version, ai), `${version} is refused`);
});
