// Decoding, compiling and instantiating the module: the first use in a fresh process of Node.
import { execFileSync } from 'node:child_process';

const entry = new URL('../../pkg/index.js', import.meta.url).href;

const SCRIPT = `
  const begin = performance.now();
  const { createApprovalGuard } = await import(${JSON.stringify(entry)});
  const imported = performance.now();
  createApprovalGuard({ onError: (error) => { throw error; } }).sendAutomaticallyWhen({ messages: [] });
  const used = performance.now();
  console.log(JSON.stringify({ load: imported - begin, use: used - imported }));`;

/** @returns for each process the milliseconds of the import, and of the first use after it */
export const startsInNode = (count) =>
  Array.from({ length: count }, () =>
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], { encoding: 'utf8' }),
    ),
  );
