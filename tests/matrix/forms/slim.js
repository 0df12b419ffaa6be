// Before its module is there an entry fails closed; a load that fails can be repeated; and then what was made before works.
import { createRecord, init as initRecord } from 'tool-approval-guard/record/slim';
import { createRules, init as initRules } from 'tool-approval-guard/rules/slim';
import { init as initServer, readDecisions } from 'tool-approval-guard/server/slim';
import { createApprovalGuard, init as initGuard } from 'tool-approval-guard/slim';
import { init as initVerify, verifyRecord } from 'tool-approval-guard/verify/slim';

import * as sources from './sources.js';
import { begin } from './use.js';

const face = { createApprovalGuard, createRecord, createRules, readDecisions, verifyRecord };
const inits = {
  guard: initGuard,
  record: initRecord,
  rules: initRules,
  server: initServer,
  verify: initVerify,
};

export async function answer() {
  const use = begin(face);
  const early = await use();
  const failed = {};
  for (const [name, init] of Object.entries(inits)) {
    failed[name] = await init(new Uint8Array(8)).then(
      () => 'loaded',
      (error) => error.code ?? String(error),
    );
    await init(sources[name]);
  }
  return { early, failed, later: await use() };
}
