// A page of the chat: a real `Chat` of the SDK with a guard, connected as in the guides.
import { createApprovalGuard } from 'tool-approval-guard/sync';
import { createRecord } from 'tool-approval-guard/record';
import { createRules } from 'tool-approval-guard/rules';

import { PAGE_TOOLS, TOOLS } from './replies.mjs';

export const CHAT = 'chat';
const RULES = { rules: [{ allow: 'copy' }, { deny: 'mcp' }] };
{
  const { problems } = createRules(RULES);
  if (problems.length > 0) throw new Error(problems[0].message);
}

/** A person may change every input; what the provider runs, no page can change. */
const EDITABLE = Object.fromEntries(Object.keys(TOOLS).map((name) => [name, { editable: true }]));

/** The storage as one page sees it. After the page is closed, its writes have no effect. */
function viewOf(storage, page) {
  const never = () => new Promise(() => {});
  return Object.fromEntries(
    ['transact', 'remove', 'prune'].map((name) => [
      name,
      (...args) => (page.isClosed ? never() : storage[name](...args)),
    ]),
  );
}

export class Page {
  isClosed = false;
  /** Whether the server has nothing to resume when the page connects again. */
  resumesNothing = false;
  /** The requests of this page that reached the server. */
  requests = [];
  /** What the application was told: problems of the guard, and errors of the chat. */
  errors = [];
  events = [];
  /** What was in the chat when a request left it, by the signal of the request. */
  leaving = new WeakMap();
  /** The questions that this page has shown, those that it has sent as denied, and when it had the outputs of calls that ran. */
  shown = new Map();
  denied = new Map();
  ranAt = new Map();
  gotAt = new Map();
  arriving = [];
  refused = new Set();
  /** Lists that the chat had, as the application may set them again. */
  lists = [];
  #continues = false;
  #names = 0;

  /**
   * @param options see `history.mjs`
   * @param messages those that are loaded
   * @param storage where the record is kept
   */
  constructor(world, number, { messages = [], storage, name = `p${number}` } = {}) {
    const { sdk, options, laws } = world;
    this.world = world;
    this.number = number;
    this.loaded = messages;
    this.record = options.record
      ? createRecord({ storage: viewOf(storage, this), grants: options.record === 'grants' })
      : undefined;
    this.guard = (world.late?.createApprovalGuard ?? createApprovalGuard)({
      chatId: CHAT,
      clientTools: PAGE_TOOLS,
      tools: EDITABLE,
      onError: (error) => this.errors.push(error),
      onEvent: (entry) => this.events.push(entry),
      maxAutomaticSends: 6,
      ...options.guard,
      ...(options.rules && { rules: createRules(RULES) }),
      ...(this.record && { record: this.record }),
    });
    const guarded = this.guard.transport(world.server.transportOf(this));
    const page = this;
    this.chat = new sdk.Chat({
      id: CHAT,
      messages,
      generateId: () => `${name}-${page.#names++}`,
      transport: {
        sendMessages: (given) => {
          const leaving = {
            home: given.messages,
            homeCopy: JSON.parse(JSON.stringify(given.messages)),
            isContinued: page.#continues,
            leftAt: world.truth.now,
          };
          page.leaving.set(given.abortSignal, leaving);
          world.truth.unsent.push(Object.assign(leaving, { page }));
          return guarded.sendMessages(given);
        },
        reconnectToStream: (given) => guarded.reconnectToStream(given),
        resumeStreamIsReplay: true,
      },
      sendAutomaticallyWhen: ({ messages: asked }) => {
        if (page.isClosed) return false;
        return laws.asked(page, () => page.guard.sendAutomaticallyWhen({ messages: asked }));
      },
      onError: (error) => page.errors.push(error),
      ...(options.queue && { experimental_queue: true }),
    });
    const { sendMessage } = this.chat;
    this.chat.sendMessage = (message, more) => {
      this.#continues = message === undefined;
      try {
        return sendMessage(message, more);
      } finally {
        this.#continues = false;
      }
    };
    this.attach();
    if (options.renders) {
      this.chat['~registerMessagesCallback'](() => (this.isStale = true));
      this.guard.subscribe(() => (this.isStale = true));
    }
  }

  attach() {
    this.detach = this.guard.attach(this.chat);
  }

  /** What an application does after each change. */
  render() {
    if (!this.isStale || this.isClosed) return;
    this.isStale = false;
    if (this.world.options.renders === 'observes') this.guard.observe(this.chat.messages);
    this.guard.getSnapshot();
  }

  /** Remembers the list of the chat, if it has changed. */
  remember() {
    const { messages } = this.chat;
    if (this.lists.at(-1)?.list === messages) return;
    const had = { page: this, list: messages, copy: JSON.parse(JSON.stringify(messages)) };
    this.lists.push(had);
    this.world.lists.push(had);
  }

  /** The output of a call that ran has reached the page. */
  got(toolCallId, output) {
    const { truth } = this.world;
    const run = truth.runs.find((one) => one.toolCallId === toolCallId && one.output === output);
    if (run?.approvalId !== undefined) this.arriving.push(run.approvalId);
  }

  get messages() {
    return this.chat.messages;
  }

  get calls() {
    return this.guard.getSnapshot().calls;
  }

  close() {
    this.isClosed = true;
    this.world.server.leave(this);
    this.detach();
    this.guard.dispose();
  }
}
