// The ledger says what has happened, and who has caused it.
import { PAGE_TOOLS } from '../replies.mjs';
import { toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { hasOutput } from './shown.mjs';

/** Of an entry about a request that failed. */
const hasNotLeft = ({ actor, doubt }) => actor !== 'server' && doubt === false;

/** When an entry of the ledger is true. */
const TRUE = {
  sent({ toolCallId, approvalId, request }, acts, { truth }, page) {
    const isIn = ({ wire }) =>
      toolParts(wire).some((part) => part.toolCallId === toolCallId && part.approval?.id === approvalId);
    const failed = page.events.find((entry) => entry.type === 'failed' && entry.request === request);
    return truth.requests.some((one) => one.page === page && isIn(one)) || (failed && hasNotLeft(failed));
  },
  // To continue looks like an edit of the last message: what the application has taken away may be said to be gone by it.
  gone: ({ actor }, acts, laws, page) =>
    !['edit', 'regenerate'].includes(actor) ||
    acts.some((one) => one.page === page && [actor, 'list'].includes(one.act)),
  answered({ actor, approvalId, approved, edited }, acts, laws, page) {
    const decided = acts.filter((one) => ['decide', 'answer'].includes(one.act));
    const isChanged = acts.some((one) => one.input && one.approvalId === approvalId);
    if (edited && (!approved || !isChanged || actor === 'grant' || actor === 'rule')) return false;
    const by = (is) =>
      decided.some(
        (one) =>
          one.approvalId === approvalId &&
          (one.approved ?? one.choice.startsWith('allow')) === approved &&
          is(one),
      );
    // Another tab may have drafted it.
    if (actor === 'person') return by(({ source }) => !source);
    if (actor === 'external') return by(({ source }) => source);
    // Where there is no page of a browser, a second tab takes over the draft of the first one.
    if (actor === 'tab') return laws.pages > 1 && by(() => true);
    if (actor === 'grant') return decided.some(({ choice }) => choice?.endsWith('chat'));
    return true;
  },
  output({ actor, toolCallId, toolName }, acts, laws, page) {
    const has = (part) => part.toolCallId === toolCallId && hasOutput(part);
    // What a list of the server's has is the server's word, whoever wrote it first.
    const isAdopted = ({ page: of, stored = [] }) => of === page && toolParts(stored).some(has);
    if (actor === 'server') return laws.isRun(toolCallId) || acts.some(isAdopted);
    const isPut = acts.some((one) => one.act === 'put' && one.part.toolCallId === toolCallId);
    return actor !== 'application' || isPut || PAGE_TOOLS.includes(toolName);
  },
  'output-without-approval': ({ toolCallId }, acts) =>
    acts.some((one) => one.act === 'put' && one.part.toolCallId === toolCallId),
  overwritten: ({ actor, toolCallId }, acts) =>
    actor === 'server' || acts.some((one) => one.act === 'put' && one.part.toolCallId === toolCallId),
  // Only a person changes an input.
  voided: ({ approvalId }, acts) => acts.some((one) => one.input && one.approvalId === approvalId),
  // A chat with a queue stops itself before an edit.
  stopped: (entry, acts) => acts.some(({ act }) => ['stop', 'edit', 'regenerate'].includes(act)),
};

export class Ledger extends Promises {
  /** The ledger names who caused each entry. */
  ended(page) {
    for (const entry of page.events) {
      const isTrue = TRUE[entry.type]?.(entry, this.truth.acts, this, page) ?? true;
      if (!isTrue) this.breaks(`the ledger says ${entry.type} ${entry.actor}`, { entry });
    }
    this.#ledgerOfRequests(page);
  }

  /** Whether the server ran a call with this id. */
  isRun(toolCallId) {
    return this.truth.runs.some((run) => run.toolCallId === toolCallId);
  }

  /** It has as many requests as have left, and a person has stopped the chat no more often than it says. */
  #ledgerOfRequests(page) {
    const of = (type) => page.events.filter((entry) => entry.type === type);
    const stayed = new Set(
      of('failed')
        .filter(hasNotLeft)
        .map(({ request }) => request),
    );
    const said = of('requested').filter(({ request }) => !stayed.has(request)).length;
    const left = this.truth.requests.filter((request) => request.page === page).length;
    if (said !== left) this.breaks('the ledger miscounts the requests', { said, left });
    const stops = this.truth.acts.filter((one) => one.page === page && one.act === 'stop').length;
    if (of('stopped').length > stops && !this.options.queue)
      this.breaks('the ledger miscounts the stops', { stops });
  }
}
