import { useState, type FormEvent } from 'react';

interface ComposerProps {
  prompt: string;
  busy: boolean;
  onSend: (text: string) => void;
  onStartOver: () => void;
}

export function Composer({ prompt, busy, onSend, onStartOver }: ComposerProps) {
  const [text, setText] = useState(prompt);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || text.trim() === '') return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form className="composer" onSubmit={submit}>
      <label className="visually-hidden" htmlFor="message">
        Message
      </label>
      <input
        id="message"
        autoComplete="off"
        placeholder="Ask what happened"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="primary" disabled={busy || text.trim() === ''}>
        Send
      </button>
      <button type="button" className="quiet" onClick={onStartOver}>
        Start over
      </button>
    </form>
  );
}
