// A server as an application has one: it believes the message list of a request, runs what `streamText` would run, and remembers what
// it ran. What it asks is scripted by a history.
import { chunksOf } from './replies.mjs';

const copy = (value) => JSON.parse(JSON.stringify(value));

/** The error of a transport whose server has refused the request; it contains the status. */
const withStatus = (status) => Object.assign(new Error(`status ${status}`), { statusCode: status });

/**
 * What `streamText` does with a list before it calls the model. The conversion is that of the SDK. The rest is a transcription of
 * `collectToolApprovals` and of the check of `convertToLanguageModelPrompt`, which the SDK does not export;
 * `server.test.mjs` compares it with `streamText` itself.
 *
 * @param runs the names of the tools that the server runs itself
 * @returns the approved calls that run, and the denied ones of which the page is told. It throws what the SDK throws.
 */
export async function judge(sdk, messages, runs) {
  const converted = await sdk.ai.convertToModelMessages(copy(messages));
  const { approved, denied } = collect(sdk, converted);
  const ran = approved.filter(({ call }) => !call.providerExecuted && runs.has(call.toolName));
  const results = [...ran, ...denied.filter(({ call }) => !call.providerExecuted)].map(({ call }) => ({
    type: 'tool-result',
    toolCallId: call.toolCallId,
  }));
  requireResults([...converted, ...(results.length > 0 ? [{ role: 'tool', content: results }] : [])]);
  return { approved, ran, denied };
}

/** The calls whose answers stand at the end of the list. */
function collect(sdk, messages) {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return { approved: [], denied: [] };
  const calls = new Map();
  const requests = new Map();
  for (const { role, content } of messages) {
    if (role !== 'assistant' || typeof content === 'string') continue;
    for (const part of content) {
      if (part.type === 'tool-call') calls.set(part.toolCallId, part);
      if (part.type === 'tool-approval-request') requests.set(part.approvalId, part);
    }
  }
  const results = new Map(
    last.content.filter(({ type }) => type === 'tool-result').map((part) => [part.toolCallId, part]),
  );
  const collected = new Set();
  const approved = [];
  const denied = [];
  for (const response of last.content.filter(({ type }) => type === 'tool-approval-response')) {
    const request = requests.get(response.approvalId);
    if (request === undefined) throw new Error(`AI_InvalidToolApprovalError: ${response.approvalId}`);
    const result = results.get(request.toolCallId);
    if (result !== undefined) {
      const isDenied = result.output.type === 'execution-denied';
      if (sdk.major < 7 || response.approved || !isDenied) continue;
    }
    const call = calls.get(request.toolCallId);
    if (call === undefined) throw new Error(`AI_ToolCallNotFoundForApprovalError: ${response.approvalId}`);
    if (collected.has(call.toolCallId)) continue;
    collected.add(call.toolCallId);
    (response.approved ? approved : denied).push({ approvalId: response.approvalId, call });
  }
  return { approved, denied };
}

/** Every call has its result before the next message of a user, and at the end. */
function requireResults(messages) {
  const open = new Set();
  const check = () => {
    if (open.size > 0)
      throw Object.assign(new Error('AI_MissingToolResultsError'), { toolCallIds: [...open] });
  };
  for (const { role, content } of messages) {
    if (role === 'user' || role === 'system') check();
    if (typeof content === 'string') continue;
    for (const part of content) {
      if (role === 'assistant' && part.type === 'tool-call' && !part.providerExecuted)
        open.add(part.toolCallId);
      if (role === 'tool' && part.type === 'tool-result') open.delete(part.toolCallId);
    }
  }
  check();
}

/** One response: its chunks, how far it has come, and who reads it. */
class Response {
  #readers = new Set();
  #chunks;
  #ends;
  #sent = [];

  /** @param ends 'finish', or 'break': the connection is lost after the last chunk */
  constructor({ page, chunks, ends, told }) {
    this.page = page;
    this.#chunks = chunks;
    this.#ends = ends;
    this.told = told;
  }

