// Projects that have the packed package, in which tests run as they would in an application.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { pack } from './pack.mjs';
import { root, run } from './process.mjs';

const at = (...parts) => path.join(root, ...parts);

/**
 * A project beside the tests that has the packed package, where the packages of the SDK are found
 * in the node_modules above: so the tests meet what is published, and need no network.
 */
export async function packedProject(name, ...folders) {
  const project = at('target', name);
  const place = path.join(project, 'node_modules', 'tool-approval-guard');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  await run('tar', ['-xzf', await pack(), '-C', place, '--strip-components=1']);
  for (const folder of folders) {
    if (existsSync(at(folder))) cpSync(at(folder), path.join(project, folder), { recursive: true });
  }
  return project;
}

/** An empty project with the package installed from its tarball, and no other package in reach. */
export async function emptyProject() {
  const project = mkdtempSync(path.join(tmpdir(), 'tool-approval-guard-'));
  for (let place = project; place !== path.dirname(place); place = path.dirname(place)) {
    if (existsSync(path.join(place, 'node_modules'))) {
      throw new Error(`${place} has a node_modules, so ${project} is no empty project: set TMPDIR.`);
    }
  }
  for (const part of ['scene', 'projects/script']) {
    cpSync(at('tests', 'matrix', part), project, { recursive: true });
  }
  cpSync(at('tests', 'matrix', 'forms', 'default.js'), path.join(project, 'answer.js'));
  writeFileSync(path.join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const args = ['install', await pack(), '--offline', '--no-audit', '--no-fund', '--no-package-lock'];
  await run('npm', args, { cwd: project });
  return project;
}
