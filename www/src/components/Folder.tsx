import type { FolderFile, Run } from '../../shared/protocol.ts';

interface FolderProps {
  files: readonly FolderFile[];
  runs: readonly Run[];
  answers: ReadonlyMap<string, boolean>;
  model: string;
}

/** What is really on the server's disk, and how often a tool really ran on it. */
export function Folder({ files, runs, answers, model }: FolderProps) {
  return (
    <section className="panel">
      <h2>The folder on the server</h2>
      <table className="folder">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Lines</th>
            <th scope="col">Tools that ran</th>
          </tr>
        </thead>
        <tbody>
          {files.map(({ name, lines }) => {
            const own = runs.filter(({ target }) => target === name);
            return (
              <tr key={name} data-file={name} className={lines === undefined ? 'absent' : ''}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{lines ?? 'gone'}</td>
                <td>
                  {own.length === 0 && <span className="hint">none</span>}
                  {own.map((run) => (
                    <span key={run.toolCallId} className={`run ${tone(run, answers)}`}>
                      {run.toolName} × {run.times}
                    </span>
                  ))}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {model && <p className="hint">A real folder, made for this chat. Model: {model}.</p>}
    </section>
  );
}

function tone({ toolCallId, times }: Run, answers: ReadonlyMap<string, boolean>) {
  return times === 1 && answers.get(toolCallId) === true ? 'good' : 'bad';
}
