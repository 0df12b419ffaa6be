// The other end of backend.py: a `ChatTransport` of the AI SDK over one WebSocket.
const VERSION = '1.0';

/** Sends each request as a frame, and reads its chunks from the frames that have its id. */
export class WebSocketTransport {
  #open;
  #socket;
  /** By the id of the request. */
  #requests = new Map();

  /** @param {() => WebSocket} open creates a connection: at first, and again after one has closed */
  constructor(open) {
    this.#open = open;
  }

  async sendMessages({ chatId, messages, abortSignal }) {
    const socket = await this.#connected();
    abortSignal?.throwIfAborted();
    const requestId = crypto.randomUUID();
    const data = { requestId, chatId, messages };
    socket.send(JSON.stringify({ type: 'message', version: VERSION, data }));
    return new Promise((resolve, reject) => {
      const request = new Request(socket, resolve, reject);
      this.#requests.set(requestId, request);
      const abort = () => {
        if (this.#requests.delete(requestId))
          request.fail(new DOMException('The request was stopped.', 'AbortError'));
      };
      abortSignal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** To continue a response, send its request again: `guard.retry()` does. */
  async reconnectToStream() {
    return null;
  }

  #connected() {
    this.#socket ??= new Promise((resolve, reject) => {
      const socket = this.#open();
      socket.addEventListener('open', () => resolve(socket));
      socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(data)));
      socket.addEventListener('error', () => {});
      socket.addEventListener('close', () => {
        this.#socket = undefined;
        const error = new Error('The connection has closed.');
        reject(error);
        for (const [id, request] of this.#requests) {
          if (request.socket !== socket) continue;
          this.#requests.delete(id);
          request.fail(error);
        }
      });
    });
    return this.#socket;
  }

  #receive({ type, data }) {
    const request = this.#requests.get(data.requestId);
    if (request === undefined) return;
    const forget = () => this.#requests.delete(data.requestId);
    if (type === 'chunk') return request.push(data.chunk, forget);
    forget();
    if (type === 'end') return request.end();
    // With a status the guard knows that the request was refused, and that nothing ran.
    request.fail(Object.assign(new Error(data.code), { statusCode: data.status }));
  }
}

/** A request whose response is a stream from its first chunk on. */
class Request {
  #controller;
  #resolve;
  #reject;

  constructor(socket, resolve, reject) {
    this.socket = socket;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** @param {() => void} cancel is called when nobody reads the response any more */
  push(chunk, cancel) {
    if (this.#controller === undefined) {
      this.#resolve(new ReadableStream({ start: (controller) => (this.#controller = controller), cancel }));
    }
    this.#controller.enqueue(chunk);
  }

  end() {
    this.#controller.close();
  }

  fail(error) {
    if (this.#controller) this.#controller.error(error);
    else this.#reject(error);
  }
}
