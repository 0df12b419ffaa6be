// How the program is called.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';

/** @import { ScenarioId } from '../shared/protocol.ts' */

/** Here nothing has an editor, rules, a record or a second page. @type {Record<Exclude<ScenarioId, 'mail' | 'rules' | 'record' | 'claims'>, string>} */
const SCENARIOS = {
  batch: 'three calls, one of them dangerous',
  pair: 'two deletes',
  picker: 'a question of the assistant beside a call that asks',
  empty: 'an answer that gets lost',
  chain: 'three steps in a row',
  failing: 'a request that fails once',
  grant: 'calls that one answer may cover',
  expiry: 'a request that expires after thirty seconds',
  looping: 'an assistant that insists',
};

export const HELP = `Usage: node www/terminal/main.mjs [--scenario NAME] [--server URL] [--chat ID] [--expires SECONDS]

--scenario  what the scripted assistant does (default: batch)
${Object.entries(SCENARIOS)
  .map(([name, what]) => `              ${name.padEnd(8)}  ${what}`)
  .join('\n')}
--server    a server that runs already, such as http://localhost:4173 (default: one of its own)
--chat      the id of the chat (default: a new one)
--expires   how long a request waits, in seconds (default: for ever)

With piped input each line is a message, nobody is asked, and each call that asks is denied.
`;

/** Ends with 2. */
export class BadArguments extends Error {}

/** @throws {BadArguments} */
export function readArguments() {
  const string = /** @type {const} */ ({ type: 'string' });
  /** @type {{ scenario?: string, server?: string, chat?: string, expires?: string, help?: boolean }} */
  let values;
  try {
    const options = {
      scenario: string,
      server: string,
      chat: string,
      expires: string,
      help: { type: /** @type {const} */ ('boolean') },
    };
    ({ values } = parseArgs({ options }));
  } catch (error) {
    throw new BadArguments(error instanceof Error ? error.message.split('. ')[0] : String(error));
  }
  const {
    scenario = 'batch',
    server,
    chat = randomUUID(),
    expires = scenario === 'expiry' ? '30' : undefined,
  } = values;
  if (!Object.hasOwn(SCENARIOS, scenario)) {
    throw new BadArguments(
      `There is no scenario ${scenario}; there are ${Object.keys(SCENARIOS).join(', ')}`,
    );
  }
  if (server !== undefined && !/^https?:$/.test(URL.canParse(server) ? new URL(server).protocol : '')) {
    throw new BadArguments('--server needs the URL of a server, such as http://localhost:4173');
  }
  if (!/^[\w-]{1,64}$/.test(chat))
    throw new BadArguments('--chat needs letters, digits, - and _, at most 64');
  const seconds = expires === undefined ? undefined : Number(expires);
  if (seconds !== undefined && !(seconds >= 1 && seconds <= 86_400)) {
    throw new BadArguments('--expires needs a number of seconds from 1 to 86400');
  }
  return {
    help: values.help,
    scenario: /** @type {ScenarioId} */ (scenario),
    server,
    id: chat,
    expiresMs: seconds === undefined ? undefined : seconds * 1000,
  };
}
