// Each output on the wire is one that the server, the page or the guard has given.
import { TOOLS } from '../replies.mjs';
import { toolParts } from '../truth.mjs';
import { Promises } from './promises.mjs';
import { hasOutput, OWN, text } from './shown.mjs';

export class Outputs extends Promises {
  part(request, part, { call }) {
    if (!hasOutput(part)) return;
    const { page } = request;
    const question = this.calls.questionOf(page, part);
    const isHalf = toolParts(request.homeCopy).some(
      ({ toolCallId, state }) => toolCallId === part.toolCallId && state === 'input-streaming',
    );
    // It was closed before its question came, in another message, or the list has not all of its input.
    const isOwn = OWN.test(part.errorText) || isHalf;
    const isClosed = part.state === 'output-error' && part.approval === undefined && isOwn;
    if (question && !isClosed && part.approval?.approved !== true)
      this.breaksIn(request, 'an output without its approval', { part });
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
    if (!ofServer && !ofPage && !ofGuard) this.breaksIn(request, 'an output is invented', { part });
  }
}
