// What a person is asked. No answer is a default: an empty line decides nothing, and neither does anything
// that was typed before the question was there.
import { inspect } from '../../pkg/escape.js';
import { literal } from './print.mjs';
import { joined, nameOf } from './transcript.mjs';
import { words } from './words.mjs';

/**
 * @import { CallView, Choice, DecideOptions } from '../../pkg/index.js'
 * @import { Field, Inspection } from '../../pkg/escape.js'
 * @import { SessionState } from '../shared/protocol.ts'
 * @import { Room } from './chat.mjs'
 * @import { Keyboard } from './keyboard.mjs'
 * @import { Printer } from './print.mjs'
 *
 * @typedef {{ room: Room, printer: Printer, keyboard: Keyboard, server: URL }} Desk
 * @typedef {object} Answer
 * @property {string} key what to type
 * @property {string} says
 * @property {() => unknown} act
 * @property {boolean} [again] the question stays
 */

/**
 * Asks until one of the answers was typed, or the question is over.
 *
 * @param {Desk} desk
 * @param {() => Answer[]} answers
 * @param {AbortSignal} signal
 */
async function choose({ printer, keyboard }, answers, signal) {
  const list = () => {
    for (const { key, says } of answers()) printer.line(`  ${key}  ${says}`);
    printer.line('  ?  Help');
  };
  list();
  for (;;) {
    const line = await keyboard.ask('Your choice: ', { signal, decides: true });
    if (line === undefined) return;
    const typed = line.trim().toLowerCase();
    const answer = answers().find(({ key }) => key === typed);
    if (answer) {
      await answer.act();
      if (!answer.again) return;
    } else if (typed === '?') {
      printer.line('Type one of these and press Enter. Nothing runs before your decisions are sent.');
      list();
    } else {
      printer.line(
        `${typed ? `There is no choice “${literal(typed)}”.` : 'That decides nothing.'} Type ? for the choices.`,
      );
    }
  }
}

/** @param {Desk} desk @returns {Answer} */
const stopAnswer = ({ room, printer }) => ({
  key: 's',
  says: 'Stop the assistant',
  async act() {
    await room.stop();
    printer.line('Stopped. Nothing runs of what was not sent.');
  },
});

/** Takes back what the person decided last. @param {Desk} desk @returns {Answer[]} */
function undoAnswer({ room: { guard } }) {
  const last = guard.getSnapshot().calls.findLast(({ can, actor }) => can.undo && actor === 'person');
  if (!last) return [];
  const says = `${words.text('action.undo')}: ${nameOf(last)}, ${words.call(last).outcome}`;
  return [{ key: 'u', says, act: () => guard.undo(last) }];
}

/** One call that asks. @param {Desk} desk @param {CallView} call @param {AbortSignal} signal */
export async function askCall(desk, call, signal) {
  const { room, printer, keyboard } = desk;
  const { guard } = room;
  const snapshot = guard.getSnapshot();
  const { loop } = words.batch(snapshot.batch);
  const inspection = inspect(call.input);
  let folded = showCall(desk, call, inspection);
  const warning = words.warning(snapshot);
  if (warning) printer.line(`  ${warning}`, 'quiet');
  if (loop) printer.line(`${loop} Type s.`, 'danger');

  /** @param {Choice} choice @param {DecideOptions} [options] */
  const decide = (choice, options) => {
    const result = guard.decide(call, choice, options);
    if (result.type === 'refused') printer.line(`That did not count: ${result.message}`);
  };
  const deny = async () => {
    const reason = await keyboard.ask('Tell the assistant why (optional): ', { signal });
    if (reason === undefined) return;
    // A reason is plain text of at most 500 characters.
    const text = reason
      .replace(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, 500);
    decide('deny', text ? { reason: text } : {});
  };
  /** @param {'input' | 'tool'} covers */
  const also = (covers) => {
    const { length } = guard.covered(call, covers);
    return length > 1 ? `. ${words.text('grant.covers', { n: length - 1 })}` : '';
  };

  await choose(
    desk,
    () => {
      const tool = call.label;
      /** @type {Answer[]} */
      const answers = [{ key: 'd', says: words.text('action.deny'), act: deny }];
      if (inspection.type === 'shown') {
        answers.push({ key: 'o', says: words.text('action.once'), act: () => decide('allow-once') });
        if (!call.dangerous) {
          answers.push(
            {
              key: 'c',
              says: words.text('action.chatInput') + also('input'),
              act: () => decide('allow-chat', { covers: 'input' }),
            },
            {
              key: 't',
              says: words.text('action.chatTool', { tool }) + also('tool'),
              act: () => decide('allow-chat', { covers: 'tool' }),
            },
          );
        }
      }
      answers.push(
        {
          key: 'n',
          says: words.text('action.denyChat') + also('input'),
          act: () => decide('deny-chat', { covers: 'input' }),
        },
        ...undoAnswer(desk),
      );
      if (folded > 0 && inspection.type === 'shown') {
        const more = () => {
          inspection.fields.forEach((field) => showField(printer, field, true));
          folded = 0;
        };
        answers.push({ key: 'm', says: `Show ${folded} more characters`, act: more, again: true });
      }
      if (call.deadline !== undefined) {
        answers.push({
          key: 'k',
          says: words.text('action.extend'),
          act: () => guard.extend(call),
        });
      }
      return [...answers, stopAnswer(desk)];
    },
    signal,
  );
}

