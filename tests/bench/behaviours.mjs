// What the module buys: the same scenes with each guard, beside a real `Chat` of the AI SDK. A scene
// answers whether the chat came out right.
import { Chat } from '@ai-sdk/react';

import {
  approvalRequest,
  continued,
  error,
  finish,
  gated,
  outputAvailable,
  response,
  says,
  start,
  toolCall,
} from '../package/support/chunks.mjs';
import { broken, forever, reject, ScriptedTransport } from '../package/support/scripted-transport.mjs';

const pause = () => new Promise((resolve) => setTimeout(resolve, 0));
const parts = (messages, id) => messages.flatMap((m) => m.parts).filter((part) => part.toolCallId === id);

function scene(make, { script = [], replays, messages = [], options = {}, when = (own) => own } = {}) {
  const transport = new ScriptedTransport(script, { replays });
  const guard = make({ chatId: 'chat', clientTools: ['ui'], onError: () => {}, ...options });
  let ids = 0;
  const chat = new Chat({
    id: 'chat',
    messages,
    generateId: () => `m${ids++}`,
    onError: () => {},
    transport: guard.transport(transport),
    sendAutomaticallyWhen: when(guard.sendAutomaticallyWhen),
  });
  guard.attach(chat);
  const settle = async () => {
    for (let i = 0; i < 8 || transport.busy || chat.status === 'streaming'; i++) await pause();
  };
  const then = async (act) => {
    await act;
    await settle();
  };
  return {
    chat,
    guard,
    transport,
    settle,
    requests: transport.requests,
    say: (text = 'go') => then(chat.sendMessage({ text })),
    answer: (id, approved, reason) =>
      then(chat.addToolApprovalResponse({ id: `ap-${id}`, approved, reason })),
    put: (id, output = 'done', tool = 'ui') => then(chat.addToolOutput({ tool, toolCallId: id, output })),
    wire: (id) => parts(transport.requests.at(-1).messages, id).at(-1),
    home: (id) => parts(chat.messages, id).at(-1),
  };
}

const two = response('a', gated('x', 'del'), gated('y', 'add'));
const isDenied = (part) => part?.approval?.approved === false && !('output' in part);
const empty = [start(), finish()];
const stored = (state, approval, more = {}) => [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
  {
    id: 'a',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'tool-del', toolCallId: 'x', state, input: {}, approval, ...more },
    ],
  },
];

/** A denial, an output over it, then the answer of the other call. */
async function overwrite(make, more = {}) {
  const s = scene(make, { script: [two, continued([outputAvailable('y')]), says()], ...more });
  await s.say();
  await s.answer('x', false, 'not mine');
  await s.put('x', { denied: true }, 'del');
  await s.answer('y', true);
  return s;
}

