// Elements made of text only: nothing here can turn text into markup.
import type { Token } from '../escape-invisible.js';

type Child = Node | string;

/** An element with its attributes and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name] ?? '');
  element.append(...children);
  return element;
}

/** A text for assistive technology only. */
export const visuallyHidden = (text = ''): HTMLSpanElement => h('span', { class: 'unseen' }, text);

/** Writes a text only if it differs, so that nothing is announced twice and no selection is lost. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Puts the children into this order. It moves only those that are out of place, because a moved element loses
 * the focus.
 */
export function setChildren(parent: Element, wanted: readonly Element[]): void {
  const stays = new Set(wanted);
  for (const child of [...parent.children]) if (!stays.has(child)) child.remove();
  let there = parent.firstElementChild;
  for (const child of wanted) {
    if (there === child) there = there.nextElementSibling;
    else parent.insertBefore(child, there);
  }
}

/** Letters that are written from right to left. */
const FROM_RIGHT = /([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]+)/u;

/** Nodes for a text, with its invisible characters set apart. */
export function shown(tokens: readonly Token[]): Child[] {
  return tokens.map(({ text, kind }) => (kind === 'hidden' ? h('span', { part: 'hidden' }, text) : text));
}

/** The same for code. Each of its words from right to left is isolated, so that they change no order. */
export function shownAsCode(tokens: readonly Token[]): Child[] {
  return shown(tokens).flatMap<Child>((child) =>
    typeof child === 'string'
      ? child.split(FROM_RIGHT).map((piece, i) => (i % 2 === 0 ? piece : h('bdi', {}, piece)))
      : [child],
  );
}
