// The real runtimes of assistant-ui, beside a server that all of their threads share. Import `./page.mjs` before this.
import React from 'react';
import { AssistantRuntimeProvider } from '@assistant-ui/core/react';
import { AISDKThreads, AssistantChatTransport, useAISDKChat } from '@assistant-ui/ai-sdk';
import { AuiConfig, createAssistantClient } from '@assistant-ui/store/client';
import { flushTapSync } from '@assistant-ui/tap';

import { until } from './chat.mjs';
import { page } from './page.mjs';
import { continued, gated, outputAvailable, outputDenied, response } from './chunks.mjs';

/**
 * A server behind `fetch`. It asks about the calls `c1` of `rm` and `c2` of `ls` after each message, with the same ids
 * in every thread, and runs what was allowed.
 *
 * @param allowed the calls that it was allowed to run through another channel
 */
export function serverOf({ allowed = new Set() } = {}) {
  const requests = [];
  const reply = ({ messages }) => {
    const last = messages.at(-1);
    if (last.role === 'user') return response(`a${requests.length}`, gated('c1', 'rm'), gated('c2', 'ls'));
    const answers = last.parts.filter(({ state }) => state === 'approval-responded');
    const settled = answers.map(({ toolCallId, approval }) =>
      approval.approved ? outputAvailable(toolCallId) : outputDenied(toolCallId),
    );
    return continued([...settled, ...[...allowed].map((callId) => outputAvailable(callId))]);
  };
  const fetch = async (_, { body }) => {
    const request = JSON.parse(body);
    requests.push(request);
    const lines = reply(request)
      .flat(Infinity)
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
    return new Response(`${lines.join('')}data: [DONE]\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  };
  return {
    requests,
    transport: () => new AssistantChatTransport({ api: 'https://page.example/api/chat', fetch }),
    /** The requests of one thread, by its id. */
    of: (id) => requests.filter((request) => request.id === id),
  };
}

/** The part of a call in the last message of a request. */
export const sent = (request, callId) =>
  request.messages.at(-1).parts.find(({ toolCallId }) => toolCallId === callId);

/** What a person does in the thread that is shown. `chat()` is what `useAISDKChat` returns there. */
export function acting(chat) {
  const settle = () => until(() => ['ready', 'error'].includes(chat()?.status));
  const then = async (act) => {
    await act;
    await settle();
  };
  return {
    chat,
    settle,
    say: (text = 'go') => then(chat().sendMessage({ text })),
    answer: (callId, approved, reason) =>
      then(chat().addToolApprovalResponse({ id: `ap-${callId}`, approved, reason })),
    put: (toolCallId, tool, output) => then(chat().addToolOutput({ tool, toolCallId, output })),
    part: (callId) =>
      chat()
        .messages.flatMap(({ parts }) => parts)
        .find(({ toolCallId }) => toolCallId === callId),
  };
}

/**
 * The threads of a runtime in a page.
 *
 * @param useRuntime the hook that creates the runtime
 * @param useThread a hook of the component that shows a thread, called with its chat; `shown()` is its result
 */
export function runtimeThreads(useRuntime, useThread) {
  let runtime;
  let chat;
  let shown;
  function Shown() {
    shown = useThread(chat);
    return null;
  }
  function Thread() {
    chat = useAISDKChat();
    return chat === undefined ? null : React.createElement(Shown);
  }
  function App() {
    runtime = useRuntime();
    return React.createElement(AssistantRuntimeProvider, { runtime }, React.createElement(Thread));
  }
  const handle = page(() => React.createElement(App));
  const id = () => runtime.threads.getState().mainThreadId;
  const isShown = () => until(() => chat !== undefined && chat.id === id());
  return {
    ...acting(() => chat),
    ready: isShown,
    shown: () => shown,
    respond: (callId, answer) => {
      const { length } = runtime.thread.getState().messages;
      const part = runtime.thread.getMessageByIndex(length - 1).getMessagePartByToolCallId(callId);
      return part.respondToToolApproval(answer);
    },
    open: async (to) => {
      await (to === undefined ? runtime.threads.switchToNewThread() : runtime.threads.switchToThread(to));
      await isShown();
      return id();
    },
    id,
    end: handle.unmount,
  };
}

/** `AISDKThreads` in a client of its own. */
export function threads(options) {
  const handle = createAssistantClient(AuiConfig({ threads: AISDKThreads(options) }));
  handle.subscribe(() => {});
  const state = () => handle.getClient().threads.getState();
  const app = acting(() => handle.getClient().thread.getState().extras?.chat);
  return {
    ...app,
    ready: app.settle,
    id: () => state().mainThreadId,
    open: async (id) => {
      flushTapSync(() => {
        const { threads } = handle.getClient();
        if (id === undefined) threads.switchToNewThread();
        else threads.switchToThread(id);
      });
      await app.settle();
      return state().mainThreadId;
    },
    end: () => handle.destroy(),
  };
}
