import type { CallView, Choice, DecideOptions } from 'tool-approval-guard';
import type { DemoGuard } from '../useDemoChat.ts';

const TEN_MINUTES = 10 * 60 * 1000;

interface ChoicesProps {
  call: CallView;
  calls: readonly CallView[];
  guard: DemoGuard;
  showsLasting: boolean;
  onChoose: (choice: Choice, options?: DecideOptions) => void;
}

/** The safest first, and none of them chosen before a person does. */
export function Choices({ call, calls, guard, showsLasting, onChoose }: ChoicesProps) {
  const { toolName: tool, covers } = call;
  const allOfTool = guard.text('action.chatTool', { tool });

  return (
    <>
      <div className="card-actions">
        <button type="button" onClick={() => onChoose('deny')}>
          {guard.text('action.deny')}
          <span className="visually-hidden">
            {' '}
            <bdi>{tool}</bdi>
          </span>
        </button>
        <button type="button" onClick={() => onChoose('allow-once')}>
          {guard.text('action.once')}
          <span className="visually-hidden">
            {' '}
            <bdi>{tool}</bdi>
          </span>
        </button>
      </div>
      <details className="lasting" open={showsLasting && call.position?.index === 1}>
        <summary>Answers that last</summary>
        <div className="lasting-choices">
          <Lasting
            words={guard.text('action.denyChat')}
            also={also(guard, calls, call, covers.input)}
            onClick={() => onChoose('deny-chat', { covers: 'input' })}
          />
          {!call.dangerous && (
            <>
              <Lasting
                words={guard.text('action.chatInput')}
                also={also(guard, calls, call, covers.input)}
                onClick={() => onChoose('allow-chat', { covers: 'input' })}
              />
              <Lasting
                words={allOfTool}
                also={also(guard, calls, call, covers.tool)}
                onClick={() => onChoose('allow-chat', { covers: 'tool' })}
              />
              <Lasting
                words={guard.text('action.timed', { action: allOfTool, duration: '10 minutes' })}
                also={also(guard, calls, call, covers.tool)}
                onClick={() => onChoose('allow-chat', { covers: 'tool', forMs: TEN_MINUTES })}
              />
            </>
          )}
        </div>
      </details>
    </>
  );
}

function Lasting({ words, also, onClick }: { words: string; also: string; onClick: () => void }) {
  return (
    <button type="button" className="choice-that-lasts" onClick={onClick}>
      <bdi>{words}</bdi>
      {also && (
        <span className="also">
          {' '}
          <bdi>{also}</bdi>
        </span>
      )}
    </button>
  );
}

/** The other waiting calls that a choice would answer too: how many, and which. */
function also(guard: DemoGuard, calls: readonly CallView[], call: CallView, covered: readonly string[]) {
  const others = calls.filter(
    ({ toolCallId, status }) =>
      status === 'asking' && toolCallId !== call.toolCallId && covered.includes(toolCallId),
  );
  if (others.length === 0) return '';
  const places = others.map(({ position }) => position?.index).join(', ');
  return `${guard.text('grant.covers', { n: others.length })} (${places})`;
}
