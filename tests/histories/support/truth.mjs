// What really happened in a history: what the server asked and ran, what the pages sent, and what the person and the application
// did. It is written down by the server and by the pages, and never asks the guard.
import { TOOLS } from './replies.mjs';

const text = (value) => JSON.stringify(value);
const NOTE = 'tool-approval-guard';

/** What a call was asked with, if a part, or its call in a model's message, says that its input was changed. */
export const askedFor = ({ callProviderMetadata, providerOptions = callProviderMetadata }) =>
  providerOptions?.[NOTE]?.editedFrom;

export class Truth {
  /** All calls that the server has made, oldest first. */
  calls = [];
  /** All questions by their approval ids. */
  questions = new Map();
  /** Each time that a tool ran, oldest first. */
  runs = [];
  /** All requests that reached the server, oldest first. */
  requests = [];
  /** The lists of requests that have left their page and not reached the server. */
  unsent = [];
  /** What the person and the application did, oldest first. */
  acts = [];
  /** How often each interesting case occurred. */
  seen = new Map();
  #now = 0;
  #laws;

  /** @param laws is told of everything as it happens */
  constructor(laws) {
    this.#laws = laws;
  }

  get now() {
    return this.#now;
  }

  #next() {
    return (this.#now += 1);
  }

  /** An interesting case has occurred. */
  saw(what) {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }

  // ---- the server --------------------------------------------------------------------------

