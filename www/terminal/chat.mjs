// A chat without a page: the AI SDK's own `AbstractChat`, and the guard beside it.
import { EventEmitter } from 'node:events';
import { AbstractChat, DefaultChatTransport } from 'ai';
import { createApprovalGuard } from '../../pkg/index.js';

/**
 * @import { ChatInit, ChatState } from 'ai'
 * @import { DemoMessage } from '../src/message.ts'
 * @import { ScenarioId } from '../shared/protocol.ts'
 */

/**
 * What `AbstractChat` asks of a framework: fields that say when they change.
 *
 * @param {() => void} changed
 * @returns {ChatState<DemoMessage>}
 */
function stateThatTells(changed) {
  /** @type {ChatState<DemoMessage>} */
  const state = new Proxy(
    {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, { ...message })),
      snapshot: (thing) => structuredClone(thing),
    },
    {
      set(target, key, value) {
        Reflect.set(target, key, value);
        changed();
        return true;
      },
    },
  );
  return state;
}

/** @extends {AbstractChat<DemoMessage>} */
class TerminalChat extends AbstractChat {
  /** @param {ChatInit<DemoMessage>} init @param {() => void} changed */
  constructor(init, changed) {
    super({ ...init, state: stateThatTells(changed) });
  }
}

/**
 * One chat with its guard. `bus` emits `change` when anything of them has changed.
 *
 * @param {object} options
 * @param {URL} options.server
 * @param {string} options.id
 * @param {ScenarioId} options.scenario
 * @param {number | undefined} options.expiresMs
 * @param {boolean} options.attended
 * @param {(error: Error) => void} options.onError a request failed
 * @param {(problem: Error) => void} options.onProblem the guard has found something wrong
 */
export function openChat({ server, id, scenario, expiresMs, attended, onError, onProblem }) {
  const bus = new EventEmitter();
  const changed = () => void bus.emit('change');

  /** @type {ReturnType<typeof createApprovalGuard<DemoMessage>>} */
  const guard = createApprovalGuard({
    chatId: id,
    clientTools: ['pick_file'],
    tools: { delete_file: { dangerous: true } },
    // Nothing leaves by a timer while somebody reads: the last answer sends, or the summary asks.
    undoMs: attended ? Infinity : 0,
    attended,
    onError: onProblem,
    ...(expiresMs === undefined ? {} : { expiresMs }),
  });
  const api = new URL('api/chat', server).href;
  const transport = new DefaultChatTransport({ api, body: { scenario, claimed: true } });
  const chat = new TerminalChat(
    {
      id,
      transport: guard.transport(transport),
      sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
      onError,
    },
    changed,
  );
  guard.attach(chat);
  guard.subscribe(changed);

  return {
    chat,
    guard,
    bus,
    /** The person has stopped the assistant, and not written since. */
    stopped: false,
    /** @param {string} text */
    async send(text) {
      this.stopped = false;
      await chat.sendMessage({ text });
    },
    async stop() {
      this.stopped = true;
      await chat.stop();
      changed();
    },
  };
}

/** @typedef {ReturnType<typeof openChat>} Room */
