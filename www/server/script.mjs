/** @import { ScenarioId, Told } from '../shared/protocol.ts' */

/**
 * What the scripted model says and calls, step by step. After the last step it reports.
 *
 * @type {Record<ScenarioId, { say: string, calls: [toolName: string, input: object][] }[]>}
 */
export const SCRIPTS = {
  pair: [
    {
      say: 'Two files look unused. I would delete both.',
      calls: [
        ['delete_file', { path: 'notes.md' }],
        ['delete_file', { path: 'draft.md' }],
      ],
    },
  ],
  picker: [
    {
      say: 'I would delete the log. And which file matters most to you?',
      calls: [
        ['pick_file', { question: 'Which file matters most?' }],
        ['delete_file', { path: 'cache.log' }],
      ],
    },
    {
      say: 'Next I would delete the settings. And which file comes second?',
      calls: [
        ['pick_file', { question: 'Which file comes second?' }],
        ['delete_file', { path: '.env' }],
      ],
    },
  ],
  empty: [
    {
      say: 'I would add a line to your notes.',
      calls: [['write_note', { path: 'notes.md', text: 'Call the printer on Monday.' }]],
    },
  ],
  chain: [
    { say: 'First, what is there?', calls: [['list_files', {}]] },
    {
      say: 'I would write down what I am about to do.',
      calls: [['write_note', { path: 'notes.md', text: 'Tidied up.' }]],
    },
    {
      say: 'Now the draft gets its final name.',
      calls: [['rename_file', { from: 'draft.md', to: 'final.md' }]],
    },
    { say: 'At last, the log can go.', calls: [['delete_file', { path: 'cache.log' }]] },
  ],
  failing: [
    { say: 'The log has grown. I would delete it.', calls: [['delete_file', { path: 'cache.log' }]] },
  ],
};

/**
 * The scripted model knows only what it reads, and repeats just that.
 *
 * @param {Told[]} told
 */
export function report(told) {
  const lines = told.filter(({ toolName }) => toolName !== 'list_files').map(sentence);
  return lines.length > 0 ? lines.join(' ') : 'No tool has been called yet.';
}

/** @param {Told} told */
function sentence({ toolName, target, outcome, value }) {
  const call = target ? `${toolName} on ${target}` : toolName;
  if (outcome === 'denied') return `You said no to ${call}, so I left it alone.`;
  if (outcome === 'error') return `${call} did not happen: ${String(value).replace(/\.$/, '')}.`;
  if (toolName === 'pick_file') return `You picked ${JSON.stringify(value)}.`;
  return `${call} ran and returned ${JSON.stringify(value)}.`;
}