  /** A new call. Its id and its input together are never those of another call. */
  call(
    sdk,
    {
      tool,
      shared = 0,
      counted = false,
      streams = false,
      answers = false,
      why = false,
      elsewhere = false,
      free = false,
    },
    place,
  ) {
    const serial = this.calls.length;
    const isShared = shared > 0 && !counted;
    const call = {
      serial,
      tool,
      callId: counted ? `call_${place}` : `c${serial}`,
      input: isShared ? { k: shared } : { n: serial },
      streams,
      answers,
      // Only `ai` 7 has a chunk for it.
      elsewhere: elsewhere && sdk.major >= 7 && Boolean(TOOLS[tool].asks && TOOLS[tool].runs),
      questions: [],
    };
    if (counted && this.calls.some(({ callId }) => callId === call.callId)) this.saw('a call id comes again');
    if (call.elsewhere) this.saw('a call is answered elsewhere');
    if (TOOLS[tool].asks)
      call.question = this.#question(call, {
        ...(!free && { signature: `s-a${this.questions.size}` }),
        ...(sdk.major >= 7 && why && { requestReason: 'over the limit' }),
      });
    this.calls.push(call);
    return call;
  }

  #question(call, more = {}, input = call.input) {
    const approvalId = `a${this.questions.size}`;
    const fields = { id: approvalId, ...more };
    const question = { approvalId, call, fields, input, toldAt: undefined, repeats: [], at: this.#next() };
    call.questions.push(question);
    this.questions.set(approvalId, question);
    return question;
  }

  /** The server does not accept an answer, and asks again. */
  askAgain(approvalId, input) {
    const { call } = this.questions.get(approvalId);
    this.saw('a question is asked again');
    return this.#question(call, {}, input).approvalId;
  }

  /** The same, with the same approval id. Returns the fields of the chunk. */
  repeat(approvalId) {
    const question = this.questions.get(approvalId);
    const { signature, requestReason } = question.fields;
    question.repeats.push(this.#next());
    this.saw('a question is repeated');
    return {
      approvalId,
      ...(signature !== undefined && { signature }),
      ...(requestReason !== undefined && { reason: requestReason }),
    };
  }

  /** A tool runs. */
  run(approvalId, { toolName, toolCallId, input, providerOptions }) {
    const call = this.find({ toolCallId, toolName, input: askedFor({ providerOptions }) ?? input });
    const run = {
      approvalId,
      toolName,
      toolCallId,
      input,
      call,
      at: this.#next(),
      output: { ran: this.runs.length },
    };
    this.runs.push(run);
    return run;
  }

  /** The calls of a request that ran. */
  ran(request, calls) {
    request.ran = calls.map(({ approvalId }) => approvalId);
    for (const { approvalId, call } of calls) this.#laws.check('ran', request, approvalId, call);
  }

  /** A chunk has left the server. */
  told(response, chunk) {
    if (chunk.type === 'start') response.messageId = chunk.messageId;
    if (chunk.type !== 'tool-approval-request') return;
    const question = this.questions.get(chunk.approvalId);
    question.toldAt ??= this.#next();
    question.response ??= response;
  }

  // ---- requests ----------------------------------------------------------------------------

  requested({ number, page, wire, given, trigger, abortSignal }) {
    const leaving = page.leaving.get(abortSignal);
    if (leaving === undefined) throw new Error('a request has lost its signal');
    this.unsent = this.unsent.filter((one) => one !== leaving);
    const request = { number, page, wire, given, trigger, at: this.#next(), ran: [], ...leaving };
    this.requests.push(request);
    page.requests.push(request);
    if (page.world.server.open.length > 0) this.saw('two responses overlap');
    this.#laws.requested(request);
    return request;
  }

  failed(request, how) {
    request.failed = how;
    this.saw(`a request is ${how}`);
  }

  unacceptable(request, error) {
    request.failed = 'unacceptable';
    this.#laws.check('unacceptable', request, error);
  }

  resumed(page, response) {
    this.saw('a stream is resumed');
    this.acts.push({ act: 'reconnect', page, response, at: this.#next() });
  }

  // ---- pages -------------------------------------------------------------------------------

  /** The person or the application has done something. */
  act(page, act, more = {}) {
    const done = { page, act, at: this.#next(), turn: page?.world.turns, ...more };
    this.acts.push(done);
    return done;
  }

  // ---- reading -----------------------------------------------------------------------------

  /** A list of messages as the server has stored it: what it ran and was told counts, and nothing that only a page knows. */
  stored(messages) {
    return structuredClone(messages).map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        isTool(part) && part.state !== 'input-streaming' ? this.#stored(part) : part,
      ),
    }));
  }

  /** A part with the input with which its call ran, or was made. */
  #inputOf(part, { input, call }) {
    if (text(part.input) === text(input)) return part;
    const { callProviderMetadata: _, ...rest } = part;
    const isChanged = call !== undefined && text(input) !== text(call.input);
    return {
      ...rest,
      input,
      ...(isChanged && { callProviderMetadata: { [NOTE]: { editedFrom: call.input } } }),
    };
  }

  #stored(part) {
    const call = this.isUnclear(part) ? undefined : this.callOf(part);
    if (call === undefined) return part;
    const { state, output, errorText, preliminary, approval, ...rest } = part;
    const run = this.runs.findLast((one) => one.call === call);
    const { fields } = this.questions.get(run?.approvalId ?? approval?.id) ?? {};
    const approved = (value) => (fields ? { approval: { ...fields, approved: value } } : {});
    if (run)
      return {
        ...this.#inputOf(rest, run),
        state: 'output-available',
        output: run.output,
        ...approved(true),
      };
    const told = this.requests
      .filter(({ failed }) => failed === undefined)
      .flatMap(({ wire }) => toolParts(wire).filter((one) => this.callOf(one) === call))
      .at(-1);
    // What a page has put out or answered, and sent.
    const isAnswered = typeof told?.approval?.approved === 'boolean';
    if (told && (isAnswered || told.output !== undefined || told.errorText !== undefined)) return { ...told };
    return fields
      ? { ...this.#inputOf(rest, call), state: 'approval-requested', approval: fields }
      : { ...rest, state: 'input-available' };
  }

  /** The call with this id and tool that was asked with this input. */
  find({ toolCallId, toolName, input }) {
    const isOf = (call) => [call, ...call.questions].some((one) => text(one.input) === text(input));
    return this.calls.findLast((call) => call.callId === toolCallId && call.tool === toolName && isOf(call));
  }

  /** The input with which a page shows a question. */
  shownInput(page, approvalId) {
    const part = toolParts(page.messages).findLast(({ approval }) => approval?.id === approvalId);
    return part?.state === 'approval-requested' ? part.input : this.questions.get(approvalId)?.input;
  }

  /** The calls that a part may show whose input was cut off: an id may have come again. */
  #callsOf(part) {
    const isCutOff =
      part.input === undefined || part.rawInput !== undefined || part.state === 'input-streaming';
    if (!isCutOff) return [];
    const calls = this.calls.filter(
      ({ callId, tool }) => callId === part.toolCallId && tool === nameOf(part),
    );
    const { call } = this.questions.get(part.approval?.id) ?? {};
    return calls.includes(call) ? [call] : calls;
  }

  /** Whether nobody can tell which call a part shows. */
  isUnclear(part) {
    return this.#callsOf(part).length > 1;
  }

  /** The call that a part of a message shows. */
  callOf(part) {
    const calls = this.#callsOf(part);
    if (calls.length > 0) return calls.at(-1);
    const input = askedFor(part) ?? part.input;
    return this.find({ toolCallId: part.toolCallId, toolName: nameOf(part), input });
  }
}

export const isTool = (part) => part.type === 'dynamic-tool' || part.type.startsWith('tool-');
export const nameOf = (part) => (part.type === 'dynamic-tool' ? part.toolName : part.type.slice(5));
export const toolParts = (messages) => messages.flatMap(({ parts }) => parts.filter(isTool));

/** The parts of the last step, if the last message is the assistant's. */
export function lastStep(messages) {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  return last.parts.slice(last.parts.findLastIndex(({ type }) => type === 'step-start') + 1);
}
