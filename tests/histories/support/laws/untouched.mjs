// What needs no repair leaves as it is.
import { isTool } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { text } from './shown.mjs';

const sameCall = (a, b) => a.type === b.type && a.toolCallId === b.toolCallId && a.toolName === b.toolName;

export class Untouched extends Promises {
  part(request, part, { question }) {
    for (const [field, value] of Object.entries(question?.fields ?? {})) {
      // A record keeps the id and the signature of a question, for pages that have not seen it.
      if (!request.page.shown.get(question.approvalId)?.has(field)) continue;
      if (text(part.approval[field]) !== text(value))
        this.breaksIn(request, 'a field of an approval is lost', { part, field });
    }
  }

  left(request) {
    const { given, home } = request;
    if (given.length !== home.length) {
      return this.breaks('a message is left out', { home: request.homeCopy, wire: request.wire });
    }
    let isSame = true;
    for (const [i, message] of given.entries()) {
      if (message === home[i]) continue;
      isSame = false;
      // While a record is written, a response goes on writing into the message of the chat.
      if (this.options.record && text(home[i]) !== text(request.homeCopy[i])) continue;
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
}
