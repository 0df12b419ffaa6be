// A page in Angular, compiled where it runs. And the `Chat` of `@ai-sdk/angular`, with `ai` of either major. That package is not installed here, so this is written from
// what it is: an `AbstractChat` whose state is in signals. It copies the list with each change, and a message by
// `structuredClone`.
import '@angular/compiler';
import { Component, computed, signal } from '@angular/core';
import { useApprovalGuard, useToolApprovals } from 'tool-approval-guard/angular';

class SignalState {
  #messages;
  #status = signal('ready');
  #error = signal(undefined);

  constructor(messages = []) {
    this.#messages = signal([...messages]);
  }

  get messages() {
    return this.#messages();
  }
  set messages(messages) {
    this.#messages.set([...messages]);
  }
  get status() {
    return this.#status();
  }
  set status(status) {
    this.#status.set(status);
  }
  get error() {
    return this.#error();
  }
  set error(error) {
    this.#error.set(error);
  }

  pushMessage = (message) => this.#messages.update((messages) => [...messages, message]);
  popMessage = () => this.#messages.update((messages) => messages.slice(0, -1));
  replaceMessage = (at, message) =>
    this.#messages.update((messages) => messages.map((old, i) => (i === at ? message : old)));
  snapshot = (value) => structuredClone(value);
}

/** @param ai the SDK, of one major */
export const chatOf = ({ AbstractChat }) =>
  class Chat extends AbstractChat {
    constructor(init) {
      super({ ...init, state: new SignalState(init.messages) });
    }
  };

/** A page whose id can change, and its children. */
export const pageOf = (Chat, given, seen) => {
  const id = signal(given.id);
  const Child = Component({
    selector: 'x-child',
    inputs: ['guard', 'chat'],
    template: `@for (call of approvals.calls(); track call.key) { <p>{{ call.status }}</p> }`,
  })(
    class {
      guard;
      chat;
      approvals = useToolApprovals(
        () => this.guard(),
        () => this.chat(),
      );
      constructor() {
        seen.approvals.push(this.approvals);
      }
    },
  );
  return Component({
    selector: 'x-page',
    imports: [Child],
    template: `<b>{{ id() }}</b>@for (i of all; track i) { <x-child [guard]="guard" [chat]="chat" /> }`,
  })(
    class {
      id = id;
      all = Array.from({ length: given.children }, (_, i) => i);
      guard = useApprovalGuard(id, given.options);
      chat = computed(
        () =>
          new Chat({
            id: id(),
            messages: given.messages(id()),
            transport: this.guard().transport(given.inner),
            sendAutomaticallyWhen: this.guard().sendAutomaticallyWhen,
            onError: () => {},
          }),
      );
      constructor() {
        Object.assign(seen, { id, guard: this.guard, chat: this.chat });
      }
    },
  );
};
