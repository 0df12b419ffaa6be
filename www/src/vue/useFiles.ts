import { onScopeDispose, shallowRef } from 'vue';
import type { SessionState } from '../../shared/protocol.ts';

/** The names of the files on the server that can be picked, live. */
export function useFiles(chatId: string) {
  const names = shallowRef<string[]>([]);
  const events = new EventSource(`/api/events?chat=${chatId}`);
  events.onmessage = (event: MessageEvent<string>) => {
    const { files }: SessionState = JSON.parse(event.data);
    const isThere = files.filter(({ name, lines }) => lines !== undefined && !name.startsWith('.'));
    names.value = isThere.map(({ name }) => name);
  };
  onScopeDispose(() => events.close());
  return names;
}
