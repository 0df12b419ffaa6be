// The yardstick: a guard of the same laws in plain JavaScript, as far as 4 KB minified reach. It knows what was sent by
// the news of each call, and remembers answers and questions by the place of the call. It gives a yes once per turn of
// the event loop, and repairs what leaves and what is at home.

const SUPERSEDED = 'Not a refusal by the user: the user moved on before this call ran.';
const OUTPUTS = ['output-available', 'output-error'];

export function createPlainGuard({
  chatId,
  clientTools = [],
  maxAutomaticSends = 20,
  onError = console.error,
} = {}) {
  /** Place of a call to what is known of it: `asked`, `yes` and `no` are approval objects as they came. */
  const calls = new Map();
  /** What was sent, news by news. */
  const sent = new Set();
  /** Call ids whose output came from the server. */
  const byServer = new Set();
  /** Approval objects that were noted. */
  const noted = new WeakSet();
  /** The messages of the last request, which of them have noted calls, and what left. */
  let looked = [];
  let marked = new Set();
  let list;
  let leaving;
  let version = 0;
  let planned = -1;
  let lease = false;
  let automatic = 0;
  let unsent = false;
  let chat;

  const isTool = ({ type }) => type.startsWith('tool-') || type === 'dynamic-tool';
  const isClient = (part) => clientTools.includes(part.toolName ?? part.type.slice(5));

  const turnOf = (messages, index) => {
    while (index > 0 && messages[index].role !== 'user') index--;
    return index;
  };

  /** Calls `visit(part, i, place)` for the tool parts of a message. */
  const walk = (messages, index, visit) => {
    const turn = turnOf(messages, index);
    let step = 0;
    messages[index].parts.forEach((part, i) => {
      if (part.type === 'step-start') step++;
      else if (isTool(part)) visit(part, i, `${turn}/${step}/${part.toolCallId}`);
    });
  };

  /** Notes questions and answers; answers whether the message has any call that is known. */
  const note = (messages, index) => {
    let known = false;
    const message = messages[index];
    if (message?.role !== 'assistant') return false;
    walk(messages, index, (part, _, key) => {
      const { approval, state } = part;
      if (approval && !noted.has(approval)) {
        noted.add(approval);
        version++;
        let call = calls.get(key);
        // Another question, or another input, voids the answer.
        const input = JSON.stringify(part.input);
        if (call?.id !== approval.id || call.input !== input)
          calls.set(key, (call = { id: approval.id, input }));
        if (state === 'approval-requested') call.asked ??= approval;
        else if (approval.approved === false) call.no ??= call.yes ? undefined : approval;
        else if (approval.approved === true && state === 'approval-responded')
          call.yes ??= call.no ? undefined : approval;
      }
      if (calls.has(key) || (isClient(part) && part.state === 'input-available')) known = true;
    });
    return known;
  };

  /** A part as it may leave. `last`: the message is the last one of the list. */
  const repair = (part, call, last) => {
    const { output, errorText, preliminary, resultProviderMetadata, ...kept } = part;
    const { state } = part;
    const clean = !('output' in part || 'errorText' in part || 'preliminary' in part);
    if (!last && !call?.no && state === 'approval-requested') {
      call.no = { ...part.approval, approved: false, reason: SUPERSEDED };
    }
    if (call?.no) {
      if (clean && part.approval?.approved === false && (state === 'output-denied' || !call.settled))
        return part;
      const settled = call.settled || state === 'output-denied';
      return { ...kept, state: settled ? 'output-denied' : 'approval-responded', approval: call.no };
    }
    if (call?.asked && !call.yes && OUTPUTS.includes(state) && !byServer.has(part.toolCallId)) {
      return { ...kept, state: 'approval-requested', approval: call.asked };
    }
    if (!last && !call && state === 'input-available' && isClient(part)) {
      return { ...kept, state: 'output-error', errorText: SUPERSEDED };
    }
    return part;
  };

  const repairAll = (messages, indexes) => {
    let copy = messages;
    for (const index of indexes) {
      const message = messages[index];
      let parts = message.parts;
      walk(messages, index, (part, i, key) => {
        const repaired = repair(part, calls.get(key), index === messages.length - 1);
        if (repaired === part) return;
        if (parts === message.parts) parts = [...parts];
        parts[i] = repaired;
      });
      if (parts === message.parts) continue;
      if (copy === messages) copy = [...messages];
      copy[index] = { ...message, parts };
    }
    return copy;
  };

  /** Looks at what is not the same message as before, and repairs. */
  const outgoing = (messages) => {
    if (messages === list && planned === version) return leaving;
    for (let i = 0; i < messages.length; i++) {
      if (messages[i] === looked[i]) continue;
      looked[i] = messages[i];
      if (note(messages, i)) marked.add(i);
      else marked.delete(i);
    }
    looked.length = messages.length;
    for (const i of marked) if (i >= messages.length) marked.delete(i);
    list = messages;
    planned = version;
    return (leaving = repairAll(messages, marked));
  };

  /** The news of the last step, or nothing while a call of it is open. */
  const newsOf = (messages) => {
    const index = messages.length - 1;
    const { parts } = messages[index];
    let start = parts.length;
    while (start > 0 && parts[start - 1].type !== 'step-start') start--;
    const open = (part) => {
      const { state, approval, providerExecuted, preliminary } = part;
      if (!isTool(part) || state === 'output-denied' || (providerExecuted && !approval)) return false;
      if (state !== 'approval-responded') return preliminary || !OUTPUTS.includes(state);
      return approval?.approved !== false && (approval?.approved !== true || isClient(part));
    };
    for (let i = start; i < parts.length; i++) if (open(parts[i])) return;
    const news = [];
    walk(messages, index, (part, i, key) => {
      if (i < start || part.providerExecuted) return;
      const written = OUTPUTS.includes(part.state);
      if (!calls.get(key)?.no && written && (byServer.has(part.toolCallId) || textAfter(parts, i))) return;
      const { no, yes } = calls.get(key) ?? {};
      if (!written && !no && !yes) return;
      news.push(
        `${key} ${no ? 'no' : written ? JSON.stringify(part.output ?? part.errorText) : 'yes'} ${(no ?? yes)?.id}`,
      );
    });
    return news;
  };
  const carry = (messages) => {
    if (messages.at(-1)?.role === 'assistant') for (const text of newsOf(messages) ?? []) sent.add(text);
  };
  const textAfter = (parts, index) =>
    parts.some((part, i) => i > index && part.type === 'text' && part.text.trim());

  const home = () => {
    if (!chat) return;
    const { messages } = chat;
    const from = Math.max(0, messages.length - 2);
    const fixed = repairAll(
      messages,
      [from, messages.length - 1].filter((i) => messages[i]?.role === 'assistant'),
    );
    if (fixed !== messages) chat.messages = fixed;
  };

  const sendAutomaticallyWhen = ({ messages }) => {
    try {
      const last = messages.length - 1;
      if (messages[last]?.role !== 'assistant') return false;
      note(messages, last);
      home();
      const news = newsOf(messages);
      if (!news?.some((text) => !sent.has(text)) || lease || automatic >= maxAutomaticSends) return false;
      lease = true;
      setTimeout(() => (lease = false));
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  };

  const hear = (chunk) => {
    const { type, toolCallId } = chunk;
    if (type === 'tool-input-available' || type === 'tool-input-start') {
      byServer.delete(toolCallId);
      for (const key of calls.keys()) if (key.endsWith(`/${toolCallId}`)) calls.delete(key);
    } else if (type === 'tool-output-available' || type === 'tool-output-error') byServer.add(toolCallId);
  };

  const transport = (inner) => ({
    ...inner,
    reconnectToStream: (options) => inner.reconnectToStream(options),
    async sendMessages(options) {
      if ((chatId ??= options.chatId) !== options.chatId) throw new Error('wrong-chat');
      const messages = outgoing(options.messages);
      const person = messages.at(-1)?.role !== 'assistant';
      automatic = person ? 0 : automatic + 1;
      carry(messages);
      const carried = marked.size > 0 ? [...calls.values()].filter((call) => call.no && !call.settled) : [];
      unsent = true;
      const response = await inner.sendMessages({ ...options, messages });
      unsent = false;
      if (!response?.pipeThrough) return response;
      return response.pipeThrough(
        new TransformStream({
          transform(chunk, controller) {
            hear(chunk);
            controller.enqueue(chunk);
          },
          flush() {
            for (const call of carried) call.settled = true;
            version++;
          },
        }),
      );
    },
  });

  return {
    sendAutomaticallyWhen,
    transport,
    attach(given) {
      chat = given;
      // What is there already is history.
      outgoing(chat.messages);
      carry(chat.messages);
      return () => (chat = undefined);
    },
    retry: async () => (unsent && chat ? chat.sendMessage() : undefined),
  };
}
