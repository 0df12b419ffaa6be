// The build replaces what formats in the module of the rules by traps (`FORMATS` in pkg-template/build.mjs).
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { root } from '../support/process.mjs';

const folder = path.join(root, 'src', 'rules');
/** `platform.rs` formats in what stands natively for the browser. */
const left = /tests\.rs$|properties\.rs$|\/platform\.rs$/;

test('the rules format nothing', () => {
  const files = readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name));
  const used = ['core/json', 'core/sort', 'web/rules'];
  const others = used.map((name) => path.join(root, 'src', `${name}.rs`));
  const sources = [...files, ...others].filter((file) => /\.rs$/.test(file));
  assert.ok(sources.length > 20);
  for (const file of sources.filter((file) => !left.test(file))) {
    const [code] = readFileSync(file, 'utf8').split(/^mod tests \{/m);
    assert.doesNotMatch(code.replaceAll(/\/\/.*/g, ''), /\b(format|write|writeln)!|\.to_string\(\)/, file);
  }
});
