import type { GuardError } from 'tool-approval-guard';
import { readCalls } from '../shared/calls.mjs';
import type { ChatRequestBody, Head, SentCall } from '../shared/protocol.ts';

export interface SentRequest {
  id: string | undefined;
  /** Did a person write it, or does it continue the assistant's message? */
  kind: 'message' | 'continuation';
  calls: SentCall[];
  /** How far the record was. */
  head: Head | undefined;
}

export interface Recording {
  requests: readonly SentRequest[];
  /** What the guard reported through `onError`. */
  reports: readonly GuardError[];
}

/** Notes what really leaves the browser: the body that is handed to `fetch`, not the chat's state. */
export function createRecorder() {
  let recording: Recording = { requests: [], reports: [] };
  const listeners = new Set<() => void>();
  const update = (change: Partial<Recording>) => {
    recording = { ...recording, ...change };
    for (const listener of listeners) listener();
  };

  return {
    fetch: (input: RequestInfo | URL, init?: RequestInit) => {
      const { requestId: id, recordHead: head, messages }: ChatRequestBody = JSON.parse(String(init?.body));
      const kind = messages.at(-1)?.role === 'assistant' ? 'continuation' : 'message';
      update({ requests: [...recording.requests, { id, kind, calls: readCalls(messages), head }] });
      return fetch(input, init);
    },
    report: (error: GuardError) => update({ reports: [...recording.reports, error] }),
    getSnapshot: () => recording,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export type Recorder = ReturnType<typeof createRecorder>;
