import { useEffect, useState } from 'react';
import type { SessionState } from '../shared/protocol.ts';

const EMPTY: SessionState = { model: '', files: [], runs: [], requests: [] };

/** The folder on the server and what ran in it, live. */
export function useSession(chatId: string): SessionState {
  const [state, setState] = useState(EMPTY);
  useEffect(() => {
    const events = new EventSource(`/api/events?chat=${chatId}`);
    events.onmessage = (event: MessageEvent<string>) => setState(JSON.parse(event.data));
    return () => events.close();
  }, [chatId]);
  return state;
}
