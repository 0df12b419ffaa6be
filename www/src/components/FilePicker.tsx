import type { FolderFile } from '../../shared/protocol.ts';

interface FilePickerProps {
  files: readonly FolderFile[];
  onPick: (name: string) => void;
}

/** The client tool: the page itself gives the output of the call. */
export function FilePicker({ files, onPick }: FilePickerProps) {
  return (
    <div className="card-actions" role="group" aria-label="Files">
      {files
        .filter(({ name, lines }) => lines !== undefined && !name.startsWith('.'))
        .map(({ name }) => (
          <button type="button" key={name} className="file" onClick={() => onPick(name)}>
            {name}
          </button>
        ))}
    </div>
  );
}
