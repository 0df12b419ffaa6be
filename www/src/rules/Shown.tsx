import { escapeTokens } from 'tool-approval-guard/escape';

interface ShownProps {
  text: string;
  /** Line breaks stay what they are. */
  lines?: boolean;
}

/** A text of a stranger: what nobody would see in it is written out, and it changes nothing around it. */
export function Shown({ text, lines = false }: ShownProps) {
  return (
    <bdi>
      {escapeTokens(text, { lines }).map((token, index) =>
        token.kind === 'hidden' ? (
          <span key={index} className="hidden-piece">
            {token.text}
          </span>
        ) : (
          token.text
        ),
      )}
    </bdi>
  );
}
