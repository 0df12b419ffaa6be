// A shortcut such as "Alt+Shift+A", as one writes it for `aria-keyshortcuts`.
export interface Shortcut {
  key: string;
  modifiers: ReadonlySet<string>;
}

const MODIFIERS = ['Alt', 'Control', 'Meta', 'Shift'] as const;

/** `undefined` for what is none, or would meet what a person types: it needs Alt, Control or Meta. */
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
  // What fills in forms sends events of that name that have no key.
  if (typeof event.key !== 'string' || typeof event.code !== 'string') return false;
  // With Alt some systems make another letter of the key, so its place counts too.
  const isKey = event.key.toLowerCase() === key || event.code.toLowerCase() === `key${key}`;
  return isKey && MODIFIERS.every((name) => event.getModifierState(name) === modifiers.has(name));
}
