// What the terminal has to do now, read from the chat and the guard's snapshot and from nothing else.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @import { CallView } from '../../pkg/index.js'
 * @import { Room } from './chat.mjs'
 *
 * @typedef {(
 *   | { type: 'busy' } // a response is on its way
 *   | { type: 'ask', call: CallView } // a call waits for a decision
 *   | { type: 'review' } // all are decided, and nothing is sent
 *   | { type: 'output', toolCallId: string } // a tool of this side waits to be run
 *   | { type: 'retry' } // a request failed
 *   | { type: 'message' } // a person may write
 * )} Situation
 */

/** @param {Room} room @returns {Situation} */
export function situationOf({ chat, guard, stopped }) {
  const { calls, batch, verdict } = guard.getSnapshot();
  if (chat.status === 'submitted' || chat.status === 'streaming') return { type: 'busy' };
  if (stopped) return { type: 'message' };
  if (batch.action === 'retry') return { type: 'retry' };
  const call = calls.find(({ waiting }) => waiting);
  if (call) return { type: 'ask', call };
  if (batch.phase === 'decided') return { type: 'review' };
  const waiting = verdict.waitingFor.find(({ need }) => need === 'output');
  if (waiting) return { type: 'output', toolCallId: waiting.toolCallId };
  if (verdict.reason === 'limit') return { type: 'retry' };
  if (chat.status === 'error' && chat.lastMessage?.role === 'user') return { type: 'retry' };
  return { type: 'message' };
}

/** Two situations with the same key ask for the same. @param {Situation} situation */
const keyOf = (situation) =>
  JSON.stringify(situation.type === 'ask' ? [situation.call.approvalId, situation.call.expiring] : situation);

/** Waits until nothing is on its way: what the guard sends by itself follows a moment later. @param {Room} room */
export async function settled(room) {
  for (;;) {
    const before = situationOf(room);
    if (before.type === 'busy') await once(room.bus, 'change');
    else {
      await delay(30);
      const now = situationOf(room);
      if (keyOf(now) === keyOf(before)) return now;
    }
  }
}

/**
 * Works on a situation. The signal is aborted as soon as it is over: a question that has expired must
 * not take an answer.
 *
 * @param {Room} room
 * @param {Situation} situation
 * @param {(signal: AbortSignal) => Promise<void>} work
 */
export async function during(room, situation, work) {
  const over = new AbortController();
  const watch = () => {
    if (keyOf(situationOf(room)) !== keyOf(situation)) over.abort();
  };
  room.bus.on('change', watch);
  try {
    watch();
    await work(over.signal);
  } finally {
    room.bus.off('change', watch);
  }
}
