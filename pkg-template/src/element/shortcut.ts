// A shortcut such as "Alt+Shift+A", in the syntax of `aria-keyshortcuts`.
export interface Shortcut {
  key: string;
  modifiers: ReadonlySet<string>;
}

const MODIFIERS = ['Alt', 'Control', 'Meta', 'Shift'] as const;

/** Returns `undefined` for an invalid shortcut, and for one without Alt, Control or Meta, which typing would trigger. */
export function parseShortcut(text: string): Shortcut | undefined {
  const parts = text.split('+').map((part) => part.trim().replace(/^Ctrl$/, 'Control'));
  const key = parts.pop() ?? '';
  const known = parts.every((part) => (MODIFIERS as readonly string[]).includes(part));
  const modifiers = new Set(parts);
  if (key === '' || !known || modifiers.size === 0 || (modifiers.size === 1 && modifiers.has('Shift')))
    return undefined;
  return { key: key.toLowerCase(), modifiers };
}

export function matches({ key, modifiers }: Shortcut, event: KeyboardEvent): boolean {
  // Autofill sends `keydown` events that have no key.
  if (typeof event.key !== 'string' || typeof event.code !== 'string') return false;
  // With Alt some systems produce another letter, so the physical key counts too.
  const isKey = event.key.toLowerCase() === key || event.code.toLowerCase() === `key${key}`;
  return isKey && MODIFIERS.every((name) => event.getModifierState(name) === modifiers.has(name));
}
