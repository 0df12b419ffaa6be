import type { ApprovalGuardOptions } from 'tool-approval-guard';
import { redact } from 'tool-approval-guard/redact';
import type { ScenarioId } from '../shared/protocol.ts';
import { chatOfAddress, inAddress } from './keeper.ts';
import { demoRules } from './rules/demoRules.ts';

type GuardSettings = Pick<
  ApprovalGuardOptions,
  'tools' | 'rules' | 'redact' | 'undoMs' | 'expiresMs' | 'warnMs'
>;

export interface Scenario {
  id: ScenarioId;
  label: string;
  /** The message that the composer offers. */
  prompt: string;
  /** And after it was sent. */
  nextPrompt?: string;
  todo: string;
  guarded: string;
  stock: string;
  /** The guide that explains it. */
  guide: { title: string; at: string };
  /** What the guard is told beyond the chat and its client tools. */
  settings?: GuardSettings;
  /** The page keeps the messages: a reload and a second tab go on with the chat. */
  keeps?: true;
  /** The guard has a record, which all tabs share. */
  records?: true;
}

/** The one of the chat that the address names. */
export const scenarioOfAddress = () =>
  SCENARIOS.find(({ id }) => id === (chatOfAddress() === undefined ? 'pair' : idOfAddress()))!;

const idOfAddress = () => (inAddress('scenario') === 'claims' ? 'claims' : 'record');

export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'pair',
    label: 'Two deletes, one denied',
    prompt: 'Please delete the files that nobody needs.',
    todo: 'Deny the first delete, allow the second.',
    guarded: 'The denial leaves as a denial. The model reads that you said no.',
    stock: 'The denial leaves as a tool result. The model reads that the tool ran.',
    guide: { title: 'Decisions', at: 'decisions.html' },
  },
  {
    id: 'picker',
    label: 'A picker beside an approval',
    prompt: 'Clean up, and ask me which files matter.',
    todo: 'Answer the request and pick a file, in any order. Then pick a second one.',
    guarded: 'Each step goes out once, as soon as everything in it is settled.',
    stock: 'The second pick stands beside a denial by the server, and the chat stalls.',
    guide: { title: 'Tools that the page runs', at: 'guard.html#tools-that-the-page-runs' },
  },
  {
    id: 'empty',
    label: 'An empty answer',
    prompt: 'Add a reminder to my notes.',
    todo: 'Allow the note. The server writes it, but its answer gets lost.',
    guarded: 'The answer goes out once, and one line is written.',
    stock: 'The same yes goes out again and again, and each time a line is written.',
    guide: { title: 'The chat does not send', at: 'troubleshooting.html#the-chat-does-not-send' },
  },
  {
    id: 'chain',
    label: 'Three steps in a row',
    prompt: 'Tidy up the folder, step by step.',
    todo: 'Answer three requests, one after the other. Deny one of them.',
    guarded: 'A denial stays one, in every later request too.',
    stock: 'The steps work, but later requests carry the denial with an output and no answer.',
    guide: { title: 'What it does', at: 'what-it-does.html' },
  },
  {
    id: 'failing',
    label: 'A failing request',
    prompt: 'Free some space, please.',
    todo: 'Allow the delete. The server fails once. Then retry.',
    guarded: 'Retry sends the answer that you gave, once.',
    stock: 'Retry regenerates: your answer is lost, and you are asked again.',
    guide: { title: 'A request that fails', at: 'guard.html#a-request-that-fails' },
  },
  {
    id: 'batch',
    label: 'Several calls at once',
    prompt: 'Tidy up as you see fit.',
    todo: 'Answer the three requests. Undo one, and answer it again. Then wait, or send at once.',
    guarded: 'Nothing leaves before five seconds without a change of mind. Then one request has it all.',
    stock: 'Each answer is final, and the last one sends.',
    guide: { title: 'Drafts and undo', at: 'decisions.html#drafts-and-undo' },
    settings: { undoMs: 5000, tools: { delete_file: { dangerous: true } } },
  },
  {
    id: 'mail',
    label: 'A wrong address',
    prompt: 'Please send Ann the minutes.',
    todo: 'Change the input: the mail is for ann@example.com. Then allow it with changes.',
    guarded: 'What you typed is what runs, and the model reads that you changed it.',
    stock: 'The mail goes to Al, or it does not go.',
    guide: { title: 'Change it before you allow it', at: 'decisions.html#change-it-before-you-allow-it' },
    settings: {
      undoMs: 5000,
      tools: {
        send_mail: {
          editable: true,
          inputSchema: {
            properties: {
              to: { type: 'string', pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' },
              subject: { type: 'string', minLength: 1, maxLength: 80 },
              text: { type: 'string' },
            },
          },
        },
      },
    },
  },
  {
    id: 'grant',
    label: 'A grant',
    prompt: 'Please write down some reminders.',
    nextPrompt: 'And one more reminder, please.',
    todo: 'Under “More choices” allow every call of the tool, and send. Send the next message. Stop allowing, and send it again.',
    guarded: 'The yes covers what it says and nothing else, until you revoke it.',
    stock: 'Every call asks, also the very same one.',
    guide: { title: 'Grants', at: 'decisions.html#grants' },
    settings: { undoMs: 5000 },
  },
  {
    id: 'expiry',
    label: 'An expiring request',
    prompt: 'Free some space when you can.',
    todo: 'Do nothing for thirty seconds. Or keep waiting.',
    guarded: 'Nothing runs, and the model reads that nobody refused.',
    stock: 'The request waits for ever.',
    guide: { title: 'Expiry', at: 'decisions.html#expiry' },
    settings: { expiresMs: 30_000, warnMs: 25_000 },
  },
  {
    id: 'looping',
    label: 'A looping model',
    prompt: 'Do I still need my notes?',
    todo: 'Deny three times. Then stop the assistant, or deny for the whole chat.',
    guarded: 'After three refusals the page says so, and a refusal can last.',
    stock: 'The model asks again and again, and nobody counts.',
    guide: { title: 'Stop, loops, nobody there', at: 'decisions.html#stop-loops-nobody-there' },
  },
  {
    id: 'rules',
    label: 'Rules',
    prompt: 'Look around, and tidy up.',
    todo: 'Answer the two requests that there are.',
    guarded:
      'One rule lets the assistant look around, one keeps the notes, and the rest asks. Secrets are hidden.',
    stock: 'Everything asks: what is harmless, and what nobody should allow.',
    guide: { title: 'Rules', at: 'rules.html' },
    settings: { rules: demoRules(), redact },
  },
  {
    id: 'record',
    label: 'The record',
    prompt: 'Tidy up while I come and go, please.',
    nextPrompt: 'The same again, please.',
    todo: 'Answer one request, and reload the page or open a second tab. Take the server down before you answer the other one.',
    guarded: 'Nothing that you said is lost, nothing leaves twice, and the record proves what was decided.',
    stock: 'A reload forgets what was not sent, and a second tab answers and sends once more.',
    guide: { title: 'The record', at: 'record.html' },
    keeps: true,
    records: true,
  },
  {
    id: 'claims',
    label: 'Claims',
    prompt: 'Please write down that the printer is paid.',
    todo: 'Open a second tab, as if it were another device, and allow the note in both. Or reload the page while the tool runs, and send again.',
    guarded: 'The server claims the call: it runs once, and whoever asks again gets its result.',
    stock: 'Each page sends a yes, and each yes runs the tool.',
    guide: { title: 'Claims', at: 'claims.html' },
    keeps: true,
  },
];
