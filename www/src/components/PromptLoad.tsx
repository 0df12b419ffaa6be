import type { PromptLoad as Load } from 'tool-approval-guard/record';
import { CopyButton } from './CopyButton.tsx';

/** What asks most often, and a rule that would spare it. A person reads it, and adds it or not. */
export function PromptLoad({ load }: { load: readonly Load[] }) {
  return (
    <ul className="calls">
      {load.map(({ toolName, inputHash, asked, allowed, denied, input, rule }) => {
        const call = `${toolName} ${input === undefined ? '' : JSON.stringify(input)}`.trim();
        const text = JSON.stringify(rule);
        return (
          <li key={inputHash}>
            <p>
              <code>{call}</code>
            </p>
            <p className="life">
              asked {asked} ×, allowed {allowed} ×, denied {denied} ×
            </p>
            {rule && (
              <div className="copied">
                <pre>{text}</pre>
                <CopyButton label={`Copy the rule for ${toolName}`} text={text} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
