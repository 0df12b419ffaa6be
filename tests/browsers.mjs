// Runs what only a browser can show in each browser: `npm run test:browsers -- [chromium|firefox|webkit …]`. Ends in a
// table and the line `N passed, N failed`; a part in which nothing ran has failed.
import path from 'node:path';

import { setUp } from './setup.mjs';
import { firefoxPath, launchBrowser } from './support/browsers.mjs';
import { chromiumPath } from './support/chromium.mjs';
import { root, run, since } from './support/process.mjs';

const begin = performance.now();
const PARTS = ['browser', 'record', 'queue', 'demo'];
/** Whether several pages of one record were ever tried there. */
const has = (browser, part) => part !== 'record' || browser !== 'webkit';

/** The version that a browser says of itself. */
const versions = {
  chromium: () => versionOf(chromiumPath()),
  firefox: () => versionOf(firefoxPath()),
  // Its small browser is started only by its driver, and is as old as the library it lies beside.
  webkit: async () => {
    const browser = await launchBrowser('webkit');
    try {
      const context = await browser.newContext();
      await context.close();
      return browser.version();
    } finally {
      await browser.close();
    }
  },
};

async function versionOf(program) {
  const { stdout } = await run(program, ['--version']);
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in versions));
if (unknown.length > 0) {
  console.error(`There is no browser ${unknown.join(', ')}; there are ${Object.keys(versions).join(', ')}.`);
  process.exit(2);
}
const browsers = Object.keys(versions).filter((name) => asked.length === 0 || asked.includes(name));

if (!(await setUp('browsers'))) process.exit(1);
console.log('\nbuild: the package');
await run(process.execPath, [path.join(root, 'pkg-template', 'build.mjs')], { show: true });

const rows = [];
for (const browser of browsers) {
  const version = await versions[browser]();
  console.log(`\n${browser} ${version}`);
  const parts = PARTS.filter((part) => has(browser, part));
  const args = [path.join(root, 'tests', 'run.mjs'), '--built', '--all', ...parts];
  const { output } = await run(process.execPath, args, { env: { BROWSER: browser }, show: true, may: true });
  for (const part of parts) {
    const last = [...output.matchAll(new RegExp(`^${part}: (\\d+) passed, (\\d+) failed \\(`, 'gm'))].at(-1);
    const [passed, failed] = last ? [Number(last[1]), Number(last[2])] : [0, 1];
    rows.push({ browser, version, part, passed, failed });
  }
}

console.log('');
console.table(rows);
const sum = (of) => rows.reduce((total, row) => total + row[of], 0);
console.log(`(${since(begin)})`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
if (sum('failed') > 0) process.exitCode = 1;
