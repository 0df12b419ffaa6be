// A chat in the terminal, over the same guard and the same server as the page.
import { createInterface } from 'node:readline';
import { BadArguments, HELP, readArguments } from './arguments.mjs';
import { openChat } from './chat.mjs';
import { Keyboard, Left } from './keyboard.mjs';
import { literal, Printer } from './print.mjs';
import { askCall, offerRetry, pickFile, review } from './questions.mjs';
import { during, settled } from './situation.mjs';
import { Transcript } from './transcript.mjs';

/** @import { Phase } from '../../pkg/index.js' */
/** @import { Room } from './chat.mjs' */

/** A server of its own, on a port that is free, without the page. */
async function ownServer() {
  const { serve } = await import('../server/http.mjs');
  return serve({ port: 0, host: '127.0.0.1', page: new Map() });
}

const NOT_RUN = 'What asked was not answered, and has not run.';
const NOT_DELIVERED = 'Your decisions were not delivered.';

/** What a person who leaves has to know. @type {ReadonlyMap<Phase, string>} */
const FAREWELLS = new Map([
  ['asking', NOT_RUN],
  ['decided', NOT_RUN],
  ['answered', NOT_DELIVERED],
  ['failed', NOT_DELIVERED],
  ['in-doubt', NOT_DELIVERED],
]);

/** Somebody is there. @param {Room} room @param {Printer} printer @param {URL} server @returns {Promise<number>} the exit code */
async function attended(room, printer, server) {
  const keyboard = new Keyboard(process.stdin, printer, () => {
    if (room.chat.status !== 'submitted' && room.chat.status !== 'streaming') return false;
    void room.stop().then(() => printer.line('Stopped.'));
    return true;
  });
  const desk = { room, printer, keyboard, server };
  try {
    for (;;) {
      const now = await settled(room);
      await during(room, now, async (signal) => {
        if (now.type === 'ask') await askCall(desk, now.call, signal);
        else if (now.type === 'review') await review(desk, signal);
        else if (now.type === 'output') await pickFile(desk, now.toolCallId, signal);
        else if (now.type === 'retry') await offerRetry(desk, signal);
        else {
          const text = (await keyboard.ask('You: ', { signal }))?.trim();
          if (text) await room.send(text);
        }
      });
    }
  } catch (error) {
    if (!(error instanceof Left)) throw error;
    const farewell = room.stopped ? undefined : FAREWELLS.get(room.guard.getSnapshot().batch.phase);
    await room.stop();
    printer.line(`${farewell ?? ''} Goodbye.`.trim());
    if (!farewell) return 0;
    return error.how === 'interrupted' ? 130 : 1;
  } finally {
    keyboard.close();
  }
}

/** Nobody is there: each line is a message. @param {Room} room @param {Printer} printer @param {() => boolean} hasFailed */
async function unattended(room, printer, hasFailed) {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    printer.line('You:');
    printer.quote(literal(line));
    printer.end();
    await room.send(line);
    for (let now = await settled(room); !hasFailed() && now.type === 'output'; now = await settled(room)) {
      await room.chat.addToolOutput({
        tool: 'pick_file',
        toolCallId: now.toolCallId,
        state: 'output-error',
        errorText: 'Nobody is there.',
      });
    }
    if (hasFailed()) return 1;
  }
  return 0;
}

async function main() {
  const { help, scenario, server: given, id, expiresMs } = readArguments();
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  const isAttended = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const conversation = new Printer(process.stdout);
  const notes = isAttended ? conversation : new Printer(process.stderr);
  const own = given === undefined ? await ownServer() : undefined;
  const server = new URL(given ?? own?.url ?? '');
  let failed = false;
  const room = openChat({
    server,
    id,
    scenario,
    expiresMs,
    attended: isAttended,
    onProblem: ({ message }) => notes.line(message, 'danger'),
    onError(error) {
      failed = true;
      notes.line(`The request failed: ${literal(error.message)}`, 'danger');
    },
  });
  try {
    new Transcript(room, conversation, notes);
    if (!isAttended) return await unattended(room, conversation, () => failed);
    conversation.line('Write a message. Ctrl+C stops the assistant, Ctrl+D ends the chat.', 'quiet');
    return await attended(room, conversation, server);
  } finally {
    room.guard.dispose();
    await own?.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof BadArguments ? `${error.message}. See --help.` : error);
  process.exitCode = error instanceof BadArguments ? 2 : 1;
}