/** @param {Desk} desk @param {CallView} call @param {Inspection} inspection @returns {number} characters that are folded */
function showCall({ printer }, call, inspection) {
  const { title, toolName, deadline } = call;
  const said = words.call(call);
  printer.line();
  printer.line(`${said.title}  ${said.position}`, 'bold');
  if (call.dangerous)
    printer.line('  Dangerous, according to this program. Allowing it covers only this call.', 'danger');
  let folded = 0;
  if (inspection.type === 'unshowable') {
    printer.line(`  Its input cannot be shown (${inspection.why}), so it can only be denied.`, 'danger');
  } else {
    const { places, more, fields } = inspection;
    for (const { kind, tokens } of places)
      printer.line(`  ${kind === 'host' ? 'Host' : 'Path'}: ${joined(tokens)}`);
    if (more.host + more.path > 0) printer.line(`  and at least ${more.host + more.path} more places`);
    if (fields.length === 0) printer.line('  It has no input.');
    for (const field of fields) {
      showField(printer, field, false);
      folded += field.folded;
    }
    if (inspection.hidden)
      printer.line('  Contains invisible characters. They are shown as ⟦U+200B⟧.', 'danger');
  }
  if (title !== undefined && title !== toolName) printer.line(`  It calls itself “${literal(title)}”.`);
  printer.line(`  ${said.why}`, 'quiet');
  if (deadline !== undefined) printer.line(`  ${words.text('warn.expiry', { time: deadline - Date.now() })}`);
  return folded;
}

/** @param {Printer} printer @param {Field} field @param {boolean} whole */
function showField(printer, { name, head, rest, folded }, whole) {
  if (whole && folded === 0) return;
  printer.line(`  ${name ? joined(name) : 'Input'}:`);
  printer.quote(joined(whole ? [...head, ...rest] : head), '    ');
  printer.end();
  if (folded > 0 && !whole) printer.line(`    … and ${folded} more characters: m shows them.`);
}

/** All is decided and nothing is sent. @param {Desk} desk @param {AbortSignal} signal */
export async function review(desk, signal) {
  const { guard } = desk.room;
  const { calls, batch } = guard.getSnapshot();
  const commit = () => void guard.commit();
  const counts = [batch.denied && `${batch.denied} denied`, batch.allowed && `${batch.allowed} allowed`];
  const summary = `${counts.filter(Boolean).join(', ')}.`;
  desk.printer.line();
  // The last answer sends, except where it would let something dangerous run: that can still be undone.
  if (!calls.some(({ position, dangerous, decision }) => position && dangerous && decision === 'allowed')) {
    desk.printer.line(summary, 'bold');
    return commit();
  }
  desk.printer.line(`${summary} Nothing is sent yet.`, 'bold');
  await choose(
    desk,
    () => [
      { key: 'y', says: words.text('action.send', { n: batch.allowed + batch.denied }), act: commit },
      ...undoAnswer(desk),
      stopAnswer(desk),
    ],
    signal,
  );
}

/** A request failed. @param {Desk} desk @param {AbortSignal} signal */
export async function offerRetry(desk, signal) {
  const { room, printer } = desk;
  const { batch, verdict } = room.guard.getSnapshot();
  printer.line();
  if (verdict.reason === 'limit')
    printer.line('The assistant has continued by itself too often. Your decisions are kept.', 'bold');
  else if (batch.phase === 'in-doubt')
    printer.line('The request was interrupted. What you allowed may have run.', 'bold');
  else printer.line(batch.action ? words.text('error.send') : 'Your message was not answered.', 'bold');
  const again = () => (batch.action ? room.guard.proceed(batch.action) : room.chat.sendMessage());
  await choose(desk, () => [{ key: 'r', says: 'Try again', act: again }, stopAnswer(desk)], signal);
}

/** The tool of this side: a person picks one of the files. @param {Desk} desk @param {string} toolCallId @param {AbortSignal} signal */
export async function pickFile(desk, toolCallId, signal) {
  const { room, printer } = desk;
  const part = room.chat.lastMessage?.parts.find(
    (part) => part.type === 'tool-pick_file' && part.toolCallId === toolCallId,
  );
  const files = await listFiles(desk);
  printer.line();
  printer.line(
    (part?.type === 'tool-pick_file' && literal(part.input?.question ?? '')) || 'Pick a file.',
    'bold',
  );
  await choose(
    desk,
    () => [
      ...files.map((path, index) => ({
        key: String(index + 1),
        says: literal(path),
        act: () => void room.chat.addToolOutput({ tool: 'pick_file', toolCallId, output: { path } }),
      })),
      stopAnswer(desk),
    ],
    signal,
  );
}

/** The names of the files that are there. @param {Desk} desk @returns {Promise<string[]>} */
async function listFiles({ room, printer, server }) {
  try {
    const response = await fetch(new URL(`api/state?chat=${room.chat.id}`, server));
    /** @type {SessionState} */
    const { files } = await response.json();
    return files
      .filter(({ name, lines }) => lines !== undefined && !name.startsWith('.'))
      .map(({ name }) => name);
  } catch (error) {
    printer.line(
      `The files could not be read: ${literal(error instanceof Error ? error.message : String(error))}`,
    );
    return [];
  }
}
