// A spike, not an entry: what it takes to let a guard decide over an agent of AG-UI. README.md says what it shows.
import { buildResumeArray } from '@ag-ui/client';

/**
 * @import { AbstractAgent, Interrupt, Message } from '@ag-ui/client'
 * @import { ApprovalGuard } from 'tool-approval-guard'
 */

/** The part that stands for an interrupt that is no tool approval: it keeps the step open. */
const QUESTION = 'ag-ui-interrupt';

/**
 * Stands where a `Chat` stands: shows the guard the thread of an agent as messages of the SDK, takes the guard's answers,
 * and sends them as the `resume` of the next run.
 */
export class GuardedAgent {
  #agent;
  #guard;
  #transport;
  /** Every interrupt of the thread, by its id. The agent forgets those that a run has resolved. */
  #interrupts = /** @type {Map<string, Interrupt>} */ (new Map());
  /** What was answered, by the id of the interrupt. */
  #answers = /** @type {Map<string, { approved: boolean, reason?: string }>} */ (new Map());
  #isRunning = false;

  /**
   * @param {AbstractAgent} agent its thread is the chat
   * @param {ApprovalGuard} guard of that thread
   */
  constructor(agent, guard) {
    this.#agent = agent;
    this.#guard = guard;
    this.#transport = guard.transport({
      sendMessages: async ({ messages }) => this.#run(messages),
      reconnectToStream: async () => null,
    });
    agent.subscribe({
      onRunFinishedEvent: (event) => {
        if (event.outcome !== 'interrupt') return;
        for (const interrupt of event.interrupts) this.#interrupts.set(interrupt.id, interrupt);
      },
    });
    guard.attach(this);
  }

  get id() {
    return this.#agent.threadId;
  }

  /** The thread as messages of the SDK: what follows a user's message is one message, and each of the agent's a step. */
  get messages() {
    const { messages } = this.#agent;
    const results = new Map(messages.filter(({ role }) => role === 'tool').map((m) => [m.toolCallId, m]));
    const byCall = new Map(
      [...this.#interrupts.values()].map((interrupt) => [interrupt.toolCallId, interrupt]),
    );
    const list = [];
    for (const message of messages) {
      if (['user', 'system', 'developer'].includes(message.role)) {
        const role = message.role === 'user' ? 'user' : 'system';
        list.push({ id: message.id, role, parts: textParts(message.content) });
      } else if (message.role === 'assistant') {
        if (list.at(-1)?.role !== 'assistant') list.push({ id: message.id, role: 'assistant', parts: [] });
        const { parts } = list.at(-1);
        parts.push({ type: 'step-start' });
        for (const call of message.toolCalls ?? []) {
          parts.push(this.#partOf(call, byCall.get(call.id), results.get(call.id)));
        }
        // The text of a message with calls is written before them, and is no answer to them.
        parts.splice(parts.length - (message.toolCalls?.length ?? 0), 0, ...textParts(message.content));
      }
    }
    for (const { id, toolCallId } of this.#agent.pendingInterrupts) {
      if (toolCallId !== undefined || list.at(-1)?.role !== 'assistant') continue;
      list
        .at(-1)
        .parts.push({ type: `tool-${QUESTION}`, toolCallId: id, state: 'input-available', input: {} });
    }
    return list;
  }

  #partOf({ id, function: { name, arguments: text } }, interrupt, result) {
    const answer = interrupt && this.#answers.get(interrupt.id);
    const approval = interrupt && { id: interrupt.id, ...answer };
    const input = parsed(text);
    const part = { type: `tool-${name}`, toolCallId: id, input: input?.value, ...(approval && { approval }) };
    if (input === undefined) return { ...part, state: 'input-streaming' };
    // Whatever the server wrote as the result of a denied call is no output.
    if (result !== undefined && answer?.approved === false) return { ...part, state: 'output-denied' };
    if (result?.error !== undefined) return { ...part, state: 'output-error', errorText: result.error };
    if (result !== undefined) {
      return { ...part, state: 'output-available', output: parsed(result.content)?.value ?? result.content };
    }
    if (answer !== undefined) return { ...part, state: 'approval-responded' };
    return { ...part, state: approval === undefined ? 'input-available' : 'approval-requested' };
  }

  /** For the guard: it writes the answers of a batch, all but the last, and takes them back after a stop. */
  setMessages(update) {
    const next = typeof update === 'function' ? update(this.messages) : update;
    for (const { state, approval } of next.flatMap(({ parts }) => parts)) {
      if (approval === undefined) continue;
      if (state === 'approval-requested') this.#answers.delete(approval.id);
      else if (typeof approval.approved === 'boolean') this.#answers.set(approval.id, answerOf(approval));
    }
  }

  /** For the guard, and for buttons that know nothing of it: writes one answer. */
  addToolApprovalResponse({ id, approved, reason }) {
    this.#answers.set(id, answerOf({ approved, reason }));
    return this.#check();
  }

  /** The output of a tool that the page runs. */
  addToolOutput({ toolCallId, output, errorText }) {
    const content = JSON.stringify(output) ?? '';
    const error = errorText === undefined ? {} : { error: errorText };
    this.#agent.addMessage({ id: `result-${toolCallId}`, role: 'tool', toolCallId, content, ...error });
    return this.#check();
  }

  /** A message of the person; without one, what is unsent goes. */
  async sendMessage(message) {
    if (message !== undefined)
      this.#agent.addMessage({ id: message.id, role: 'user', content: message.text });
    await this.#send();
  }

  stop() {
    this.#agent.abortRun();
  }

  /** What a chat does after an answer: it asks the predicate, and sends. */
  async #check() {
    if (!this.#isRunning && this.#guard.sendAutomaticallyWhen({ messages: this.messages }))
      await this.#send();
  }

  async #send() {
    this.#isRunning = true;
    try {
      const stream = await this.#transport.sendMessages({
        chatId: this.id,
        trigger: 'submit-message',
        messageId: undefined,
        messages: this.messages,
        abortSignal: undefined,
      });
      for (const reader = stream.getReader(); !(await reader.read()).done;);
    } finally {
      this.#isRunning = false;
      this.#guard.observe(this.messages);
    }
  }

  /** One run of the agent, as a response of the SDK. The guard needs to know that it began, and how it ended. */
  #run(messages) {
    const resume = this.#resume(messages);
    return new ReadableStream({
      start: async (stream) => {
        let isStarted = false;
        const onEvent = ({ event }) => {
          if (!isStarted) stream.enqueue({ type: 'start' });
          isStarted = true;
          if (event.type === 'RUN_ERROR') stream.enqueue({ type: 'error', errorText: event.message });
        };
        try {
          await this.#agent.runAgent(resume.length > 0 ? { resume } : {}, { onEvent });
          stream.enqueue({ type: 'finish' });
          stream.close();
        } catch (error) {
          stream.error(error);
        }
      },
    });
  }

  /** The answers to all open interrupts, as the guard sends them; the agent refuses a run that leaves one out. */
  #resume(messages) {
    const open = this.#agent.pendingInterrupts;
    const approvals = new Map(
      messages.flatMap(({ parts }) => parts).map(({ approval }) => [approval?.id, approval]),
    );
    const views = new Map(this.#guard.getSnapshot().calls.map((call) => [call.approvalId, call]));
    const responses = open.map(({ id }) => {
      const { approved, reason } = approvals.get(id) ?? {};
      const status = views.get(id)?.status;
      // Nobody answered these, which AG-UI can say. A person's denial is an answer.
      if (approved === undefined || status === 'superseded' || status === 'expired')
        return [id, { status: 'cancelled' }];
      return [id, { status: 'resolved', payload: answerOf({ approved: approved === true, reason }) }];
    });
    return buildResumeArray(open, Object.fromEntries(responses));
  }
}

const answerOf = ({ approved, reason }) => ({ approved, ...(reason !== undefined && { reason }) });

const textParts = (content) =>
  typeof content === 'string' && content !== '' ? [{ type: 'text', text: content, state: 'done' }] : [];

/** What a JSON text says; `undefined` if it is cut off. */
function parsed(text) {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
