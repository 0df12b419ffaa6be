/** The vocabularies of the core that reading and repairing need. */
export class Vocabulary {
  readonly states: ReadonlyMap<unknown, number>;
  readonly unknownState: number;
  readonly state: Record<'requested' | 'responded' | 'outputError' | 'outputDenied', string>;
  /** The states in which nobody has to do anything for a call any more. */
  readonly settled: ReadonlySet<unknown>;
  readonly requested: number;
  readonly responded: number;
  readonly outputError: number;
  readonly stepStart: string;
  readonly text: string;
  readonly dynamicTool: string;
  readonly toolPrefix: string;
  readonly user: string;
  readonly assistant: string;
  readonly chunks: ReadonlyMap<unknown, number>;
  readonly chunk: Record<'inputError' | 'request' | 'response' | 'output' | 'error', string>;
  readonly repairs: readonly string[];
  /** The codes of the actors that can remove a message. */
  readonly by: Record<'edit' | 'regenerate' | 'application', number>;
  /** The message ids of the causes of denials that no person made. */
  readonly causes: readonly string[];
  /** What the model is told about such a denial, by cause. */
  readonly reasons: readonly string[];

  /**
   * @param lines the lines of `GuardCore.names()`
   * @param reasonOf the words for a cause
   */
  constructor(lines: readonly (readonly string[])[], reasonOf: (cause: string) => string) {
    const [states = [], parts = [], roles = [], chunks = [], , repairs = []] = lines;
    const [, , , , , , , , , , actors = []] = lines;
    const byName = new Map<unknown, number>(states.map((name, code) => [name, code]));
    byName.delete('');
    this.states = byName;
    this.unknownState = states.length - 1;
    const [, , requested = '', responded = '', output_ = '', outputError = '', outputDenied = ''] = states;
    this.state = { requested, responded, outputError, outputDenied };
    this.settled = new Set([output_, outputError, outputDenied]);
    this.requested = states.indexOf(requested);
    this.responded = states.indexOf(responded);
    this.outputError = states.indexOf(outputError);
    [this.stepStart = '', this.text = '', this.dynamicTool = '', this.toolPrefix = ''] = parts;
    [this.user = '', this.assistant = ''] = roles;
    this.chunks = new Map(chunks.map((name, code) => [name, code]));
    const [, , inputError = '', request = '', response = '', output = '', error = ''] = chunks;
    this.chunk = { inputError, request, response, output, error };
    this.repairs = repairs;
    this.by = {
      edit: actors.indexOf('edit'),
      regenerate: actors.indexOf('regenerate'),
      application: actors.indexOf('application'),
    };
    this.causes = lines.at(-1) ?? [];
    this.reasons = this.causes.map(reasonOf);
  }
}
