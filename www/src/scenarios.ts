import type { ScenarioId } from '../shared/protocol.ts';

export interface Scenario {
  id: ScenarioId;
  label: string;
  /** The message that the composer offers. */
  prompt: string;
  todo: string;
  guarded: string;
  stock: string;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'pair',
    label: 'Two deletes, one denied',
    prompt: 'Please delete the files that nobody needs.',
    todo: 'Deny the first delete, allow the second.',
    guarded: 'The denial leaves as a denial. The model reads that you said no.',
    stock: 'The denial leaves as a tool result. The model reads that the tool ran.',
  },
  {
    id: 'picker',
    label: 'A picker beside an approval',
    prompt: 'Clean up, and ask me which files matter.',
    todo: 'Answer the card and pick a file, in any order. Then pick a second one.',
    guarded: 'Each step goes out once, as soon as everything in it is settled.',
    stock: 'The second pick stands beside a denial by the server, and the chat stalls.',
  },
  {
    id: 'empty',
    label: 'An empty answer',
    prompt: 'Add a reminder to my notes.',
    todo: 'Allow the note. The server writes it, but its answer gets lost.',
    guarded: 'The answer goes out once, and one line is written.',
    stock: 'The same yes goes out again and again, and each time a line is written.',
  },
  {
    id: 'chain',
    label: 'Three steps in a row',
    prompt: 'Tidy up the folder, step by step.',
    todo: 'Answer three cards, one after the other. Deny one of them.',
    guarded: 'A denial stays one, in every later request too.',
    stock: 'The steps work, but later requests carry the denial with an output and no answer.',
  },
  {
    id: 'failing',
    label: 'A failing request',
    prompt: 'Free some space, please.',
    todo: 'Allow the delete. The server fails once. Then retry.',
    guarded: 'Retry sends the answer that you gave, once.',
    stock: 'Retry regenerates: your answer is lost, and you are asked again.',
  },
];
