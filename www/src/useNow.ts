import { useEffect, useState } from 'react';

const TICK_MS = 250;

/** The time, running while something counts down. */
export function useNow(runs: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!runs) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

/** Whole seconds until then, never below zero. */
export const secondsUntil = (end: number, now: number) => Math.max(0, Math.ceil((end - now) / 1000));
