// The example backend in Python as a process, and a chat that talks to it over a WebSocket.
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import WebSocket from 'ws';

import { scene, until } from './chat.mjs';

export const example = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('tool-approval-guard/package.json'))),
  ...['examples', 'python'],
);
const { WebSocketTransport } = await import(pathToFileURL(path.join(example, 'transport.mjs')).href);

/** A program in Python that prints the address at which it listens. */
export async function startPython(...args) {
  // Set by tests/run.mjs: the Python that has what the example requires.
  const child = spawn(process.env.EXAMPLE_PYTHON ?? 'python3', ['-B', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  child.stdout.setEncoding('utf8');
  const ended = once(child, 'close');
  const [address] = await Promise.race([
    // Also an error: there is no such program.
    once(child, 'error').then(([error]) => Promise.reject(error)),
    once(child.stdout, 'data'),
    ended.then(([code]) => Promise.reject(new Error(`Python ended with ${code}: ${errors}`))),
  ]);
  return {
    address: address.trim(),
    /** Ends the program. @returns what it has complained of */
    stop: async () => {
      child.kill();
      await ended;
      return errors;
    },
  };
}

/** The example backend with the tools of `./backend.py`, and what they have done. */
export async function pythonBackend({ answerSeconds = 20, runSeconds = 20 } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'python-backend-'));
  const program = fileURLToPath(new URL('./backend.py', import.meta.url));
  const { address, stop } = await startPython(program, example, folder, `${answerSeconds}`, `${runSeconds}`);
  const booked = path.join(folder, 'booked');
  return {
    address,
    /** The names that were booked, one for each time. */
    booked: () => (existsSync(booked) ? readFileSync(booked, 'utf8').trim().split('\n') : []),
    /** The lines that it has logged about a call. */
    logOf: (toolCallId) =>
      readFileSync(path.join(folder, 'log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes(toolCallId)),
    /** Lets the gated call with this name end. */
    openGate: (name) => writeFileSync(path.join(folder, name), ''),
    stop: async () => {
      const errors = await stop();
      rmSync(folder, { recursive: true });
      return errors;
    },
  };
}

/** The transport of the example, with its frames and its connections in reach. */
function connection(address) {
  const sockets = [];
  /** Every frame that was sent or came, as text. */
  const sent = [];
  const received = [];
  const transport = new WebSocketTransport(() => {
    const socket = new WebSocket(address);
    const { send } = socket;
    socket.send = (text) => (sent.push(text), send.call(socket, text));
    socket.on('message', (text) => received.push(JSON.parse(text)));
    sockets.push(socket);
    return socket;
  });
  return { transport, sockets, sent, received };
}

/** Sends a frame by itself. @returns the frames that came until the last one of its request */
export async function sendFrame(address, text) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const messages = on(socket, 'message');
  socket.send(text);
  const frames = [];
  // Several may come at once.
  for await (const [data] of messages) {
    frames.push(JSON.parse(data));
    if (frames.at(-1).type !== 'chunk') break;
  }
  socket.close();
  return frames;
}

/** A guarded chat with this backend. */
export function conversation(sdk, { address }, options) {
  const { transport, sockets, sent, received } = connection(address);
  const { id, chat, guard } = scene(sdk, { inner: transport, ...options });
  const settled = () => ['ready', 'error'].includes(chat.status);
  const settle = () => until(settled, { limit: 20_000, quiet: 10 });
  const calls = () => chat.messages.flatMap(({ parts }) => parts).filter(({ toolCallId }) => toolCallId);
  return {
    id,
    chat,
    guard,
    sockets,
    sent,
    received,
    settle,
    close: () => sockets.forEach((socket) => socket.terminate()),
    /** The user writes which calls the model shall make. */
    ask: async (...wanted) => {
      await chat.sendMessage({ text: JSON.stringify(wanted) });
      await settle();
    },
    write: async (text) => {
      await chat.sendMessage({ text });
      await settle();
    },
    /** The parts of all calls, in their order. */
    calls,
    /** Answers the call in this place of all calls. */
    decide: (at, choice, reason) => guard.decide(calls()[at].toolCallId, choice, { reason }),
    /** What the model was told last of the ends of calls. */
    told: () => {
      const text = chat.messages.at(-1).parts.findLast(({ type }) => type === 'text')?.text ?? '[]';
      return JSON.parse(text).map(({ input: _input, ...result }) => result);
    },
  };
}
