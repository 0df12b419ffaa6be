// The promises of the laws and of the guides, checked against what really happened. Nothing here knows how the guard works: it reads
// requests, lists and results, and compares them with the truth.
import { PAGE_TOOLS, TOOLS } from './replies.mjs';
import { askedFor, isTool, lastStep, nameOf, toolParts } from './truth.mjs';

const text = (value) => JSON.stringify(value);
const LEFTOVERS = ['output', 'errorText', 'preliminary', 'resultProviderMetadata'];
/** How the guard's own errors begin, which say that it is not known whether a call ran. */
const OWN = /^Not a refusal by the user: (?:this call was approved|the conversation went on)/;
const isAnswer = (value) => typeof value === 'boolean';
const hasOutput = ({ state }) => state === 'output-available' || state === 'output-error';
/** A part that servers refuse (`validateUIMessages`). */
const isUnanswered = (part) => hasOutput(part) && part.approval && !isAnswer(part.approval.approved);

export class Laws {
  /** The promises that were broken: `{ kind, ... }`, first things first. */
  broken = [];
  /** How many pages there were. */
  pages = 0;
  #world;

  constructor(world) {
    this.#world = world;
  }

  breaks(kind, detail = {}) {
    this.broken.push({ kind, ...detail });
  }

  /** What a person is told of `retry()` or `resume()` is so. */
  permitted(page, { act, at, result, isSending, since = at }) {
    if (page.isClosed) return;
    const left = [...page.requests, ...this.truth.unsent.filter((one) => one.page === page)].filter(
      ({ leftAt, homeCopy }) => leftAt >= since && homeCopy.at(-1)?.role === 'assistant',
    );
    if (result.type === 'sent' && left.length === 0 && !isSending) this.breaks(`${act}() says sent`, { at });
    // The guard also continues a chat that did not ask about what has come meanwhile.
    const isNew = this.truth.acts.some(
      (one) => one.page === page && one.at > at && ['answer', 'put', 'decide'].includes(one.act),
    );
    const own = !isNew && page.requests.find(({ cause }) => cause?.at === at);
    if (result.type !== 'sent' && own) this.breaks(`${act}() says ${result.type}`, { request: own.number });
  }

