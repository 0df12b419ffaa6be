// The function `accepted` as it stands in the guide about transports.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { transformSync } from 'esbuild';

const { resolve } = createRequire(import.meta.url);
const installed = path.dirname(resolve('tool-approval-guard/package.json'));
const guide = readFileSync(path.join(installed, 'docs', 'transports.md'), 'utf8');
const [source] = [...guide.matchAll(/```ts\n([^]*?)```/g)]
  .map(([, code]) => code)
  .filter((code) => code.includes('export function accepted'));
const { code } = transformSync(source, { loader: 'ts' });
const { accepted: wrap } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

/** The same, with what a scene reads of a transport. */
export const accepted = (inner, statusOf) =>
  Object.assign(wrap(inner, statusOf), { requests: inner.requests, busy: false });
