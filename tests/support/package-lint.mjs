// What the linters of packages say of the tarball.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

import { root, run } from './process.mjs';

/** An ES module and nothing else: `require` of one is what Node 20.19 and later do by themselves. */
const PROFILE = 'esm-only';

/**
 * @param {string} tarball
 * @returns {[string, () => Promise<void>][]} the checks
 */
export function packageLint(tarball) {
  return [
    [
      'publint --strict',
      async () => {
        const { buffer } = new Uint8Array(readFileSync(tarball));
        // Suggestions too.
        const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
        if (messages.length > 0) {
          throw new Error(
            messages.map((message) => formatMessage(message, pkg, { color: false })).join('\n'),
          );
        }
      },
    ],
    [
      `attw --profile ${PROFILE}`,
      async () => {
        const program = path.join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
        // A wildcard is looked at only where a file is named for it.
        const locales = ['--include-entrypoints', './locales/de', './locales/ar'];
        const args = [tarball, '--profile', PROFILE, '--format', 'ascii', '--no-color', '--no-emoji'];
        const { code, output } = await run(process.execPath, [program, ...args, ...locales], { may: true });
        if (code !== 0) throw new Error(output);
      },
    ],
  ];
}