  /** A promise that a request has broken. */
  #request({ number, page, wire, homeCopy }, kind, detail) {
    this.breaks(kind, {
      ...detail,
      request: number,
      page: page.number,
      home: brief(homeCopy),
      wire: brief(wire),
    });
  }

  get #options() {
    return this.#world.options;
  }

  // ---- what the person has said ------------------------------------------------------------

  /**
   * What a person, or a program in a person's place, said last about a question before a moment: `allowed`, `denied`, or `open`. `unclear`
   * is what the guides leave to the guard: a draft that a stop or a reload has met.
   */
  said(approvalId, before = Infinity) {
    let said = 'open';
    let isDraft = false;
    let isOfGrant = false;
    for (const one of this.truth.acts) {
      if (one.at > before) break;
      const { act, result } = one;
      if (act === 'decide' && result.type !== 'refused') {
        // What another tab has sent stands, also while the record has not told it yet.
        if (this.#isSentByOther(one.page, approvalId, one.at)) continue;
        const isIt = one.approvalId === approvalId;
        if (!isIt && !one.also.includes(approvalId)) continue;
        said = one.choice.startsWith('allow') ? 'allowed' : 'denied';
        isDraft = result.type !== 'late-denial';
        isOfGrant = !isIt;
      } else if (act === 'answer' && one.approvalId === approvalId) {
        if (said === 'open') [said, isDraft] = [one.approved ? 'allowed' : 'denied', false];
        else if (said === 'allowed' && isDraft && !one.approved) said = 'unclear';
      } else if (act === 'undo' && one.undone.includes(approvalId)) {
        if (!this.#isSentByOther(one.page, approvalId, one.at)) said = 'open';
      } else if (act === 'reload' && !this.#options.record && (isDraft || one.how === 'older')) said = 'open';
      else if (['stop', 'reload'].includes(act) && isDraft && said !== 'open') said = 'unclear';
      else if (act === 'revoke' && isOfGrant) said = 'unclear';
      // A call that was taken out of the list before its answer was sent is another matter when it comes back.
      else if (
        ['list', 'edit', 'regenerate'].includes(act) &&
        said !== 'open' &&
        !this.#isSent(approvalId, one.at)
      ) {
        said = 'unclear';
      }
    }
    return said;
  }

  /** Whether an answer has left in a time. */
  #isSent(approvalId, before, since = 0) {
    return this.truth.requests.some(
      ({ wire, at }) =>
        at > since &&
        at < before &&
        toolParts(wire).some(({ approval }) => approval?.id === approvalId && isAnswer(approval.approved)),
    );
  }

  /**
   * Whether another page has sent an answer, or an allowance, before a moment. A server that repeats its question has accepted
   * none of them.
   */
  #isSentByOther(page, approvalId, before, isAllowed = false) {
    const repeats = this.truth.questions.get(approvalId)?.repeats ?? [];
    const since = repeats.findLast((at) => at < before) ?? 0;
    return this.truth.requests.some(
      ({ wire, at, page: of }) =>
        of !== page &&
        !of.isClosed &&
        at > since &&
        at < before &&
        toolParts(wire).some(
          ({ approval }) =>
            approval?.id === approvalId && isAnswer(approval.approved) && (!isAllowed || approval.approved),
        ),
    );
  }

  /** Whether somebody or something may have allowed a call before a moment. */
  #mayBeAllowed({ approvalId, call }, before) {
    const { acts } = this.truth;
    // An undo takes back the last decision before it.
    const decides = (one) => one.act === 'decide' && one.result.type !== 'refused';
    const isUndone = (one) => {
      const next = acts.find(
        (other) =>
          other.at > one.at &&
          ((other.act === 'undo' && other.undone.includes(one.approvalId)) ||
            (decides(other) && other.approvalId === one.approvalId)),
      );
      // Another tab may have sent it, and the record has not told that yet.
      return next?.act === 'undo' && !this.#isSent(one.approvalId, next.at, one.at);
    };
    const saidYes = acts.some(
      (one) =>
        one.at <= before &&
        ((one.act === 'answer' && one.approved && one.approvalId === approvalId) ||
          (one.act === 'decide' &&
            one.choice.startsWith('allow') &&
            one.result.type !== 'refused' &&
            (one.approvalId === approvalId || this.#covers(one, call)) &&
            !isUndone(one))),
    );
    return saidYes || call.elsewhere || (this.#options.rules && call.tool === 'copy');
  }

  /** Whether a decision is a grant that covers a call. */
  #covers({ choice, covers, approvalId }, call) {
    if (!choice.endsWith('chat')) return false;
    const from = this.truth.questions.get(approvalId)?.call;
    if (from?.tool !== call.tool) return false;
    return covers === 'tool' || text(from.input) === text(call.input);
  }

  /** Whether a person has decided a call since a moment. */
  #decides(approvalId, since) {
    return this.truth.acts.some(
      (one) =>
        one.at > since &&
        one.approvalId === approvalId &&
        (one.act === 'answer' || (one.act === 'decide' && one.result.type !== 'refused')),
    );
  }

  /** Whether a person did something since a moment that may send a call again. */
  #personResends(approvalId, since) {
    return this.truth.acts.some(
      (one) =>
        one.at > since &&
        (['retry', 'resume'].includes(one.act) ||
          (one.act === 'answer' && one.approved && one.approvalId === approvalId) ||
          (one.act === 'decide' &&
            one.choice.startsWith('allow') &&
            one.result.type !== 'refused' &&
            one.approvalId === approvalId)),
    );
  }

  /**
   * The inputs with which a call may run or be shown as allowed. Where it is clear what the person said last, that is one: the input that
   * was given, or else the one that was shown.
   */
  #inputs({ approvalId, call, input }, before) {
    const { acts } = this.truth;
    const words = acts.filter(
      (one) =>
        one.at <= before &&
        ((one.act === 'decide' && one.result.type !== 'refused' && one.choice.startsWith('allow')) ||
          (one.act === 'answer' && one.approved)) &&
        one.approvalId === approvalId,
    );
    const given = words.map((one) => one.input ?? one.shown);
    const isOne = new Set(words.map(({ page }) => page.number)).size === 1;
    const said = this.said(approvalId, before);
    // A draft stands over an Allow through the chat.
    const last = words.findLast((one, i) => one.act === 'decide' || i === 0);
    if (said === 'allowed' && isOne && this.#isLast(last, before)) return [text(last.input ?? last.shown)];
    return [input, call.input, ...given].map(text);
  }

  /** Whether nothing has been said about a call after a word. */
  #isLast({ approvalId, at }, before) {
    return !this.truth.acts.some(
      (one) =>
        one.at > at &&
        one.at <= before &&
        (one.approvalId === approvalId ||
          one.also?.includes(approvalId) ||
          one.undone?.includes(approvalId)) &&
        one.result?.type !== 'refused',
    );
  }

  /** What is refused because its call is gone does not ask any more. */
  refused(page, { approvalId, result }) {
    const asks = ({ state, approval }) => state === 'approval-requested' && approval.id === approvalId;
    if (result.reason === 'gone' && lastStep(page.messages).some((part) => isTool(part) && asks(part)))
      this.breaks('a call that asks is gone', { approvalId, home: brief(page.messages) });
  }

  /** A person has changed an input before allowing the call. */
  changed({ approvalId, result }) {
    const { fields, call } = this.truth.questions.get(approvalId) ?? {};
    // It has never asked, so it can be neither allowed nor changed.
    if (call === undefined) return;
    const { provider = false } = TOOLS[call.tool];
    const isBound = fields.signature !== undefined;
    if (result.type !== 'refused' && (isBound || provider))
      this.breaks('an input is changed that may not be', { approvalId });
    if (!provider && !isBound && ['not-editable', 'signed', 'invalid-input'].includes(result.reason))
      this.breaks('an input cannot be changed that may be', { approvalId, result });
    if (result.also?.length > 0) this.breaks('a changed input answers other calls', { approvalId, result });
    if (result.grant !== undefined) this.breaks('a changed input gives a grant', { approvalId, result });
  }

  // ---- the predicate -----------------------------------------------------------------------

  /** The chat asks whether to send. */
  asked(page, ask) {
    let yes;
    try {
      yes = ask();
    } catch (error) {
      this.breaks('the predicate throws', { error: String(error) });
      return false;
    }
    if (typeof yes !== 'boolean') this.breaks('the predicate says neither yes nor no', { yes });
    if (yes) {
      // A commit writes into the chat while the chat asks. What is sent is the newest list.
      // An output over a call that asked may still be repaired in the request.
      const open = lastStep(page.messages).filter(
        (part) =>
          isTool(part) &&
          !hasOutput(part) &&
          this.#isOpen(page, part) &&
          !this.#isOfOtherTab(page, part) &&
          !this.#isAnsweredAbove(page, part),
      );
      if (open.length > 0) this.breaks('an early send', { open });
    }
    return yes;
  }

  /** Whether a copy of a question is answered. The chat writes into the first message that has it. */
  #isAnsweredAbove(page, part) {
    const isCopy = ({ approval }) => approval?.id === part.approval?.id && isAnswer(approval?.approved);
    return part.approval !== undefined && toolParts(page.messages).some(isCopy);
  }

  /** Whether a person has answered a question in another tab. The request carries that answer, which the chat may not show. */
  #isOfOtherTab(page, { approval }) {
    return this.truth.acts.some(
      (one) => one.page !== page && one.approvalId === approval?.id && ['answer', 'decide'].includes(one.act),
    );
  }

  /** Whether a call needs something before the chat may go on. */
  #isOpen(page, part) {
    const { state, approval, providerExecuted } = part;
    if (state === 'approval-requested') return true;
    if (state === 'approval-responded') {
      if (!isAnswer(approval?.approved)) return true;
      return approval.approved && PAGE_TOOLS.includes(nameOf(part));
    }
    if (state === 'output-denied') return false;
    if (hasOutput(part)) {
      if (part.preliminary === true) return true;
      if (this.#isOfEarlierPage(page, part)) return false;
      const question = this.#questionOf(page, part);
      return question !== undefined && approval?.approved !== true;
    }
    return approval !== undefined || !providerExecuted;
  }

  /** Whether the page has to run a call, and can. */
  waitsForPage(part) {
    const { page, asks } = TOOLS[nameOf(part)];
    if (!page) return false;
    return asks
      ? part.state === 'approval-responded' && part.approval.approved === true
      : part.state === 'input-available';
  }

  /**
   * Whether a page was loaded with an output over a question that nobody has answered. `ai` 6 has that where the server has
   * given the output, too, so no page can tell.
   */
  #isOfEarlierPage({ loaded }, { toolCallId, approval }) {
    return (
      this.#world.sdk.major < 7 &&
      toolParts(loaded).some(
        (part) => part.toolCallId === toolCallId && part.approval?.id === approval?.id && isUnanswered(part),
      )
    );
  }

  /** The newest question about the call of a part that the page has shown. */
  #questionOf(page, part) {
    return this.truth.callOf(part)?.questions.findLast(({ approvalId }) => page.shown.has(approvalId));
  }

  // ---- requests ----------------------------------------------------------------------------

  requested(request) {
    const { page, wire, given, home } = request;
    request.isAutomatic =
      wire.at(-1)?.role === 'assistant' &&
      !request.isContinued &&
      request.trigger === 'submit-message' &&
      // `retry()` writes an output again, and the chat then asks.
      !this.truth.acts.some((one) => one.page === page && one.isGoing);
    if (request.isAutomatic) this.#automatic(request);
    this.#runs(request);
    // Each act of a person that continues the chat explains one request.
    if (request.isContinued) {
      const isCause = ({ act, page: of, at, used }) =>
        ['go', 'retry', 'resume'].includes(act) && of === page && at <= request.leftAt && !used;
      request.cause = this.truth.acts.findLast(isCause);
      if (request.cause) request.cause.used = true;
    }
    for (const message of wire) {
      for (const part of message.parts.filter(isTool)) this.#part(request, part);
    }
    this.#untouched(request, home, given);
    // A copy above the one that can be answered leaves as closed. The last one says what becomes of the call.
    const parts = toolParts(wire);
    for (const part of parts) {
      const isLast = parts.findLast(({ approval }) => approval?.id === part.approval?.id) === part;
      if (isLast && part.approval?.approved === false && !page.denied.has(part.approval.id))
        page.denied.set(part.approval.id, request.at);
    }
    if (this.truth.requests.length > 150) this.breaks('requests without end');
  }

  /** While the response goes on that has asked about a call of the last step, nothing continues it. */
  #runs(request) {
    const { page, wire, trigger } = request;
    if (this.#options.guard?.whenUserSends === 'pass' || trigger !== 'submit-message') return;
    for (const { approval } of lastStep(wire)) {
      const response = this.truth.questions.get(approval?.id)?.response;
      if (response?.isReadBy(page)) this.#request(request, 'a send while the response goes on', { approval });
    }
    const isOfLast = ({ messageId }) => messageId !== undefined && messageId === wire.at(-1).id;
    const other = this.#world.server.open.find((response) => isOfLast(response) && response.isReadBy(page));
    if (request.isAutomatic && other)
      this.#request(request, 'a send while another response goes on', { of: other.request.number });
  }

  #untouched(request, home, given) {
    if (given.length !== home.length) {
      return this.breaks('a message is left out', { home: request.homeCopy, wire: request.wire });
    }
    let isSame = true;
    for (const [i, message] of given.entries()) {
      if (message === home[i]) continue;
      isSame = false;
      // While a record is written, a response goes on writing into the message of the chat.
      if (this.#options.record && text(home[i]) !== text(request.homeCopy[i])) continue;
      const { parts, ...rest } = message;
      const { parts: before, ...restBefore } = home[i];
      const isTouched = parts.length !== before.length || parts.some((part, k) => part !== before[k]);
      if (text(rest) !== text(restBefore)) this.breaks('a message is changed', { message, before: home[i] });
      if (!isTouched) this.breaks('an untouched message is copied', { message });
      if (parts.length !== before.length) this.breaks('a part is left out', { message, before: home[i] });
      for (const [k, part] of parts.entries()) {
        if (part === before[k]) continue;
        if (!isTool(part) || !isTool(before[k])) this.breaks('a part of another kind is changed', { part });
        else if (text(part) === text(before[k])) this.breaks('an untouched part is copied', { part });
        // A server refuses each answer to a call whose input is not complete.
        else if (before[k].state === 'input-streaming' && part.approval !== undefined)
          this.breaks('an answer beside a part of an input', { part, before: before[k] });
        else if (part.input !== before[k].input && !this.#isChanged(part))
          this.breaks('an input is rebuilt', { part, before: before[k] });
        else if (!sameCall(part, before[k]))
          this.breaks('a part becomes another one', { part, before: before[k] });
      }
    }
    if (isSame && given !== home) this.breaks('an untouched list is copied');
  }

  /** Whether a person has changed the input of the part's call, so that it leaves with this one or the other. */
  #isChanged({ approval, input }) {
    const question = this.truth.questions.get(approval?.id);
    const changes = this.truth.acts.filter((one) => one.input && one.approvalId === approval?.id);
    if (question === undefined || changes.length === 0) return false;
    return [question.input, question.call.input, ...changes.map((one) => one.input)]
      .map(text)
      .includes(text(input));
  }

  #automatic(request) {
    const { page, wire, leftAt } = request;
    const open = lastStep(wire).filter((part) => isTool(part) && this.#isOpen(page, part));
    if (open.length > 0) this.#request(request, 'an early send on the wire', { open });
    const key = text([
      wire.filter(({ role }) => role === 'user').map(({ parts }) => parts),
      lastStep(wire)
        .filter(isTool)
        .map((part) => [
          part.toolCallId,
          part.input,
          part.approval?.id,
          part.approval?.approved,
          part.output,
          part.errorText,
        ]),
    ]);
    request.key = key;
    for (const one of page.requests) {
      if (one === request || one.key !== key || !one.isAutomatic) continue;
      const isAsked = lastStep(wire).some(({ approval }) => approval && this.#decides(approval.id, one.at));
      if (!isAsked) this.#request(request, 'a second send', { key, failed: one.failed });
    }
    const act = this.truth.acts.findLast(
      (one) =>
        one.page === page &&
        one.at <= leftAt &&
        (['say', 'retry', 'resume', 'go', 'regenerate', 'edit', 'commit', 'answer'].includes(one.act) ||
          (one.act === 'decide' && one.result.type !== 'refused' && !one.source)),
    );
    const since = ['decide', 'answer', 'commit'].includes(act?.act)
      ? act.at
      : (page.requests.find((one) => !one.isAutomatic && one.leftAt >= (act?.at ?? 0))?.at ?? Infinity);
    const automatic = page.requests.filter((one) => one.isAutomatic && one.leftAt >= since);
    const most = this.#options.guard?.maxAutomaticSends ?? 6;
    if (automatic.length > most)
      this.#request(request, 'more automatic sends than allowed', { automatic: automatic.length });
  }

  #part(request, part) {
    const { page, leftAt } = request;
    if (this.truth.isUnclear(part) || this.#isOfEarlierPage(page, part)) return;
    const call = this.truth.callOf(part);
    if (call === undefined) return this.#request(request, 'a call is invented', { part });
    const { approval, state } = part;
    const question = approval === undefined ? undefined : this.truth.questions.get(approval?.id);
    if (approval !== undefined && question?.call !== call) {
      return this.#request(request, 'an approval of another call', { part });
    }
    if (question) {
      for (const [field, value] of Object.entries(question.fields)) {
        // A record keeps the id and the signature of a question, for pages that have not seen it.
        if (!page.shown.get(question.approvalId)?.has(field)) continue;
        if (text(approval[field]) !== text(value))
          this.#request(request, 'a field of an approval is lost', { part, field });
      }
      const said = this.said(question.approvalId, leftAt);
      this.#input(request, part, question);
      if (approval.approved === true) this.#allowed(request, part, question, said);
      if (approval.approved === false) this.#denied(request, part, question);
      if (!isAnswer(approval.approved)) this.#asks(request, part, question, said);
    }
    // A page that was loaded with it never had its approval. A record keeps it.
    const isKnown = this.#options.record || this.#questionOf(page, part) !== undefined;
    if (state === 'output-denied' && approval?.approved !== false && isKnown)
      this.#request(request, 'a denial without an answer', { part });
    if (hasOutput(part)) this.#output(request, part, call);
  }

  /** The input of a part is what was shown, with what the model asked for beside it. */
  #input(request, part, question) {
    const { input, approval, state } = part;
    const from = askedFor(part);
    if (from !== undefined && text(from) === text(input))
      this.#request(request, 'a note of a change that is none', { part });
    const { page, leftAt } = request;
    // Its input was cut off.
    if (input === undefined) return;
    const own = [question.input, question.call.input].map(text);
    if (from === undefined && !own.includes(text(input)))
      this.#request(request, 'a changed input without the one that was asked for', { part });
    if (!isAnswer(approval.approved) && !own.includes(text(input)))
      this.#request(request, 'a question with a changed input', { part });
    if (
      approval.approved === false &&
      this.said(question.approvalId, leftAt) === 'denied' &&
      !own.includes(text(input))
    )
      this.#request(request, 'a denial with a changed input', { part });
    if (approval.approved !== true) return;
    const ran = this.truth.runs.filter((run) => run.approvalId === question.approvalId);
    const isOfRun = ran.filter((run) => text(run.output) === text(part.output));
    // What has run is shown with what it ran with; a page that was loaded since has what was stored.
    if (state === 'output-available' && isOfRun.length > 0) {
      if (!isOfRun.some((run) => text(run.input) === text(input)))
        this.#request(request, 'an output over another input', {
          part,
          ran: isOfRun.map((run) => run.input),
        });
      return;
    }
    const inputs = this.#inputs(question, leftAt);
    if (state === 'approval-responded' && !inputs.includes(text(input)))
      this.#request(request, 'an allowance with another input', { part, inputs, pages: page.number });
  }

  #allowed(request, part, question, said) {
    const { page, at, wire } = request;
    const { approvalId } = question;
    // What has run has run: a denial over an older list comes too late when a newer one has the output again.
    const isLate =
      hasOutput(part) &&
      this.truth.runs.some((run) => run.approvalId === approvalId && !this.#saysNo(approvalId, 0, run.at));
    if (said === 'denied' && !question.call.elsewhere && !isLate)
      this.#request(request, 'a denied call is sent as allowed', { part });
    else if (!this.#mayBeAllowed(question, at)) this.#request(request, 'an invented yes', { part });
    if (part.state !== 'approval-responded') return;
    const deniedAt = page.denied.get(approvalId);
    if (deniedAt !== undefined && !this.#personResends(approvalId, deniedAt))
      this.#request(request, 'what was closed is allowed again', { part });
    const seenAt = page.ranAt.get(question.call.serial);
    if (seenAt !== undefined && !this.#personResends(approvalId, seenAt)) {
      this.#request(request, 'a call that has run is sent as allowed', { part });
    }
    const isLast = lastStep(wire).some((one) => one.approval?.id === approvalId);
    // A server accepts an allowance of a call that the provider runs, and one whose call stands again further down.
    const isAgain = toolParts(wire).findLast((one) => this.truth.callOf(one) === question.call) !== part;
    if (!isLast && !isAgain && !part.providerExecuted && this.#options.guard?.whenUserSends !== 'pass') {
      this.#request(request, 'an allowance that is too late', { part });
    }
  }

  #denied(request, part, question) {
    const { page } = request;
    for (const field of LEFTOVERS) {
      if (part[field] !== undefined) this.#request(request, `a denial with ${field}`, { part });
    }
    if (!['approval-responded', 'output-denied'].includes(part.state))
      this.#request(request, 'a denial in another state', { part });
    const { approvalId, call } = question;
    // What another tab has sent stands in the record, and a denial that comes later is refused.
    const isLate = this.truth.acts.some(
      (one) =>
        one.page === page &&
        one.approvalId === approvalId &&
        (one.choice?.startsWith('deny') || one.approved === false) &&
        this.#isSentByOther(page, approvalId, one.at, true),
    );
    if (this.#options.record && request.isAutomatic && isLate)
      this.#request(request, 'a denial that is too late', { part });
    const seenAt = page.ranAt.get(call.serial) ?? page.gotAt.get(approvalId);
    // A server that asks again after the run asks about another one.
    const isLater = question.toldAt > seenAt;
    // A question with another approval id is another call to the guard: that the call has run under a later one says of this one
    // only that it may have run, and so the model is told.
    const isOfOther =
      OWN.test(part.approval.reason) &&
      this.truth.runs.every((run) => run.call !== call || run.approvalId !== approvalId);
    if (
      seenAt !== undefined &&
      !isLater &&
      !isOfOther &&
      !page.denied.has(approvalId) &&
      !this.#saysNo(approvalId, seenAt)
    ) {
      this.#request(request, 'a call that has run is denied', { part });
    }
  }

  /** Whether a person has denied in a time. */
  #saysNo(approvalId, since, until = Infinity) {
    return this.truth.acts.some(
      (one) =>
        one.at > since &&
        one.at < until &&
        ((one.act === 'answer' && !one.approved && one.approvalId === approvalId) ||
          (one.act === 'decide' &&
            one.choice.startsWith('deny') &&
            one.result.type !== 'refused' &&
            (one.approvalId === approvalId || one.also.includes(approvalId)))),
    );
  }

  #asks(request, part, question, said) {
    const { page, wire } = request;
    const { approvalId } = question;
    for (const field of LEFTOVERS) {
      if (part[field] !== undefined) this.#request(request, `a question with ${field}`, { part });
    }
    if (this.#options.guard?.whenUserSends === 'pass') return;
    if (page.denied.has(approvalId)) this.#request(request, 'a denial is forgotten', { part });
    else if (said === 'denied') this.#request(request, 'a denial is not sent', { part });
    const isOfUser = wire.at(-1)?.role === 'user';
    if (isOfUser && page.shown.has(approvalId))
      this.#request(request, 'a question stays open behind a message', { part });
  }

  #output(request, part, call) {
    const { page } = request;
    const question = this.#questionOf(page, part);
    const isHalf = toolParts(request.homeCopy).some(
      ({ toolCallId, state }) => toolCallId === part.toolCallId && state === 'input-streaming',
    );
    // It was closed before its question came, in another message, or the list has not all of its input.
    const isOwn = OWN.test(part.errorText) || isHalf;
    const isClosed = part.state === 'output-error' && part.approval === undefined && isOwn;
    if (question && !isClosed && part.approval?.approved !== true)
      this.#request(request, 'an output without its approval', { part });
    const value = part.state === 'output-error' ? part.errorText : part.output;
    const ofServer = this.truth.runs.some(
      (run) => run.call === call && [text(run.output), text({ part: run.output })].includes(text(value)),
    );
    // The SDK finds the part for an output by its call id alone.
    const ofPage = this.truth.acts.some(
      (one) =>
        one.act === 'put' && one.part.toolCallId === part.toolCallId && text(one.value) === text(value),
    );
    const ofGuard = part.state === 'output-error' && (TOOLS[call.tool].page || OWN.test(part.errorText));
    if (!ofServer && !ofPage && !ofGuard) this.#request(request, 'an output is invented', { part });
  }

  /** A tool runs because of a request. */
  ran(request, approvalId, call) {
    // The newest word about the call counts, also if it was about another question of it.
    const { questions } = this.truth.questions.get(approvalId).call;
    const newest = this.truth.acts.findLast(
      (one) =>
        one.at <= request.leftAt &&
        ['decide', 'answer'].includes(one.act) &&
        one.result?.type !== 'refused' &&
        questions.some((question) => question.approvalId === one.approvalId),
    );
    const said = this.said(newest?.approvalId ?? approvalId, request.leftAt);
    if (said === 'denied') this.#request(request, 'a denied tool runs', { approvalId });
    const runs = this.truth.runs.filter((run) => run.approvalId === approvalId);
    const question = this.truth.questions.get(newest?.approvalId ?? approvalId);
    const inputs = this.#inputs(question, request.leftAt);
    const { input } = runs.at(-1);
    if (!inputs.includes(text(input)))
      this.#request(request, 'a tool runs with an input that was not shown', { approvalId, input, inputs });
    if (askedFor({ providerOptions: call.providerOptions }) !== undefined)
      this.truth.saw('a changed input runs');
    const before = runs.at(-2);
    if (before === undefined || ['retry', 'resume'].includes(request.cause?.act)) return;
    // A person sends it again from when the allowance has left on.
    const first = this.truth.requests.findLast((one) => one !== request && one.ran.includes(approvalId));
    const since = first?.leftAt ?? before.at;
    if (!this.#knows(request.page, approvalId)) return;
    // Law 16: who allows it again is told that it may run twice.
    const again = this.truth.acts.findLast(
      (one) =>
        one.act === 'decide' &&
        one.at > since &&
        one.approvalId === approvalId &&
        one.result.type !== 'refused',
    );
    if (again?.status === 'asking' && !again.mayHaveRun && first?.page === again.page)
      this.#request(request, 'a person is not told that a tool may run twice', { approvalId, call });
    if (this.#personResends(approvalId, since)) return;
    this.#request(request, 'a tool runs twice', { approvalId, call });
  }

  /**
   * Whether a page can know that an answer was sent: it has sent it, has a record, or was loaded with the answer. Law 1: the answers
   * of a step in which a call is open have not left, so a list that was loaded with such a step says nothing of them.
   */
  #knows(page, approvalId) {
    const shows = (parts) =>
      parts.some(({ approval }) => approval?.id === approvalId && isAnswer(approval.approved));
    const sent = page.requests.slice(0, -1).some(({ wire }) => shows(toolParts(wire)));
    const step = lastStep(page.loaded).filter(isTool);
    const isOpen = step.some((part) => this.#isOpen(page, part));
    const loaded = toolParts(page.loaded).filter((part) => !isOpen || !step.includes(part));
    return Boolean(this.#options.record) || sent || shows(loaded);
  }

  /** The server cannot read a request. */
  unacceptable(request, error) {
    const { page, wire } = request;
    const { guard = {} } = this.#options;
    if (guard.whenUserSends === 'pass') return;
    // A message over a denial that was not sent: the server of `ai` 6 refuses it once.
    const isFirstDenial = ({ state, approval }) => {
      if (this.#world.sdk.major > 6 || state !== 'approval-responded' || approval.approved) return false;
      const isFirst = !page.refused.has(approval.id);
      page.refused.add(approval.id);
      return isFirst;
    };
    // A call that never asked, and has no result. A resumed response may ask in another message.
    const asksBelow = ({ toolCallId }) =>
      toolParts(wire).some((other) => other.toolCallId === toolCallId && other.approval);
    const isLeft = (part) =>
      part.state === 'input-available' &&
      part.approval === undefined &&
      !TOOLS[nameOf(part)].page &&
      (this.#questionOf(page, part) === undefined || asksBelow(part));
    const isExcused = (toolCallId) =>
      toolParts(wire)
        .filter((part) => part.toolCallId === toolCallId)
        .some((part) => isLeft(part) || isFirstDenial(part));
    if (error.toolCallIds?.every(isExcused)) return;
    this.#request(request, 'a request that the server refuses', {
      error: error.message,
      ids: error.toolCallIds,
    });
  }

  // ---- the pages ---------------------------------------------------------------------------

  /** Looks at the lists of the pages. */
  looked() {
    for (const page of this.#world.pages) {
      if (page.isClosed) continue;
      for (const part of toolParts(page.messages)) this.#home(page, part);
      for (const approvalId of page.arriving.splice(0)) page.gotAt.set(approvalId, this.truth.now);
    }
  }

  #home(page, part) {
    if (this.truth.isUnclear(part)) return;
    const call = this.truth.callOf(part);
    if (call === undefined) {
      // Its input still streams.
      if (part.state !== 'input-streaming') this.breaks('a call is invented at home', { part });
      return;
    }
    if (part.approval) {
      const question = this.truth.questions.get(part.approval.id);
      if (question?.call !== call) return this.breaks('an approval of another call at home', { part });
      const fields = page.shown.get(question.approvalId) ?? new Set();
      for (const field of Object.keys(part.approval)) fields.add(field);
      page.shown.set(question.approvalId, fields);
    }
    if (part.state === 'output-available' && part.preliminary !== true) {
      const isRun = this.truth.runs.some(
        (run) => run.call === call && text(run.output) === text(part.output),
      );
      if (isRun && !page.ranAt.has(call.serial)) page.ranAt.set(call.serial, this.truth.now);
    }
  }

  /** Everything has come to rest. */
  ended() {
    for (const page of this.#world.pages) {
      if (page.isClosed) continue;
      page.guard.observe(page.messages);
      this.#messagesArrived(page);
      this.#told(page);
      this.#ledger(page);
      this.#moves(page);
      this.#shows(page);
    }
  }

  /** A settled step with something new has been sent. */
  #moves(page) {
    const { guard = {}, queue } = this.#options;
    if (Object.keys(guard).some((name) => name !== 'undoMs')) return;
    // A queue that waits continues the chat.
    if (queue && page.chat.experimental_queuedMessages?.length > 0) return;
    if (guard.undoMs === Infinity || page.chat.status !== 'ready' || page.errors.length > 0) return;
    const step = lastStep(page.messages);
    const calls = step.filter(isTool);
    if (calls.length === 0 || calls.some((part) => this.#isOpen(page, part))) return;
    // Laws 13 and 16: what has left as allowed, was not refused and has no result leaves again only for a person.
    if (calls.some((part) => this.#isOut(part))) return;
    const isText = ({ type, text: words }) => type === 'text' && words.trim() !== '';
    if (step.slice(step.findLastIndex(isTool)).some(isText)) return;
    const sentAt = page.requests.at(-1)?.leftAt ?? 0;
    const isTaken = (act) =>
      ['stop', 'list', 'edit', 'regenerate', 'break', 'reconnect', 'ask'].includes(act);
    const from = this.truth.acts.findLast((one) => one.page === page && isTaken(one.act))?.at ?? 0;
    const isNew = (one) => {
      if (one.page !== page || one.at <= sentAt || one.at <= from) return false;
      // A program's decision does not go on after a stop.
      if (one.source && this.truth.acts.some(({ act, page: of }) => act === 'stop' && of === page))
        return false;
      // While a chat stops, the SDK sends nothing by itself.
      if (
        this.truth.acts.some(({ act, page: of, turn }) => act === 'stop' && of === page && turn === one.turn)
      )
        return false;
      if (this.#isRepeatedAfterStop(one)) return false;
      // What was in the chat when a request had to wait has left with it.
      const isSent = (part) =>
        one.act === 'put'
          ? text(part.output) === text(one.value)
          : part.approval && part.approval.id === one.approvalId && isAnswer(part.approval.approved);
      if (this.truth.requests.some(({ wire }) => toolParts(wire).some(isSent))) return false;
      if (one.act === 'put') {
        // After a stop an output is no reason to send.
        if (this.truth.acts.some(({ act, page: of }) => act === 'stop' && of === page)) return false;
        return (
          this.waitsForPage({ ...one.part, ...one.before }) &&
          calls.some(({ output }) => text(output) === text(one.value))
        );
      }
      if (one.act !== 'answer' && (one.act !== 'decide' || one.result.type === 'refused')) return false;
      if (this.#isOverruled(one, calls)) return false;
      // What was allowed on another device has run.
      if (this.truth.questions.get(one.approvalId)?.call.elsewhere) return false;
      return calls.some(({ approval }) => approval?.id === one.approvalId);
    };
    const act = this.truth.acts.find(isNew);
    if (act)
      this.breaks('a stall', { act: act.act, home: brief(page.messages), verdict: page.guard.explain() });
  }

  /** Law 7: an Allow that a denial has overruled is no answer. The tab of the denial sends it, unless that tab was stopped or closed. */
  #isOverruled({ approvalId, approved, choice }, calls) {
    const isDenied = calls.some(({ approval }) => approval?.id === approvalId && approval.approved === false);
    return (approved ?? choice.startsWith('allow')) && isDenied && this.#saysNo(approvalId, 0);
  }

  /** Law 7: the denial of a call that is denied already is refused, so it is no answer after a stop. */
  #isRepeatedAfterStop({ act, page, at, approvalId, approved }) {
    if (act !== 'answer' || approved) return false;
    const own = this.truth.acts.filter((one) => one.page === page && one.at < at);
    const first = own.find(
      (one) =>
        one.approvalId === approvalId &&
        (one.act === 'answer'
          ? !one.approved
          : one.result?.type === 'committed' && one.choice.startsWith('deny')),
    );
    return first !== undefined && own.some((one) => one.act === 'stop' && one.at > first.at);
  }

  /**
   * Whether an allowance has left that no server has refused, or was given on another device, and its part shows no result: a request
   * would repeat it.
   */
  #isOut({ state, approval }) {
    if (state !== 'approval-responded' || approval.approved !== true) return false;
    if (this.truth.questions.get(approval.id)?.call.elsewhere) return true;
    return this.truth.requests.some(
      ({ wire, failed }) =>
        !['refused', 'unacceptable'].includes(failed) &&
        toolParts(wire).some((part) => part.approval?.id === approval.id && part.approval.approved === true),
    );
  }

  /** The page shows what it can be asked about, and nothing else. */
  #shows(page) {
    const { calls } = page.guard.getSnapshot();
    if (this.#world.pages.length > 1) return;
    const asking = lastStep(page.messages).filter(
      (part) => isTool(part) && part.state === 'approval-requested',
    );
    for (const { approval } of asking) {
      const cards = calls.filter(({ approvalId }) => approvalId === approval.id);
      const [card] = cards;
      // A denial that an older list does not show stands, and is put back at the next check.
      const isDenied = DENIALS.has(card?.outcome);
      const isShown = cards.some(
        ({ waiting, status }) => waiting || ['drafted', 'answered'].includes(status),
      );
      if (!isDenied && !isShown) {
        this.breaks('a question without a card', {
          cards: cards.map(({ status, waiting, outcome }) => ({ status, waiting, outcome })),
          home: brief(page.messages),
        });
      }
    }
    for (const { approvalId, status, outcome, edited, display } of calls) {
      const runs = this.truth.runs.filter((run) => run.approvalId === approvalId);
      if (runs.length === 0 || status !== 'settled' || DENIALS.has(outcome)) continue;
      const { input, call } = runs.at(-1);
      if (
        text(edited?.to ?? call.input) !== text(input) &&
        !call.questions.some((one) => one.input !== call.input)
      )
        this.breaks('a card shows another input than the one that ran', {
          approvalId,
          edited,
          input,
          display,
        });
    }
    for (const { waiting, approvalId, toolCallId } of calls) {
      // An older list may show the call before its question, which is not lost by that; and an output over the question is
      // repaired at the next check.
      const isBefore = (part) =>
        part.toolCallId === toolCallId && (part.state.startsWith('input-') || hasOutput(part));
      if (lastStep(page.messages).some(isBefore)) continue;
      if (waiting && !asking.some(({ approval }) => approval.id === approvalId)) {
        this.breaks('a card without a question', { approvalId, home: brief(page.messages) });
      }
    }
    const { waitingFor } = page.guard.explain();
    for (const { key, approvalId, can } of calls) {
      const isAsking = waitingFor.some((one) => one.key === key && one.need === 'approval');
      if (isAsking && !can.deny && page.chat.status === 'ready')
        this.breaks('a question that cannot be answered', { approvalId, home: brief(page.messages) });
    }
    for (const { status, approvalId } of calls) {
      if (status === 'in-doubt' && !this.#isDoubtful(page, approvalId)) {
        this.breaks('a doubt without a reason', { approvalId, home: brief(page.messages) });
      }
    }
    const { commitAt } = page.guard.getSnapshot().batch;
    if (commitAt < Date.now() && page.chat.status === 'ready')
      this.breaks('a time of a commit that has passed', {
        commitAt,
        now: Date.now(),
        home: brief(page.messages),
      });
    const told = page.guard.explain().send;
    const yes = page.guard.sendAutomaticallyWhen({ messages: page.messages });
    if (told !== yes) this.breaks('explain() says otherwise', { told, yes, home: brief(page.messages) });
    // The chat does not ask about a list that the application has set.
    const isSet = this.truth.acts.some(
      ({ act, page: of }) => of === page && ['list', 'edit', 'regenerate', 'ask'].includes(act),
    );
    if (told && page.chat.status === 'ready' && !isSet)
      this.breaks('explain() says that it sends', {
        reason: page.guard.explain().reason,
        home: brief(page.messages),
      });
  }

  /** Whether a request that carried an allowance may have run it without a word, or may have left as its page was closed. */
  #isDoubtful(page, approvalId) {
    const isLost = ({ page: of, home }) =>
      of.isClosed && toolParts(home).some(({ approval }) => approval?.id === approvalId);
    if (this.truth.unsent.some(isLost)) return true;
    // Also those of the page before.
    return this.truth.requests.some(
      ({ wire, failed, response }) =>
        failed !== 'refused' &&
        toolParts(wire).some(({ approval }) => approval && approval.id === approvalId && approval.approved) &&
        (failed !== undefined || response !== undefined),
    );
  }

  /** The ledger names who caused each entry. */
  #ledger(page) {
    for (const entry of page.events) {
      const isTrue = TRUE[entry.type]?.(entry, this.truth.acts, this, page) ?? true;
      if (!isTrue) this.breaks(`the ledger says ${entry.type} ${entry.actor}`, { entry });
    }
    this.#ledgerOfRequests(page);
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
    if (of('stopped').length > stops && !this.#world.options.queue)
      this.breaks('the ledger miscounts the stops', { stops });
  }

  /** Whether the server ran a call with this id. */
  isRun(toolCallId) {
    return this.truth.runs.some((run) => run.toolCallId === toolCallId);
  }

  /** A message of the user reaches the server, or the application is told that it does not. */
  #messagesArrived(page) {
    for (const one of this.truth.acts) {
      if (one.page !== page || !['say', 'edit'].includes(one.act)) continue;
      const isTaken = this.truth.acts.some(
        (other) =>
          other.page === page &&
          // A chat with a queue stops itself before an edit, and takes the list as it is then.
          (other.at > one.at || (this.#options.queue && other.turn === one.turn)) &&
          other !== one &&
          ['list', 'edit', 'regenerate', 'stop'].includes(other.act),
      );
      const arrived = page.requests.some(({ wire }) =>
        wire.some(({ role, parts }) => role === 'user' && parts.some((part) => part.text === one.text)),
      );
      const isTold = one.isTold || page.errors.length > one.errors;
      const isQueued = page.chat.experimental_queuedMessages?.some(({ parts }) => parts[0].text === one.text);
      if (!arrived && !isTold && !isTaken && !isQueued)
        this.breaks("a user's message is lost", { text: one.text });
    }
  }

  /** What the application is told is true. */
  #told(page) {
    // What was answered on another device, or was in doubt, may have run before its denial.
    const isLoaded = (approvalId) =>
      toolParts(page.loaded).some(
        ({ approval }) => approval?.id === approvalId && approval.approved === false,
      );
    const isDenied = ({ approvalId }) => page.denied.has(approvalId) || isLoaded(approvalId);
    const hasRun = this.truth.runs.some((run) => run.approvalId !== undefined && isDenied(run));
    // Law 17: what a server refuses in the list that the page was loaded with.
    const nameOfResult = ({ toolCallId, output, errorText }) => text([toolCallId, output, errorText]);
    const stored = toolParts(page.loaded).filter(isUnanswered).map(nameOfResult);
    const leaves = toolParts(page.requests[0]?.wire ?? []).some(
      (part) => isUnanswered(part) && stored.includes(nameOfResult(part)),
    );
    const isReported = page.errors.some(({ code }) => code === 'malformed-approval');
    if (leaves && !isReported && !this.#options.engine)
      this.breaks('an output beside a question is not reported', { loaded: brief(page.loaded) });
    for (const { code, message } of page.errors) {
      if (
        code === 'malformed-approval' &&
        page.requests.some(({ wire }) => toolParts(wire).some(isUnanswered))
      )
        continue;
      if (code === 'output-of-denied-call' ? !hasRun : NEVER.has(code))
        this.breaks(`${code} is reported`, { message });
    }
  }
}

/** The outcomes of calls that do not run. */
const DENIALS = new Set([
  ...[
    'denied',
    'denied-chat',
    'denied-automatically',
    'denied-by-rule',
    'denied-externally',
    'denied-elsewhere',
  ],
  ...['expired', 'unattended', 'superseded', 'superseded-in-doubt'],
]);

/** What is reported only after a mistake that no history makes. */
const NEVER = new Set([
  ...[
    'malformed-approval',
    'wrong-chat',
    'commit-failed',
    'repair-failed',
    'listener-failed',
    'unreadable-messages',
  ],
  ...['wasm-unavailable', 'wasm-trapped', 'record-unreadable', 'record-rolled-back'],
]);

/** A list of messages in a few words. */
const brief = (messages) =>
  messages
    .map(
      ({ id, role, parts }) =>
        `${role[0]} ${id}: ${parts
          .map((part) =>
            isTool(part)
              ? `${nameOf(part)} ${part.toolCallId} ${part.state}${part.approval ? ` ${part.approval.id} ${part.approval.approved ?? '?'}` : ''}${part.output === undefined ? '' : ` ${text(part.output)}`}${part.errorText ? ` ${part.errorText}` : ''}`
              : part.type === 'text'
                ? `"${part.text}"`
                : part.type,
          )
          .join(', ')}`,
    )
    .join(' | ');

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

const sameCall = (a, b) => a.type === b.type && a.toolCallId === b.toolCallId && a.toolName === b.toolName;
