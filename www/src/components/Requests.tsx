import type { ReceivedRequest, SentCall, Told } from '../../shared/protocol.ts';
import { isHonestDenial } from '../honest.ts';
import type { SentRequest } from '../recorder.ts';
import { counted, shortened } from '../timeline.ts';

interface RequestsProps {
  requests: readonly SentRequest[];
  /** The requests of this chat as the server saw them. */
  received: readonly ReceivedRequest[];
  answers: ReadonlyMap<string, boolean>;
}

interface Entry extends SentRequest {
  first: number;
  last: number;
  answer: ReceivedRequest['answer'] | undefined;
  told: Told[];
  endsLoop: boolean;
}

export function Requests({ requests, received, answers }: RequestsProps) {
  const entries = group(requests, received);
  return (
    <section className="panel">
      <h2>What left the browser</h2>
      {entries.length === 0 && <p className="hint">Nothing yet. Send the message to begin.</p>}
      <ol className="requests">
        {entries.map((entry) => (
          <li key={entry.first}>
            <h3>
              {entry.first === entry.last
                ? `Request ${entry.first}`
                : `Requests ${entry.first} to ${entry.last}`}
              <span className={`note ${entry.first === entry.last ? '' : 'bad'}`}>{note(entry)}</span>
            </h3>
            {entry.head && (
              <p className="hint">
                Record: {counted(entry.head.entries)}, head <code>{shortened(entry.head.hash)}</code>
              </p>
            )}
            {entry.calls.length > 0 && (
              <ul className="calls">
                {entry.calls.map((call) => (
                  <SentCallLine
                    key={call.toolCallId}
                    call={call}
                    told={entry.told.find(({ toolCallId }) => toolCallId === call.toolCallId)}
                    answer={answers.get(call.toolCallId)}
                  />
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface SentCallProps {
  call: SentCall;
  told: Told | undefined;
  /** What the person said to this call. */
  answer: boolean | undefined;
}

function SentCallLine({ call, told, answer }: SentCallProps) {
  const tone =
    answer === false && call.state !== 'approval-requested' ? (isHonestDenial(call) ? 'good' : 'bad') : '';
  return (
    <li data-sent={call.state} className={tone}>
      <p>
        <code>{call.toolName}</code> <bdi>{call.target}</bdi>
      </p>
      <p className="wire">
        <code>
          state: {call.state}
          {call.approved !== undefined && `, approved: ${call.approved}`}
          {call.output !== undefined && `, output: ${JSON.stringify(call.output)}`}
        </code>
      </p>
      {told && (
        <p className="told">
          The model reads:{' '}
          <em className={told.outcome}>
            <bdi>{reading(told)}</bdi>
          </em>
        </p>
      )}
    </li>
  );
}

function reading({ outcome, value }: Told) {
  if (outcome === 'result') return 'it ran, and this is its result';
  return value === undefined ? 'the user said no' : `“${String(value)}”`;
}

function note({ kind, answer, first, last, endsLoop }: Entry) {
  if (first !== last) return 'the same again, each time with an empty answer';
  if (endsLoop) return 'the same once more, and here the server ends the loop';
  if (answer === 'error') return 'the server failed';
  if (answer === 'refused') return 'the server refused it';
  if (answer === 'empty') return 'the server’s answer was empty';
  return kind === 'message' ? 'your message' : 'the chat continues';
}

/** Folds requests that say exactly the same, so that a loop can be read at a glance. */
function group(requests: readonly SentRequest[], received: readonly ReceivedRequest[]): Entry[] {
  const entries: Entry[] = [];
  requests.forEach((request, index) => {
    const { answer, told = [] } = received.find(({ id }) => id === request.id) ?? {};
    const before = entries.at(-1);
    const isSame = JSON.stringify(before?.calls) === JSON.stringify(request.calls);
    const repeats = isSame && before?.answer === 'empty';
    if (before && repeats && answer === 'empty') before.last = index + 1;
    else entries.push({ ...request, first: index + 1, last: index + 1, answer, told, endsLoop: repeats });
  });
  return entries;
}
