// The package as it would be published.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { root, run } from './process.mjs';

let tarball = process.env.PACKED_TARBALL;
/** Packs pkg/ once, and says where. `PACKED_TARBALL` says where it is already. */
export async function pack() {
  if (tarball) return tarball;
  const folder = path.join(root, 'target', 'tarball');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: path.join(root, 'pkg'),
  });
  [tarball] = readdirSync(folder).map((name) => path.join(folder, name));
  return tarball;
}