export const scenes = {
  'a denial stays one under a later output': async (make) => isDenied((await overwrite(make)).wire('x')),
  'with its reason': async (make) => (await overwrite(make)).wire('x')?.approval?.reason === 'not mine',
  'on the next request too': async (make) => {
    const s = await overwrite(make);
    await s.say('more');
    return isDenied(s.wire('x'));
  },
  'and in the chat itself': async (make) => isDenied((await overwrite(make)).home('x')),
  'a stored denial under an output': async (make) => {
    const approval = { id: 'ap-x', approved: false };
    const s = scene(make, {
      script: [says()],
      messages: stored('output-available', approval, { output: 'ran' }),
    });
    await s.say();
    return isDenied(s.wire('x'));
  },
  'an empty continuation is not sent again': async (make) => {
    const s = scene(make, { script: [response('a', gated('x', 'del')), forever(empty)] });
    await s.say();
    await s.answer('x', true);
    return s.requests.length === 2;
  },
  'a denial beside a client tool goes on': async (make) => {
    const s = scene(make, { script: [response('a', gated('x', 'del'), toolCall('c', 'ui')), says()] });
    await s.say();
    await s.answer('x', false);
    await s.put('c');
    return s.requests.length === 2;
  },
  'an open provider-executed approval holds': async (make) => {
    const provider = [toolCall('p', 'mcp', {}, { providerExecuted: true }), approvalRequest('p')];
    const s = scene(make, { script: [response('a', provider, toolCall('c', 'ui')), says()] });
    await s.say();
    await s.put('c');
    return s.requests.length === 1;
  },
  'an output over an open question is no yes': async (make) => {
    const s = scene(make, { script: [two, says()] });
    await s.say();
    await s.put('x', 'ran', 'del');
    await s.say('and?');
    return isDenied(s.wire('x'));
  },
  'a yes that was dropped is given again': async (make) => {
    let online = false;
    const s = scene(make, {
      script: [response('a', gated('x', 'del')), says()],
      when: (own) => (o) => own(o) && online,
    });
    await s.say();
    await s.answer('x', true);
    online = true;
    return s.requests.length === 1 && s.guard.sendAutomaticallyWhen({ messages: s.chat.messages });
  },
  'a message over an open question denies it': async (make) => {
    const s = scene(make, { script: [response('a', gated('x', 'del')), says()] });
    await s.say();
    await s.say('never mind');
    return isDenied(s.wire('x'));
  },
  'and an answer that comes after it is refused': async (make) => {
    const s = scene(make, { script: [response('a', gated('x', 'del')), says(), says()] });
    await s.say();
    await s.say('never mind');
    await s.answer('x', true);
    await s.say('well?');
    return isDenied(s.wire('x'));
  },
  'a failed request is sent again by a person only': async (make) => {
    const s = scene(make, { script: [response('a', gated('x', 'del')), reject(), says()] });
    await s.say();
    await s.answer('x', true);
    const once = s.requests.length === 2 && !s.guard.sendAutomaticallyWhen({ messages: s.chat.messages });
    await s.guard.retry?.();
    await s.settle();
    return once && s.requests.length === 3 && s.wire('x').approval.approved;
  },
  'a failed client output is sent again': async (make) => {
    const s = scene(make, { script: [response('a', toolCall('c', 'ui')), reject(), says()] });
    await s.say();
    await s.put('c', 'shown');
    await s.guard.retry?.();
    await s.settle();
    return (
      s.requests.length === 3 && s.wire('c').output === 'shown' && s.requests.at(-1).messages.length === 2
    );
  },
  'a call that may have run is told to the model': async (make) => {
    const s = scene(make, { script: [response('a', gated('x', 'del')), broken([start()]), says()] });
    await s.say();
    await s.answer('x', true);
    await s.say('and?');
    return isDenied(s.wire('x')) && /not known whether/.test(s.wire('x').approval.reason);
  },
  'an answer is withdrawn by a stop': async (make) => {
    const s = scene(make, { script: [two, says()] });
    await s.say();
    await s.answer('x', true);
    await s.chat.stop();
    await s.answer('y', false);
    return s.requests.length === 1 && s.home('x').approval.approved === undefined;
  },
  'what was answered before a reload waits for resume()': async (make) => {
    const s = scene(make, {
      script: [says()],
      messages: stored('approval-responded', { id: 'ap-x', approved: true }),
    });
    const held = !s.guard.sendAutomaticallyWhen({ messages: s.chat.messages });
    await s.guard.resume?.();
    await s.settle();
    return held && s.requests.length === 1;
  },
  'a call id that comes again is another call': async (make) => {
    const again = response(
      undefined,
      outputAvailable('y'),
      { type: 'start-step' },
      gated('x', 'del', { n: 2 }),
    );
    const s = scene(make, { script: [two, again, says()] });
    await s.say();
    await s.answer('x', false);
    await s.answer('y', true);
    return s.home('x').state === 'approval-requested';
  },
  'an error in the stream sends nothing again': async (make) => {
    const s = scene(make, { script: [response('a', gated('x', 'del')), forever([start(), error()])] });
    await s.say();
    await s.answer('x', true);
    return s.requests.length === 2;
  },
  'a resumed stream that puts the question back': async (make) => {
    const s = scene(make, { script: [two, says()], replays: [two] });
    await s.say();
    await s.answer('x', false);
    await s.chat.resumeStream();
    await s.settle();
    await s.answer('y', true);
    return isDenied(s.wire('x'));
  },
  'earlier messages that are taken away': async (make) => {
    const s = scene(make, { script: [says(), two, says()] });
    await s.say();
    await s.say();
    await s.answer('x', false);
    s.chat.messages = s.chat.messages.slice(2);
    await s.put('x', 'ran', 'del');
    await s.answer('y', true);
    return isDenied(s.wire('x'));
  },
  'an input that changed under a yes': async (make) => {
    const s = scene(make, { script: [two, says()] });
    await s.say();
    await s.answer('x', true);
    const part = s.home('x');
    const change = (m) => ({
      ...m,
      parts: m.parts.map((p) => (p.toolCallId === 'x' ? { ...part, input: { other: 1 } } : p)),
    });
    s.chat.messages = s.chat.messages.map(change);
    await s.answer('y', true);
    return s.requests.length === 1;
  },
  'an input that JSON cannot write': async (make) => {
    const s = scene(make, { script: [says()] });
    const messages = stored('approval-requested', { id: 'ap-x' });
    messages[1].parts[1].input = { size: 1n };
    const sent = s.guard.transport({ sendMessages: async (o) => o.messages });
    const next = { id: 'v', role: 'user', parts: [{ type: 'text', text: 'and?' }] };
    const left = await sent.sendMessages({
      chatId: 'chat',
      messages: [...messages, next],
      trigger: 'submit-message',
    });
    return isDenied(left[1].parts[1]);
  },
  'a list that is changed in place': async (make) => {
    const s = scene(make, { script: [two, says(), says(), says()] });
    await s.say();
    await s.answer('x', false);
    await s.answer('y', true);
    await s.say();
    const part = s.home('x');
    delete part.approval;
    Object.assign(part, { state: 'output-available', output: 'ran' });
    await s.say();
    return isDenied(s.wire('x'));
  },
  'a getter that throws': async (make) => {
    const s = scene(make);
    const part = Object.defineProperty({ type: 'tool-del' }, 'approval', {
      get() {
        throw new Error('no');
      },
    });
    return (
      s.guard.sendAutomaticallyWhen({ messages: [{ id: 'a', role: 'assistant', parts: [part] }] }) === false
    );
  },
  'why (not), with the calls it waits for': async (make) => {
    const s = scene(make, { script: [two] });
    await s.say();
    return s.guard.explain?.()?.waitingFor?.length === 2;
  },
  'a record of who decided what': async (make) => (await overwrite(make)).guard.ledger?.().length > 2,
  'a snapshot to subscribe to': async (make) =>
    typeof (await overwrite(make)).guard.getSnapshot?.() === 'object',
};

/** @returns for each scene, which of the guards came out right */
export async function behaviours(makers) {
  const rows = [];
  for (const [name, play] of Object.entries(scenes)) {
    const row = { name };
    for (const [maker, make] of Object.entries(makers)) {
      try {
        row[maker] = Boolean(await play(make));
      } catch {
        row[maker] = false;
      }
    }
    rows.push(row);
  }
  return rows;
}