  /** Whether a page still reads it. */
  isReadBy(page) {
    return [...this.#readers].some((reader) => reader.page === page);
  }

  get isOver() {
    return this.#chunks === undefined;
  }

  /** Another reader, that gets the response from its beginning. A connection that ends takes along what was not read yet. */
  read(page, abortSignal) {
    const reader = { page };
    const sent = new ReadableStream({
      start: (controller) => {
        reader.controller = controller;
        for (const chunk of this.#sent) controller.enqueue(structuredClone(chunk));
        if (this.isOver) return void controller.close();
        this.#readers.add(reader);
        abortSignal?.addEventListener('abort', () => {
          if (this.#readers.delete(reader)) controller.error(new DOMException('aborted', 'AbortError'));
        });
      },
      cancel: () => void this.#readers.delete(reader),
    }).getReader();
    return new ReadableStream(
      {
        pull: async (controller) => {
          const { done, value } = await sent.read();
          if (done) return void controller.close();
          controller.enqueue(value);
          const { type, preliminary, toolCallId, output } = value;
          if (type === 'tool-output-available' && preliminary !== true) page.got(toolCallId, output);
        },
        cancel: (reason) => sent.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** Sends the next chunks, and ends after the last one. */
  push(count = Infinity) {
    for (let i = 0; i < count && this.#chunks?.length > 0; i += 1) {
      const chunk = this.#chunks.shift();
      this.#sent.push(chunk);
      this.told(chunk);
      for (const { controller } of this.#readers) controller.enqueue(structuredClone(chunk));
    }
    if (this.#chunks?.length === 0 && this.#ends === 'finish')
      this.#end(({ controller }) => controller.close());
  }

  /** The connection is lost. What was sent before has been read. */
  break() {
    this.#end(({ controller }) => controller.error(new TypeError('network error')));
  }

  /** The connections are lost, and the server goes on. */
  drop() {
    for (const { controller } of this.#readers) controller.error(new TypeError('network error'));
    this.#readers.clear();
  }

  get breaks() {
    return this.#chunks?.length === 0 && this.#ends === 'break';
  }

  #end(how) {
    this.#chunks = undefined;
    for (const reader of this.#readers) how(reader);
    this.#readers.clear();
  }

  /** The page is closed, and reads no more. */
  leave(page) {
    for (const reader of this.#readers) if (reader.page === page) this.#readers.delete(reader);
  }
}

/** The server of a chat, which has several pages. */
export class Server {
  /** All responses, oldest first. */
  responses = [];
  #sdk;
  #replies;
  #truth;
  #runs;
  #requests = 0;

  /** @param truth what really happened, see `truth.mjs` */
  constructor(sdk, replies, truth, runs) {
    this.#sdk = sdk;
    this.#replies = replies;
    this.#truth = truth;
    this.#runs = runs;
  }

  /** The responses that have not ended, oldest first. */
  get open() {
    return this.responses.filter((response) => !response.isOver);
  }

  /** The page is closed, and reads no more. */
  leave(page) {
    for (const response of this.responses) response.leave(page);
  }

  /** The transport of a page. */
  transportOf(page) {
    const never = new Promise(() => {});
    return {
      sendMessages: (options) => (page.isClosed ? never : this.#send(page, options)),
      reconnectToStream: async ({ abortSignal }) => {
        if (page.isClosed) return never;
        const response = page.resumesNothing ? undefined : this.responses.at(-1);
        if (response === undefined) return null;
        this.#truth.resumed(page, response);
        return response.read(page, abortSignal);
      },
      resumeStreamIsReplay: true,
    };
  }

  async #send(page, { messages, trigger, abortSignal }) {
    const aborted = () => new DOMException('aborted', 'AbortError');
    if (abortSignal?.aborted) throw aborted();
    const reply = this.#replies.length > 0 ? this.#replies[this.#requests % this.#replies.length] : {};
    const number = this.#requests;
    this.#requests += 1;
    const wire = copy(messages);
    const request = this.#truth.requested({ number, page, wire, given: messages, trigger, abortSignal });
    if (reply.how === 'refused') {
      this.#truth.failed(request, 'refused');
      throw withStatus(400);
    }
    let judged;
    try {
      judged = await judge(this.#sdk, wire, this.#runs);
    } catch (error) {
      this.#truth.unacceptable(request, error);
      throw withStatus(400);
    }
    const { chunks, ran } = chunksOf({ sdk: this.#sdk, reply, number, wire, judged, truth: this.#truth });
    this.#truth.ran(request, ran);
    if (reply.how === 'lost' || reply.how === 'gateway') {
      this.#truth.failed(request, reply.how);
      throw reply.how === 'lost' ? new TypeError('fetch failed') : withStatus(502);
    }
    if (abortSignal?.aborted) {
      this.#truth.failed(request, 'aborted');
      throw aborted();
    }
    const response = new Response({
      page,
      chunks,
      ends: reply.ends ?? 'finish',
      told: (chunk) => this.#truth.told(response, chunk),
    });
    response.request = request;
    request.response = response;
    this.responses.push(response);
    const stream = response.read(page, abortSignal);
    if (!reply.slow) response.push();
    return stream;
  }
}
