import { createServer } from 'node:http';
import { answerChat } from './chat.mjs';
import { openClaims } from './claims.mjs';
import { modelName } from './model.mjs';
import { buildPage } from './page.mjs';
import { Sessions } from './session.mjs';

/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { PageFile } from './page.mjs'
 * @import { Pace, Session } from './session.mjs'
 */

const MAX_BODY = 4_000_000;

/** The page runs under a strict policy: the guard needs `wasm-unsafe-eval` and nothing else. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/**
 * Serves the page together with the chat. The page is built unless it is given; a client that is no
 * browser gives none.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {string} options.host
 * @param {ReadonlyMap<string, PageFile>} [options.page]
 * @param {NodeJS.ProcessEnv} [options.env] says where the claims are kept
 * @param {Partial<Pace>} [options.pace] how long the model and its tools take, in part
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve({ port, host, page: given, env = process.env, pace = {} }) {
  const page = given ?? (await buildPage());
  const sessions = new Sessions(pace);
  const { claims, close: closeClaims } = await openClaims(env);

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  async function route(request, response) {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const endpoint = `${request.method} ${url.pathname}`;
    if (endpoint === 'POST /api/chat') {
      const body = JSON.parse(await readBody(request));
      await answerChat(await sessions.get(chatIdOf(body.id)), claims, body, response);
    } else if (endpoint === 'GET /api/state') {
      const session = await sessions.get(chatIdOf(url.searchParams.get('chat')));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await session.state(modelName)));
    } else if (endpoint === 'GET /api/events') {
      streamState(await sessions.get(chatIdOf(url.searchParams.get('chat'))), response);
    } else if (endpoint === 'POST /api/reset') {
      await sessions.drop(chatIdOf(url.searchParams.get('chat')));
      response.writeHead(204).end();
    } else {
      const file = request.method === 'GET' ? page.get(url.pathname) : undefined;
      if (!file) {
        response.writeHead(404).end('Not found');
        return;
      }
      response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
      response.setHeader('content-type', file.type);
      // Their names change with what is in them.
      if (url.pathname.startsWith('/assets/'))
        response.setHeader('cache-control', 'max-age=86400, immutable');
      response.end(file.content);
    }
  }

  const server = createServer((request, response) => {
    route(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(error instanceof BadRequest ? 400 : 500);
      response.end(String(error instanceof Error ? error.message : error));
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(undefined));
  });

  const address = server.address();
  const boundPort = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await sessions.close();
      await closeClaims();
    },
  };
}

class BadRequest extends Error {}

/** @param {unknown} value */
function chatIdOf(value) {
  if (typeof value !== 'string' || !/^[\w-]{1,64}$/.test(value)) throw new BadRequest('a chat id is missing');
  return value;
}

/** @param {IncomingMessage} request */
async function readBody(request) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > MAX_BODY) throw new BadRequest('the request is too large');
  }
  return body;
}

/** @param {Session} session @param {ServerResponse} response */
function streamState(session, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  // One after the other: an older state must not arrive after a newer one.
  let sent = Promise.resolve();
  const send = () => {
    sent = sent.then(async () => {
      response.write(`data: ${JSON.stringify(await session.state(modelName))}\n\n`);
    });
  };
  response.on('close', session.subscribe(send));
  send();
}
