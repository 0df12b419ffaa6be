// What the person answered for longer, and how to end it.
import type { GrantView, Snapshot } from '../prompt.js';
import { revealed } from '../reveal.js';
import { button, type Desk } from './desk.js';
import { h, setChildren, setHidden, setText } from './dom.js';
import { calm } from './card.js';
import { InputView } from './input.js';

const GIVING: readonly unknown[] = ['allowed-chat', 'denied-chat'];

interface Item {
  root: HTMLLIElement;
  life: HTMLElement;
  /** What the call was given, where the grant depends on it. */
  input: InputView | undefined;
}

export class Grants {
  readonly root: HTMLDetailsElement;
  readonly summary = h('summary');
  readonly #desk: Desk;
  readonly #list = h('ul');
  readonly #items = new Map<string, Item>();

  constructor(desk: Desk) {
    this.#desk = desk;
    this.root = h('details', { part: 'grants' }, this.summary, this.#list);
  }

  update({ grants, calls }: Snapshot, now: number): void {
    setHidden(this.root, grants.length === 0);
    setText(this.summary, this.#desk.say('queue.grants', { n: grants.length }));
    for (const id of this.#items.keys()) {
      if (grants.some((grant) => grant.id === id)) continue;
      const root = this.#items.get(id)?.root;
      if (root) this.#desk.release(root);
      this.#items.delete(id);
    }
    const items = grants.map((grant) => {
      const item = this.#items.get(grant.id) ?? this.#make(grant);
      this.#items.set(grant.id, item);
      setText(item.life, this.#life(grant, now));
      // A call id may come again, so the call is the one whose answer gave the grant.
      const call =
        item.input && calls.find((call) => call.grantId === grant.id && GIVING.includes(call.outcome));
      if (call) item.input?.update(call);
      return item.root;
    });
    setChildren(this.#list, items);
  }

  #make({ id, type, toolName, covers, words: { scope } }: GrantView): Item {
    const { say, guard } = this.#desk;
    const allows = type === 'allow';
    const life = h('p', { part: 'life' });
    const revoke = button('revoke', say(allows ? 'action.revoke' : 'action.revokeDeny'), scope);
    const said = say(allows ? 'queue.allowedScope' : 'queue.deniedScope', { scope });
    const title = h('p', { part: 'scope' }, h('bdi', {}, said));
    // The words name the tool, except for "exactly this call".
    const name = revealed(toolName, { lines: false });
    if (covers === 'input') title.prepend(h('code', {}, h('bdi', {}, name)), ' ');
    const input = covers === 'tool' ? undefined : new InputView(say);
    const root = h('li', { part: 'grant', 'data-grant': type }, title, life, revoke);
    if (input) title.after(input.root);
    const act = () => {
      guard.revoke(id);
      this.#desk.changed(root, () => (this.root.hidden ? undefined : this.summary));
    };
    this.#desk.guarded(revoke, act, () => this.#desk.early());
    return { root, life, input };
  }

  #life({ uses, endsAt, status }: GrantView, now: number): string {
    const { say } = this.#desk;
    if (status !== 'active') return say('queue.unsent');
    const used = say('queue.uses', { n: uses });
    return endsAt === undefined ? used : `${used} ${say('queue.ends', { time: calm(endsAt - now) })}`;
  }
}
