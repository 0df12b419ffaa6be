// Wraps the `execute` of tools: an approved call starts once, and what it returns is stored.
import type { Fields } from '../objects.js';
import { GuardError } from '../error.js';
import type { ClaimResult } from './types.js';

/** A call that is to run now. */
export interface CallToStart {
  approvalId: string;
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** The end of a call. */
export type Ending = 'done' | 'failed' | 'in-doubt';

/** The claims of its chat, as a wrapped tool needs them. */
export interface CallClaims {
  /** Starts an approved call, or returns the result that it had. Throws if it must not run. */
  start(call: CallToStart): Promise<StartedCall | ClaimResult>;
}

/** A call that this server runs. */
export interface StartedCall {
  /** Renews the lease until the call has ended. */
  keepAlive(): () => void;
  /** Stores how the call ended. It does not throw. */
  finish(end: Ending, result: ClaimResult): Promise<void>;
}

type Execute = (this: unknown, input: unknown, options: Fields) => unknown;

const partsOf = (message: unknown): Fields[] => {
  const content = (message as Fields | undefined)?.content;
  return Array.isArray(content) ? (content as Fields[]) : [];
};

/**
 * Returns the id of the approval that a call has: that of the last request for it without a result behind it. Both
 * majors of the SDK pass `execute` the messages with the call and the request when they run an approved call. For a call
 * that needs no approval they pass those before it; then a request in them is of an earlier call with the same id: one of
 * another tool, or one that has a result. What `ai` 7 makes of a denial is no result.
 */
function approvalOf({ messages, toolCallId }: Fields, toolName: string): string | undefined {
  let approvalId: unknown;
  const parts = (messages as unknown[]).flatMap(partsOf).filter((part) => part.toolCallId === toolCallId);
  const calls = parts.filter((part) => part.type === 'tool-call');
  if (calls.length > 0 && calls.every((call) => call.toolName !== toolName)) return undefined;
  for (const part of parts) {
    if (part.type === 'tool-approval-request') approvalId = part.approvalId;
    else if (part.type === 'tool-result' && (part.output as Fields | undefined)?.type !== 'execution-denied')
      approvalId = undefined;
  }
  return approvalId as string | undefined;
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Runs a started call. Each value that it yields is preliminary, and the last one is its output. */
async function* run(started: StartedCall, work: () => unknown, signal: unknown): AsyncGenerator {
  const stop = started.keepAlive();
  let output: unknown;
  let ended = false;
  try {
    const value = await work();
    if (isIterable(value)) for await (output of value) yield output;
    else output = value;
    ended = true;
  } catch (error) {
    ended = true;
    // A tool that was interrupted may have done a part of its work.
    const isAborted = (signal as AbortSignal | undefined)?.aborted === true;
    await started.finish(isAborted ? 'in-doubt' : 'failed', { errorText: errorText(error) });
    throw error;
  } finally {
    stop();
    // Nobody reads on: the generator ends where it last yielded.
    if (!ended) await started.finish('in-doubt', { errorText: 'Nobody read the output to its end.' });
  }
  await started.finish('done', { output });
  return output;
}

/** Carries out a call that has an approval, with the output as the last value that is returned. */
async function* claimed(
  claims: CallClaims,
  toolName: string,
  call: () => [Execute, unknown, unknown, Fields],
) {
  const [execute, self, input, options] = call();
  const approvalId = approvalOf(options, toolName) as string;
  const toolCallId = String(options.toolCallId);
  const started = await claims.start({ approvalId, toolCallId, toolName, input });
  if ('errorText' in started) throw new Error(started.errorText);
  if ('output' in started) {
    yield started.output;
    return started.output;
  }
  const work = (): unknown => execute.call(self, input, { ...options, idempotencyKey: approvalId });
  return yield* run(started, work, options.abortSignal);
}

/** Reads to the end, and returns the output. */
async function drain(generator: AsyncGenerator): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done) return value;
  }
}

function wrap(tool: Fields, toolName: string, claims: CallClaims): Fields {
  const execute = tool.execute as Execute;
  // The SDK looks at what `execute` returns at once, so the form has to be known before the store has answered.
  const yields = Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
  return {
    ...tool,
    execute(this: unknown, input: unknown, options: Fields): unknown {
      // Nothing else says which approval the call has, so without them nothing runs.
      if (!Array.isArray(options.messages) || options.messages.length === 0) {
        throw new GuardError(
          'claim-refused',
          'A tool with claims needs the messages of its request in its options, as the SDK passes them: `messages: await convertToModelMessages(taken.messages)`.',
          { toolCallId: String(options.toolCallId) },
        );
      }
      if (approvalOf(options, toolName) === undefined) return execute.call(tool, input, options);
      const generator = claimed(claims, toolName, () => [execute, tool, input, options]);
      return yields ? generator : drain(generator);
    },
  };
}

/**
 * Wraps tools.
 *
 * @throws GuardError `invalid-option` if `tools` is no object
 */
export function wrapTools<TOOLS extends object>(tools: TOOLS, claims: CallClaims): TOOLS {
  if (typeof tools !== 'object' || tools === null) {
    throw new GuardError('invalid-option', 'tools needs an object of tools.');
  }
  const wrapped = Object.entries(tools).map(([name, tool]: [string, unknown]) => {
    const canRun = typeof (tool as Fields | null | undefined)?.execute === 'function';
    return [name, canRun ? wrap(tool as Fields, name, claims) : tool] as const;
  });
  return Object.fromEntries(wrapped) as TOOLS;
}

/**
 * Returns the key that makes a call unique, for a service that does nothing twice for the same key: the id of the
 * approval.
 *
 * @param options the options that `execute` of a tool gets from `tools`
 * @returns the key, or `undefined` for a call without an approval
 */
export function idempotencyKey(options: object): string | undefined {
  const { idempotencyKey: key } = options as { idempotencyKey?: unknown };
  return typeof key === 'string' ? key : undefined;
}
