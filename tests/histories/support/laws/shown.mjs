// What the promises have in common: how they read a part, and how they tell a list.
import { isTool, nameOf } from '../truth.mjs';

export const text = (value) => JSON.stringify(value);

/** How the guard's own errors begin, which say that it is not known whether a call ran. */
export const OWN = /^Not a refusal by the user: (?:this call was approved|the conversation went on)/;

export const isAnswer = (value) => typeof value === 'boolean';

export const hasOutput = ({ state }) => state === 'output-available' || state === 'output-error';

/** A part that servers refuse (`validateUIMessages`). */
export const isUnanswered = (part) => hasOutput(part) && part.approval && !isAnswer(part.approval.approved);

/** A list of messages in a few words. */
export const brief = (messages) =>
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
export const hasNotLeft = ({ actor, doubt }) => actor !== 'server' && doubt === false;
