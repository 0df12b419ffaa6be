import { isToolUIPart } from 'ai';
import type { ChatRequestBody } from '../shared/protocol.ts';
import type { DemoMessage } from './message.ts';

const keyOf = (chatId: string) => `approval-demo:${chatId}`;

/** Keeps the messages of a chat as a server would: with each request, and when its response has ended. */
export function createKeeper(chatId: string) {
  const keeper = {
    /** What an earlier page has kept. */
    messages: JSON.parse(localStorage.getItem(keyOf(chatId)) ?? '[]') as DemoMessage[],
    /** The server stores a question before its answer, and never the answer. */
    lags: false,
    /** Each request fails. */
    isDown: false,
    keep(messages: readonly DemoMessage[]) {
      if (keeper.lags && messages.at(-1)?.parts.some(isAnswered)) return;
      localStorage.setItem(keyOf(chatId), JSON.stringify(messages));
    },
    /** Keeps what leaves. */
    through:
      (fetch: typeof globalThis.fetch): typeof fetch =>
      async (input, init) => {
        const { messages }: ChatRequestBody = JSON.parse(String(init?.body));
        keeper.keep(messages as DemoMessage[]);
        if (keeper.isDown) return new Response('The server is down, on purpose.', { status: 503 });
        return fetch(input, init);
      },
  };
  return keeper;
}

export type Keeper = ReturnType<typeof createKeeper>;

const isAnswered = (part: DemoMessage['parts'][number]) =>
  isToolUIPart(part) && part.approval?.approved !== undefined;

export const forgetMessages = (chatId: string) => localStorage.removeItem(keyOf(chatId));

export const inAddress = (name: string) => new URLSearchParams(location.search).get(name) ?? undefined;

/** The chat that the address names, so that a reload and a second tab have the same one. */
export const chatOfAddress = () => inAddress('chat');
export const isGuardedInAddress = () => inAddress('guard') !== 'without';

/** @param chat nothing where no chat is kept */
export function putInAddress(chat: string | undefined, scenario: string, guarded = true) {
  const query =
    chat &&
    new URLSearchParams({
      chat,
      ...(scenario === 'claims' && { scenario }),
      ...(!guarded && { guard: 'without' }),
    });
  history.replaceState(null, '', location.pathname + (query ? `?${query}` : ''));
}
