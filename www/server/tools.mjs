import { tool } from 'ai';
import { z } from 'zod';
import { targetOf } from '../shared/calls.mjs';

/**
 * @import { ScenarioId } from '../shared/protocol.ts'
 * @import { Session } from './session.mjs'
 */

const path = z.string().describe('a file name of the folder');

const mail = z.object({ to: z.email(), subject: z.string(), text: z.string() });

/** The tools whose input a person may change before allowing a call, and what a changed one has to fit. */
export const EDITABLE = { send_mail: mail };

/**
 * The tools of one session. All but the first change something, and so need a person.
 *
 * @param {Session} session
 * @param {ScenarioId} scenario
 */
export function toolsFor(session, scenario) {
  /**
   * @template I, T
   * @param {string} toolName
   * @param {(input: I) => Promise<T>} work
   * @returns {(input: I, options: { toolCallId: string }) => Promise<T>}
   */
  const counted =
    (toolName, work) =>
    (input, { toolCallId }) =>
      session.run({ toolCallId, toolName, target: targetOf(input) }, async () => {
        if (scenario === 'claims') await session.pace.slowTool();
        return work(input);
      });

  return {
    list_files: tool({
      description: 'List the files of the folder',
      inputSchema: z.object({}),
      execute: counted('list_files', () => session.list()),
    }),
    delete_file: tool({
      description: 'Delete a file',
      inputSchema: z.object({ path }),
      execute: counted('delete_file', (/** @type {{ path: string }} */ input) => session.delete(input.path)),
    }),
    rename_file: tool({
      description: 'Rename a file',
      inputSchema: z.object({ from: path, to: path }),
      execute: counted('rename_file', (/** @type {{ from: string, to: string }} */ input) =>
        session.rename(input.from, input.to),
      ),
    }),
    write_note: tool({
      description: 'Append a line to a file',
      inputSchema: z.object({ path, text: z.string() }),
      execute: counted('write_note', (/** @type {{ path: string, text: string }} */ input) =>
        session.append(input.path, input.text),
      ),
    }),
    send_mail: tool({
      description: 'Send a mail',
      inputSchema: mail,
      // It stays here: what was to be sent is shown, and nothing leaves.
      execute: counted('send_mail', async (/** @type {{ to: string }} */ { to }) => ({ sent: to })),
    }),
    // Without `execute`: the page shows a picker and puts the output in.
    pick_file: tool({
      description: 'Ask the user to pick one of the files',
      inputSchema: z.object({ question: z.string() }),
      outputSchema: z.object({ path }),
    }),
  };
}

/**
 * Which calls need a person. With rules everything asks, and the page answers for what its rules are about.
 *
 * @param {ScenarioId} scenario
 * @returns {import('ai').ToolApprovalConfiguration<ReturnType<typeof toolsFor>, never>}
 */
export const toolApprovalFor = (scenario) => ({
  ...(scenario === 'rules' && { list_files: 'user-approval' }),
  delete_file: ({ path }) =>
    path === '.env' ? { type: 'denied', reason: 'The server protects this file' } : 'user-approval',
  rename_file: 'user-approval',
  write_note: 'user-approval',
  send_mail: 'user-approval',
});
