// The item of the registry, installed with the real CLI of shadcn, from a path and without a network.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { registryItemSchema } from 'shadcn/schema';

import { root, run } from '../support/process.mjs';
import { app, addItem, item, shadcn } from './support/app.mjs';

const INSTALLED = 'src/components/tool-approval-guard/confirmation.tsx';

/** An application in a folder of its own. */
function emptyApp(t, change = (config) => config) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tool-approval-guard-app-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['components.json', 'package.json', 'tsconfig.json']) {
    cpSync(path.join(root, 'tests/ai-elements/app', name), path.join(folder, name));
  }
  const file = path.join(folder, 'components.json');
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
  return folder;
}

describe('the item of the registry', { concurrency: 2 }, () => {
  test('the item is one of the schema of shadcn, and asks for nothing from its registry', () => {
    const { registryDependencies, dependencies } = registryItemSchema.parse(
      JSON.parse(readFileSync(item, 'utf8')),
    );
    assert.equal(registryDependencies, undefined);
    assert.equal(dependencies, undefined);
  });

  test('it is what `shadcn build` makes of the registry', async (t) => {
    const folder = emptyApp(t);
    const source = path.join(root, 'pkg-template', 'registry');
    await shadcn(source, 'registry', 'validate', './registry.json');
    await shadcn(source, 'build', './registry.json', '--output', folder);
    const built = JSON.parse(readFileSync(path.join(folder, 'confirmation.json'), 'utf8'));
    assert.deepEqual(JSON.parse(readFileSync(item, 'utf8')), built);
  });

  test('`shadcn add` installs it from a path, with the aliases of the project', async (t) => {
    const folder = emptyApp(t, (config) => ({
      ...config,
      aliases: { ...config.aliases, ui: '@/design', utils: '@/tools/cn' },
    }));
    await addItem(folder);
    const text = readFileSync(path.join(folder, INSTALLED), 'utf8');
    const imports = [...text.matchAll(/^import .* from '(@\/[^']+)'|^import .* from "(@\/[^"]+)"/gm)];
    assert.deepEqual(
      imports.map(([, one, two]) => one ?? two),
      ['@/design/alert', '@/design/button', '@/tools/cn'],
    );
  });

  test('the application compiles with it', async () => {
    const file = path.join(app, INSTALLED);
    assert.ok(readFileSync(file, 'utf8').includes('export function Confirmation('), 'it is installed');
    await run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '--project', app]);
  });
});
