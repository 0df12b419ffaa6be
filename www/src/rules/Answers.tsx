import { Fragment, useId, useState } from 'react';
import type {
  Effect,
  Explanation,
  RuleLayer,
  Rules,
  RuleView,
  RulingReason,
} from 'tool-approval-guard/rules';
import type { Sample } from './samples.ts';
import { Shown } from './Shown.tsx';

const ANSWERS: Record<Effect, string> = { allow: 'Allow', ask: 'Ask', deny: 'Deny' };

const LAYERS: Record<RuleLayer, string> = {
  user: 'User',
  builtin: 'Built in',
  app: 'Application',
  organisation: 'Organisation',
};

const REASONS: Record<RulingReason, string> = {
  rule: 'A rule',
  default: 'No rule',
  hint: 'Its server’s hint',
  'broken-rules': 'Broken rules',
  'unreadable-input': 'Unreadable input',
  unavailable: 'No rules',
};

interface AnswersProps {
  title: string;
  samples: readonly Sample[];
  rules: Rules;
}

/** What each call would get, and, where a row is opened, why. */
export function Answers({ title, samples, rules }: AnswersProps) {
  const id = useId();
  const [opened, setOpened] = useState<ReadonlySet<Sample>>(new Set());
  const toggle = (sample: Sample) => {
    const next = new Set(opened);
    if (!next.delete(sample)) next.add(sample);
    setOpened(next);
  };

  return (
    <section className="panel">
      <table className="answers">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Call</th>
            <th scope="col">Answer</th>
            <th scope="col">Because of</th>
          </tr>
        </thead>
        <tbody>
          {samples.map((sample, index) => {
            const explanation = rules.explainRule(sample.call);
            const { effect, because, rule } = explanation;
            const isOpen = opened.has(sample);
            return (
              <Fragment key={index}>
                <tr className="answer" data-effect={effect} data-rule={rule?.id}>
                  <th scope="row">
                    <button
                      type="button"
                      className="call"
                      aria-expanded={isOpen}
                      aria-controls={isOpen ? `${id}-${index}` : undefined}
                      onClick={() => toggle(sample)}
                    >
                      <Call {...sample} />
                    </button>
                  </th>
                  <td>
                    <span className={`pill ${effect}`}>{ANSWERS[effect]}</span>
                  </td>
                  <td>
                    {rule ? (
                      <>
                        <code>
                          <Shown text={rule.id} />
                        </code>
                        <span className="layer">{LAYERS[rule.layer]}</span>
                      </>
                    ) : (
                      <span className="layer">{REASONS[because]}</span>
                    )}
                  </td>
                </tr>
                {isOpen && (
                  <tr className="why" id={`${id}-${index}`}>
                    <td colSpan={3}>
                      <Why {...explanation} input={sample.call.input} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Call({ call: { toolName, server, input }, note }: Sample) {
  return (
    <>
      <code>
        <strong>
          <Shown text={server === undefined ? toolName : `${server}/${toolName}`} />
        </strong>{' '}
        <Shown text={inShort(input)} />
      </code>
      {note && <span className="note">{note}</span>}
    </>
  );
}

/** A text alone says more without its quotes and its name. */
function inShort(input: unknown): string {
  const fields = Object.values(input ?? {});
  const [only] = fields;
  return fields.length === 1 && typeof only === 'string' ? only : JSON.stringify(input);
}

function Why({ message, rule, near, dangerous, shadow, input }: Explanation & { input: unknown }) {
  return (
    <>
      <p>
        <Shown text={message} />
        {shadow && ' In shadow mode nothing is done about it.'}
        {dangerous && ' The call looks dangerous.'}
      </p>
      {rule && <RuleLine {...rule} />}
      <p>
        The input, whole:{' '}
        <code>
          <Shown text={JSON.stringify(input)} />
        </code>
      </p>
      {near.length === 0 ? (
        <p>No other rule is about this tool.</p>
      ) : (
        <>
          <p>Other rules about this tool:</p>
          <ul>
            {near.map(({ rule: other, message: miss }) => (
              <li key={other.id}>
                <RuleLine {...other} />
                <p>
                  <Shown text={miss} />
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function RuleLine({ id, effect, always, text, why }: RuleView) {
  return (
    <p className="rule">
      <code>
        <Shown text={id} />: {effect}
        {always && ' always'} <Shown text={text} />
      </code>
      {why && (
        <span className="note">
          <Shown text={why} />
        </span>
      )}
    </p>
  );
}
