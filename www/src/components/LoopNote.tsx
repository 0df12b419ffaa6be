interface LoopNoteProps {
  /** How often it was refused. */
  text: string;
  onStop: () => void;
}

/** The model asks for the same call again and again. */
export function LoopNote({ text, onStop }: LoopNoteProps) {
  return (
    <div className="loop-note">
      <p>
        <bdi>{text}</bdi>
      </p>
      <button type="button" onClick={onStop}>
        Stop the assistant
      </button>
    </div>
  );
}
