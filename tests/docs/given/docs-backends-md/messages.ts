import type { UIMessage } from 'ai';

/** The lists of all chats. A test looks at them. */
export const stored = new Map<string, UIMessage[]>();

export const load = async (chatId: string): Promise<UIMessage[]> => structuredClone(stored.get(chatId) ?? []);

export const save = async (chatId: string, messages: UIMessage[]): Promise<void> => {
  stored.set(chatId, structuredClone(messages));
};
