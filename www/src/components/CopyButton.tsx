import { useState } from 'react';

/** Copies a text, and says so. */
export function CopyButton({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState<string>();
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(text),
      () => {}, // The browser has refused it, and the text can still be selected.
    );
  return (
    <button type="button" className="small" aria-label={label} onClick={() => void copy()}>
      {copied === text ? 'Copied' : 'Copy'}
    </button>
  );
}
