// A server whose tool is a workflow of DBOS: `node dbos.mjs <address of a PostgreSQL> <folder> [dies]`. It prints what it
// was told of the call, and with `dies` it waits between the two steps of the workflow until it is killed.
import { appendFileSync } from 'node:fs';
import path from 'node:path';

import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { createClaims, idempotencyKey, postgresClaims } from 'tool-approval-guard/claims';

import { sdk7 } from '../../package/support/sdk.mjs';
import { answered, assistant, user } from '../../package/support/stored.mjs';

const [url, folder, dies] = process.argv.slice(2);
const note = (line) => appendFileSync(path.join(folder, 'effects'), `${line}\n`);

const transfer = DBOS.registerWorkflow(
  async ({ amount }) => {
    await DBOS.runStep(async () => note(`withdraw ${amount}`), { name: 'withdraw' });
    if (dies) {
      process.stdout.write('half\n');
      await new Promise(() => setInterval(() => {}, 1_000));
    }
    await DBOS.runStep(async () => note(`deposit ${amount}`), { name: 'deposit' });
    return { transferred: amount };
  },
  { name: 'transfer' },
);

DBOS.setConfig({ name: 'transfers', systemDatabaseUrl: url, logLevel: 'error' });
await DBOS.launch();
const pool = new pg.Pool({ connectionString: url });
const claims = createClaims({ store: postgresClaims(pool), leaseMs: 500 });

// Both functions as in the guide.
const tool = {
  execute: async (input, options) => {
    const handle = await DBOS.startWorkflow(transfer, { workflowID: idempotencyKey(options) })(input);
    return handle.getResult();
  },
};
async function lookAfter() {
  for (const call of await claims.inDoubt()) {
    if ((await DBOS.getWorkflowStatus(call.approvalId)) === null) continue;
    await claims.settle(call, { output: await DBOS.getResult(call.approvalId) });
  }
}

const yes = [user(), assistant('a1', { ...answered('c1', 'transfer', true), input: { amount: 7 } })];
if (!dies) await lookAfter();
const { run, done, error } = await claims.take('chat', yes);
process.stdout.write(
  `${JSON.stringify({ run: run.length, results: done.map(({ result }) => result), error })}\n`,
);
if (run.length > 0) {
  const tools = claims.tools({ transfer: tool }, { chatId: 'chat' });
  const messages = await sdk7.ai.convertToModelMessages(yes);
  await tools.transfer.execute({ amount: 7 }, { toolCallId: 'c1', messages });
}
await DBOS.shutdown();
await pool.end();
