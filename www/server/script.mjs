/** @import { ScenarioId, Told } from '../shared/protocol.ts' */

/** @typedef {{ say: string, calls: [toolName: string, input: object][] }} Step */

/**
 * What the scripted model says and calls, step by step. After the last step it reports.
 *
 * @type {Record<ScenarioId, Step[]>}
 */
const SCRIPTS = {
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
  batch: [
    {
      say: 'Three things, if you agree.',
      calls: [
        ['write_note', { path: 'notes.md', text: 'Tidied up.' }],
        ['rename_file', { from: 'draft.md', to: 'final.md' }],
        ['delete_file', { path: 'cache.log' }],
      ],
    },
  ],
  mail: [
    {
      say: 'I would send the minutes to Al.',
      calls: [
        [
          'send_mail',
          { to: 'al@example.com', subject: 'Minutes', text: 'Dear Al,\nhere are the minutes of Monday.' },
        ],
      ],
    },
  ],
  grant: [
    {
      say: 'I would write these down. One of them twice, to be sure.',
      calls: [
        ['write_note', { path: 'notes.md', text: 'Water the plants.' }],
        ['write_note', { path: 'draft.md', text: 'Needs an ending.' }],
        ['write_note', { path: 'notes.md', text: 'Water the plants.' }],
        ['write_note', { path: 'notes.md', text: 'Call the printer.' }],
      ],
    },
    {
      say: 'And where I wrote it.',
      calls: [['write_note', { path: 'cache.log', text: 'Reminders are in the notes.' }]],
    },
  ],
  expiry: [{ say: 'The log could go. Shall I?', calls: [['delete_file', { path: 'cache.log' }]] }],
  rules: [
    {
      say: 'I look around, and would delete the notes, rename the draft and write a password down.',
      calls: [
        ['list_files', {}],
        ['delete_file', { path: 'notes.md' }],
        ['rename_file', { from: 'draft.md', to: 'final.md' }],
        ['write_note', { path: 'cache.log', text: 'The printer has the password=correct-horse.' }],
      ],
    },
  ],
  record: [
    {
      say: 'I would write a reminder down, and delete the log.',
      calls: [
        ['write_note', { path: 'notes.md', text: 'Water the plants.' }],
        ['delete_file', { path: 'cache.log' }],
      ],
    },
  ],
  claims: [
    {
      say: 'I would write that down. It takes a moment.',
      calls: [['write_note', { path: 'notes.md', text: 'Pay the printer once.' }]],
    },
  ],
  looping: [{ say: 'I would delete the notes.', calls: [['delete_file', { path: 'notes.md' }]] }],
};

/** The same for each later message of the user. @type {Partial<Record<ScenarioId, Step[]>>} */
const LATER_SCRIPTS = {
  grant: [
    {
      say: 'One more, then.',
      calls: [['write_note', { path: 'notes.md', text: 'Buy stamps.' }]],
    },
  ],
  record: [
    {
      say: 'The same reminder once more.',
      calls: [['write_note', { path: 'notes.md', text: 'Water the plants.' }]],
    },
  ],
};

/**
 * The next step of the scripted model, or nothing: then it reports.
 *
 * @param {ScenarioId} scenario
 * @param {{ turn: number, step: number, told: Told[] }} now how many messages the user has sent before
 *   the last one, how many steps there were since, and what the model reads
 * @returns {Step | undefined}
 */
export function nextStep(scenario, { turn, step, told }) {
  if (turn > 0) return LATER_SCRIPTS[scenario]?.[step];
  if (scenario === 'looping' && step > 0) return insist(told);
  return SCRIPTS[scenario][step];
}

/** What a denial says for which nobody has written a reason. */
const PLAIN_NO = 'The user denied permission for this call.';

/** A model that takes a no for an accident, until it has read twice why. @param {Told[]} told @returns {Step} */
function insist(told) {
  const last = told.at(-1);
  const read = told.filter(({ value }) => value !== PLAIN_NO && value === last?.value);
  if (last?.outcome === 'denied' && last.value !== undefined && read.length > 1) {
    return { say: `I leave it alone, because I read: ${String(last.value)}`, calls: [] };
  }
  const ran = last?.outcome === 'result' && JSON.stringify(last.value).includes('deleted');
  if (ran) return { say: 'Done.', calls: [] };
  return { say: 'That did not work. I try it again.', calls: SCRIPTS.looping[0]?.calls ?? [] };
}

/**
 * The scripted model knows only what it reads, and repeats just that.
 *
 * @param {Told[]} told
 * @param {string[]} [edits] what it reads about inputs that the person has changed
 */
export function report(told, edits = []) {
  const lines = [
    ...told.filter(({ toolName }) => toolName !== 'list_files').map(sentence),
    ...edits.map(change),
  ];
  return lines.length > 0 ? lines.join(' ') : 'No tool has been called yet.';
}

/** @param {string} edit */
const change = (edit) => `I read: ${edit.slice(1, -1)}`;

/** @param {Told} told */
function sentence({ toolName, target, outcome, value }) {
  const call = target ? `${toolName} on ${target}` : toolName;
  if (outcome === 'denied') {
    if (value === undefined || value === PLAIN_NO) return `You said no to ${call}, so I left it alone.`;
    return `${call} did not run: ${String(value).replace(/\.$/, '')}.`;
  }
  if (outcome === 'error') return `${call} did not happen: ${String(value).replace(/\.$/, '')}.`;
  if (toolName === 'pick_file') return `You picked ${JSON.stringify(value)}.`;
  return `${call} ran and returned ${JSON.stringify(value)}.`;
}
