import { useSyncExternalStore } from 'react';
import type { DemoGuard } from './useDemoChat.ts';

const unsubscribe = () => {};
const subscribe = () => unsubscribe;
const nothing = () => undefined;

/** What the guard knows, live; nothing without one. */
export function useGuardSnapshot(guard: DemoGuard | undefined) {
  return useSyncExternalStore(guard?.subscribe ?? subscribe, guard?.getSnapshot ?? nothing);
}
