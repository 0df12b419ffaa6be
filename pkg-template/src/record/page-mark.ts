/** The prefix of the keys in `sessionStorage`, which survives a reload of the tab. */
const PREFIX = 'tool-approval-guard:page:';

/** The mark that the previous page in the same tab has left when it was hidden for good. */
export interface PageMark {
  /** The session of that page, for which no other tab has to wait. */
  session: string;
  /** The number of entries that it knew, so that an older copy of the record is recognized. */
  length: number;
  /** The time at which it was hidden, in milliseconds since the epoch. If the current time is earlier, the clock was set back. */
  at: number;
}

/**
 * Leaves a mark for the next page of this tab. Without one, that page has to wait until the lease of this
 * page ends.
 */
export function leaveMark(chat: string, { session, length, at }: PageMark): void {
  try {
    globalThis.sessionStorage?.setItem(PREFIX + chat, `${session} ${length} ${at}`);
  } catch {
    // Without access to storage, no mark is left.
  }
}

/**
 * Takes and removes the mark of the previous page. A copy of the tab that is opened later does not find it.
 */
export function takeMark(chat: string): PageMark | undefined {
  try {
    const text = globalThis.sessionStorage?.getItem(PREFIX + chat) ?? '';
    globalThis.sessionStorage?.removeItem(PREFIX + chat);
    const [session = '', length, at] = text.split(' ');
    return session === '' ? undefined : { session, length: Number(length) || 0, at: Number(at) || 0 };
  } catch {
    return undefined;
  }
}
