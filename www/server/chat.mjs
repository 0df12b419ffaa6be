import {
  convertToModelMessages,
  createUIMessageStream,
  isStepCount,
  pipeUIMessageStreamToResponse,
  streamText,
  toUIMessageStream,
} from 'ai';
import { modelFor } from './model.mjs';
import { toolApprovalFor, toolsFor } from './tools.mjs';
import { readCalls } from '../shared/calls.mjs';

/**
 * @import { ServerResponse } from 'node:http'
 * @import { Claims } from 'tool-approval-guard/claims'
 * @import { ChatRequestBody, ReceivedRequest } from '../shared/protocol.ts'
 * @import { Session } from './session.mjs'
 */

/** Without a guard the empty answer loops for ever. The demo ends it after so many requests. */
const LOOP_CAP = 8;

const SYSTEM =
  'You tidy up a small folder with your tools. Call independent tools in one step. ' +
  'When a call is denied, do not try it again. Answer in one or two sentences.';

/** What a page shows of a refused request. @type {Record<string, string>} */
const REFUSED = {
  running: 'This answer came from another page, and its tool still runs. Try again later.',
  replayed: 'This call was decided elsewhere.',
};

/**
 * Answers one request of the chat with the real `streamText`. What the user has approved runs once, if the page has the
 * server claim it.
 *
 * @param {Session} session
 * @param {Claims} claims
 * @param {ChatRequestBody} body
 * @param {ServerResponse} response
 */
export async function answerChat(session, claims, body, response) {
  const { id: chatId, requestId, scenario, claimed = false, messages: received, trigger } = body;
  /** @type {ReceivedRequest} */
  const request = { id: requestId, trigger, calls: readCalls(received), told: [], answer: 'stream' };
  session.requests.push(request);

  const isContinuation = received.at(-1)?.role === 'assistant';
  if (
    scenario === 'failing' &&
    isContinuation &&
    !session.requests.some(({ answer }) => answer === 'error')
  ) {
    request.answer = 'error';
    session.changed();
    response.writeHead(503, { 'content-type': 'text/plain' }).end('The server stumbled, on purpose.');
    return;
  }

  const taken = claimed ? await claims.take(chatId, received) : undefined;
  if (taken?.ok === false) {
    request.answer = 'refused';
    session.changed();
    const { status, error = '' } = taken;
    response.writeHead(status, { 'content-type': 'text/plain' }).end(REFUSED[error] ?? `Refused: ${error}.`);
    return;
  }
  const messages = taken?.messages ?? received;

  // There may be no package yet, and then the page says so.
  const { tellEdits } = await import('../../pkg/server.js');
  const own = toolsFor(session, scenario);
  const tools = claimed ? claims.tools(own, { chatId }) : own;
  const result = streamText({
    model: modelFor(scenario, session.pace, (told) => {
      request.told = told;
      session.changed();
    }),
    instructions: SYSTEM,
    // An input that the person has changed runs as it is now, and the model reads that it was changed.
    messages: tellEdits(await convertToModelMessages(messages, { tools })),
    tools,
    toolApproval: toolApprovalFor(scenario),
    stopWhen: isStepCount(5),
    onError: () => {},
  });

  if (scenario === 'empty' && isContinuation && session.requests.length < LOOP_CAP) {
    // The call runs, but its answer is lost on the way, as behind a proxy that drops the body.
    request.answer = 'empty';
    await result.consumeStream();
    session.changed();
    const stream = createUIMessageStream({ execute: () => {} });
    await pipeUIMessageStreamToResponse({ response, stream });
    return;
  }

  const stream = toUIMessageStream({
    stream: result.stream,
    originalMessages: messages,
    generateMessageId: () => crypto.randomUUID(),
    onEnd: async ({ responseMessage }) => {
      if (claimed) await claims.asked(chatId, responseMessage);
    },
    onError: (error) => (error instanceof Error ? error.message : String(error)),
  });
  await pipeUIMessageStreamToResponse({ response, stream });
}
