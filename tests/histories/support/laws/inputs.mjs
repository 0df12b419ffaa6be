// A call leaves, and is allowed, with an input that was shown.
import { TOOLS } from '../replies.mjs';
import { askedFor } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { isAnswer, text } from './shown.mjs';

export class Inputs extends Promises {
  /** The input of a part is what was shown, with what the model asked for beside it. */
  part(request, part, { question }) {
    if (question === undefined) return;
    const { input, approval, state } = part;
    const from = askedFor(part);
    if (from !== undefined && text(from) === text(input))
      this.breaksIn(request, 'a note of a change that is none', { part });
    const { page, leftAt } = request;
    // Its input was cut off.
    if (input === undefined) return;
    const own = [question.input, question.call.input].map(text);
    if (from === undefined && !own.includes(text(input)))
      this.breaksIn(request, 'a changed input without the one that was asked for', { part });
    if (!isAnswer(approval.approved) && !own.includes(text(input)))
      this.breaksIn(request, 'a question with a changed input', { part });
    if (
      approval.approved === false &&
      this.words.said(question.approvalId, leftAt) === 'denied' &&
      !own.includes(text(input))
    )
      this.breaksIn(request, 'a denial with a changed input', { part });
    if (approval.approved !== true) return;
    const ran = this.truth.runs.filter((run) => run.approvalId === question.approvalId);
    const isOfRun = ran.filter((run) => text(run.output) === text(part.output));
    // What has run is shown with what it ran with; a page that was loaded since has what was stored.
    if (state === 'output-available' && isOfRun.length > 0) {
      if (!isOfRun.some((run) => text(run.input) === text(input)))
        this.breaksIn(request, 'an output over another input', {
          part,
          ran: isOfRun.map((run) => run.input),
        });
      return;
    }
    const inputs = this.words.inputs(question, leftAt);
    if (state === 'approval-responded' && !inputs.includes(text(input)))
      this.breaksIn(request, 'an allowance with another input', { part, inputs, pages: page.number });
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
}
