// The grants of the chat, each with the button that revokes it.
import type { GrantView, Snapshot } from '../prompt.js';
import { button, type QueueContext } from './context.js';
import { h, setChildren, setHidden, setText } from './dom.js';
import { roundTime } from './card-body.js';
import { InputView } from './input.js';

const GIVING: readonly unknown[] = ['allowed-chat', 'denied-chat'];

interface Item {
  root: HTMLLIElement;
  life: HTMLElement;
  /** The input of the call, if the grant depends on it. */
  input: InputView | undefined;
}

export class Grants {
  readonly root: HTMLDetailsElement;
  readonly summary = h('summary');
  readonly #context: QueueContext;
  readonly #list = h('ul');
  readonly #items = new Map<string, Item>();

  constructor(context: QueueContext) {
    this.#context = context;
    this.root = h('details', { part: 'grants' }, this.summary, this.#list);
  }

  update({ grants, calls }: Snapshot, now: number): void {
    setHidden(this.root, grants.length === 0);
    setText(this.summary, this.#context.translate('queue.grants', { n: grants.length }));
    for (const id of this.#items.keys()) {
      if (grants.some((grant) => grant.id === id)) continue;
      const root = this.#items.get(id)?.root;
      if (root) this.#context.release(root);
      this.#items.delete(id);
    }
    const items = grants.map((grant) => {
      const item = this.#items.get(grant.id) ?? this.#make(grant);
      this.#items.set(grant.id, item);
      setText(item.life, this.#life(grant, now));
      // A call id may occur again, so this looks for the call whose answer gave the grant.
      const call =
        item.input && calls.find((call) => call.grant?.id === grant.id && GIVING.includes(call.outcome));
      if (call) item.input?.update(call.display);
      return item.root;
    });
    setChildren(this.#list, items);
  }

  #make(grant: GrantView): Item {
    const { id, type, label, covers } = grant;
    const { translate, guard, words } = this.#context;
    const scope = words.grant(grant);
    const allows = type === 'allow';
    const life = h('p', { part: 'life' });
    const revoke = button('revoke', translate(allows ? 'action.revoke' : 'action.revokeDeny'), scope);
    const said = translate(allows ? 'queue.allowedScope' : 'queue.deniedScope', { scope });
    const title = h('p', { part: 'scope' }, h('bdi', {}, said));
    // The text of the scope names the tool, except for "exactly this call".
    if (covers === 'input') title.prepend(h('code', {}, h('bdi', {}, label)), ' ');
    const input = covers === 'tool' ? undefined : new InputView(translate);
    const root = h('li', { part: 'grant', 'data-grant': type }, title, life, revoke);
    if (input) title.after(input.root);
    const act = () => {
      guard.revoke(id);
      this.#context.refresh(root, () => (this.root.hidden ? undefined : this.summary));
    };
    this.#context.onPress(revoke, act, () => this.#context.reportEarly());
    return { root, life, input };
  }

  #life({ uses, endsAt, status }: GrantView, now: number): string {
    const { translate } = this.#context;
    if (status !== 'active') return translate('queue.unsent');
    const used = translate('queue.uses', { n: uses });
    return endsAt === undefined
      ? used
      : `${used} ${translate('queue.ends', { time: roundTime(endsAt - now) })}`;
  }
}
