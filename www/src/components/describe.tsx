import { getToolName } from 'ai';
import type { DemoToolPart } from '../message.ts';

/** What a call would do, from its real input. A model wrote that, so each piece is isolated. */
export function describe(part: DemoToolPart) {
  switch (part.type) {
    case 'tool-delete_file':
      return <>Delete {file(part.input?.path)}</>;
    case 'tool-rename_file':
      return (
        <>
          Rename {file(part.input?.from)} to {file(part.input?.to)}
        </>
      );
    case 'tool-write_note':
      return (
        <>
          Write to {file(part.input?.path)}: “<bdi>{part.input?.text}</bdi>”
        </>
      );
    case 'tool-pick_file':
      return <bdi>{part.input?.question ?? 'Pick a file'}</bdi>;
    case 'tool-list_files':
      return <>List the files</>;
    default:
      return <bdi>{getToolName(part)}</bdi>;
  }
}

const file = (name: string | undefined) => (
  <bdi>
    <code>{name ?? '…'}</code>
  </bdi>
);
