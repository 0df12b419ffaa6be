// A chat transport that records what it is asked to send and plays scripted responses.
//
// A script entry is a list of chunks, or
//   reject(error)          the request fails before a response; by default the server has refused it
//   broken(chunks, error)  the response breaks after some chunks
//   hanging(chunks)        the response stays open until it is aborted
//   live()                 the test pushes the chunks itself
//   forever(entry)         this entry for every further request
//   (request) => entry     decided when asked
const HARD_CAP = 12;

/** The error of a transport whose server has refused the request; it contains the status. */
export const refusal = () => Object.assign(new Error('400 Bad Request'), { statusCode: 400 });

export const reject = (error = refusal()) => ({ kind: 'reject', error });
export const broken = (chunks, error = new Error('connection lost')) => ({ kind: 'broken', chunks, error });
export const hanging = (chunks = []) => ({ kind: 'hanging', chunks });
export const forever = (entry) => ({ kind: 'forever', entry });

/** A response that the test controls. `started` resolves when the response is requested. */
export function live() {
  let controller;
  let markStarted;
  const started = new Promise((resolve) => {
    markStarted = resolve;
  });
  return {
    kind: 'live',
    started,
    open: (c) => {
      controller = c;
      markStarted();
    },
    push: (...chunks) => {
      for (const chunk of chunks.flat(Infinity)) controller.enqueue(chunk);
    },
    close: () => controller.close(),
    fail: (error) => controller.error(error),
  };
}

const copy = (value) => JSON.parse(JSON.stringify(value));

export class ScriptedTransport {
  /** Each request as it would look on the wire, oldest first. */
  requests = [];
  reconnects = 0;

  #script;
  #replays;
  #cap;
  #open = 0;

  constructor(script = [], { replays = [], cap = HARD_CAP, replaying = false } = {}) {
    this.#script = [...script];
    this.#replays = [...replays];
    this.#cap = cap;
    if (replaying) this.resumeStreamIsReplay = true;
  }

  /** Whether any response has not ended. */
  get busy() {
    return this.#open > 0;
  }

  also(...entries) {
    this.#script.push(...entries);
  }

  sendMessages = async (options) => {
    const { abortSignal, ...rest } = options;
    const request = copy({ ...rest, aborted: abortSignal?.aborted ?? false });
    this.requests.push(request);
    if (this.requests.length > this.#cap) {
      throw new Error(`endless: more than ${this.#cap} requests`);
    }
    let entry = this.#script[0];
    if (entry?.kind === 'forever') entry = entry.entry;
    else this.#script.shift();
    if (typeof entry === 'function') entry = entry(request);
    if (entry === undefined) throw new Error(`request ${this.requests.length} is not in the script`);
    return this.#play(entry, abortSignal);
  };

  reconnectToStream = async ({ abortSignal }) => {
    this.reconnects += 1;
    const entry = this.#replays.shift();
    return entry === undefined ? null : this.#play(entry, abortSignal);
  };

  async #play(entry, abortSignal) {
    if (entry.kind === 'reject') throw entry.error;
    const chunks = Array.isArray(entry) ? entry : (entry.chunks ?? []);
    this.#open += 1;
    let ended = false;
    const end = () => {
      if (!ended) {
        ended = true;
        this.#open -= 1;
      }
    };
    return new ReadableStream({
      start: (controller) => {
        abortSignal?.addEventListener('abort', () => {
          if (ended) return;
          end();
          controller.error(new DOMException('This operation was aborted', 'AbortError'));
        });
        for (const chunk of chunks.flat(Infinity)) controller.enqueue(structuredClone(chunk));
        if (entry.kind === 'broken') {
          // When a stream errors, queued chunks are lost, so this waits until they were read.
          const later = () => {
            if (controller.desiredSize < 1) return void setTimeout(later, 0);
            end();
            controller.error(entry.error);
          };
          setTimeout(later, 0);
        } else if (entry.kind === 'live') {
          entry.open({
            enqueue: (chunk) => controller.enqueue(chunk),
            close: () => {
              end();
              controller.close();
            },
            error: (e) => {
              end();
              controller.error(e);
            },
          });
        } else if (entry.kind !== 'hanging') {
          end();
          controller.close();
        }
      },
      cancel: end,
    });
  }
}
