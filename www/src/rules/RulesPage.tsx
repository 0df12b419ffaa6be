import { useMemo, useState } from 'react';
import { tryRules, type Effect, type Rules } from 'tool-approval-guard/rules';
import { Answers } from './Answers.tsx';
import { DEMO_RULES } from './demoRules.ts';
import { Editor } from './Editor.tsx';
import { readRules } from './reading.ts';
import { CHAT, NASTY, type Sample } from './samples.ts';

/** Rules, and at once what they would say. */
export function RulesPage() {
  const [text, setText] = useState(DEMO_RULES);
  const { rules, remarks } = useMemo(() => readRules(text), [text]);
  const problems = remarks.filter(({ kind }) => kind === 'problem').length;

  return (
    <>
      <header className="masthead">
        <h1>What rules would say</h1>
        <p>
          A rule may allow a call without a question, or deny it. Edit the rules, and see what each call would
          get. Nothing is called here. <a href="./">Back to the chat</a>
        </p>
      </header>

      <main className="room">
        <div className="column beside">
          <Editor text={text} remarks={remarks} onChange={setText} onReset={() => setText(DEMO_RULES)} />
          <div className="panel counts" role="status">
            <p>Sample chat: {counted(rules, CHAT)}.</p>
            <p>Nasty calls: {counted(rules, NASTY)}.</p>
            {problems > 0 && (
              <p className="broken">
                {problems === 1 ? 'One problem' : `${problems} problems`}: what the rule might have denied
                asks.
              </p>
            )}
          </div>
        </div>
        <div className="column">
          <Answers title="A sample chat" samples={CHAT} rules={rules} />
          <Answers title="Nasty calls" samples={NASTY} rules={rules} />
        </div>
      </main>
    </>
  );
}

function counted(rules: Rules, samples: readonly Sample[]): string {
  const answers = tryRules(
    rules,
    samples.map(({ call }) => call),
  );
  const of = (effect: Effect) => answers.filter((answer) => answer.effect === effect).length;
  return `${of('allow')} allowed, ${of('ask')} ask, ${of('deny')} denied`;
}
