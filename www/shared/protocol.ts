/** What the page and its server tell each other, beside the chat itself. */

export type ScenarioId =
  | 'pair'
  | 'picker'
  | 'empty'
  | 'chain'
  | 'failing'
  | 'batch'
  | 'mail'
  | 'grant'
  | 'expiry'
  | 'looping'
  | 'rules'
  | 'record'
  | 'claims';

/** One tool call as it stands in a request. */
export interface SentCall {
  toolCallId: string;
  toolName: string;
  /** The file that the call is about, or who gets the mail. */
  target: string;
  state: string;
  approved: boolean | undefined;
  output: unknown;
}

/**
 * What the model reads about one call. `denied` is a fresh denial: in later requests the SDK turns
 * it into an error text that says so.
 */
export interface Told {
  toolCallId: string;
  toolName: string;
  target: string;
  outcome: 'result' | 'error' | 'denied';
  /** The result, the error text, or the reason of a denial that has one. */
  value: unknown;
}

export interface ReceivedRequest {
  /** Of a page: after a reload, and beside another one, it has not sent all that the server received. */
  id: string | undefined;
  trigger: string;
  calls: SentCall[];
  told: Told[];
  /** How the server answered: with the model's stream, with an empty stream, with status 503, or with a refusal. */
  answer: 'stream' | 'empty' | 'error' | 'refused';
}

export interface FolderFile {
  name: string;
  /** `undefined` once the file is gone. */
  lines: number | undefined;
}

export interface Run {
  toolCallId: string;
  toolName: string;
  target: string;
  times: number;
}

export interface SessionState {
  model: string;
  files: FolderFile[];
  runs: Run[];
  requests: ReceivedRequest[];
}

/** The end of a record's hash chain. With a copy of it, a person can tell that nothing before it was changed or cut off. */
export interface Head {
  entries: number;
  hash: string;
}

export interface ChatRequestBody {
  id: string;
  requestId?: string;
  recordHead?: Head;
  scenario: ScenarioId;
  /** Whether the server claims the calls that it runs. */
  claimed?: boolean;
  trigger: string;
  messages: import('ai').UIMessage[];
}
