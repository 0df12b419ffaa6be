import { useState, type FormEvent, type Ref } from 'react';

interface ComposerProps {
  input?: Ref<HTMLInputElement> | undefined;
  /** What a new chat begins with. */
  prompt: string | undefined;
  nextPrompt: string;
  busy: boolean;
  /** A message would close calls that wait. */
  closesCalls: boolean;
  onSend: (text: string) => void;
  onStartOver: () => void;
}

export function Composer(props: ComposerProps) {
  const { input, prompt, nextPrompt, busy, closesCalls, onSend, onStartOver } = props;
  /** What the person writes; nothing until then, after a message was sent. */
  const [written, setWritten] = useState(prompt);
  const text = written ?? (busy || closesCalls ? '' : nextPrompt);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || text.trim() === '') return;
    onSend(text.trim());
    setWritten(undefined);
  };
  return (
    <form className="composer" onSubmit={submit}>
      <label className="visually-hidden" htmlFor="message">
        Message
      </label>
      <input
        id="message"
        ref={input}
        autoComplete="off"
        placeholder="Ask what happened"
        aria-describedby={closesCalls ? 'message-closes' : undefined}
        value={text}
        onChange={(event) => setWritten(event.target.value)}
      />
      <button type="submit" className="primary" disabled={busy || text.trim() === ''}>
        Send
      </button>
      <button type="button" className="quiet" onClick={onStartOver}>
        Start over
      </button>
      {closesCalls && (
        <p className="hint" id="message-closes">
          A message closes these requests, and nothing of them runs.
        </p>
      )}
    </form>
  );
}
