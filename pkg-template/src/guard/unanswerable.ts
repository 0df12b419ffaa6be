// The calls that ask while the module is not available: a page shows them, and nothing can answer them (law 11).
import {
  isDynamic,
  isObject,
  partsOf,
  readPart,
  toolNameOf,
  type Fields,
  type PartFacts,
} from '../chat/part.js';
import { StringIds } from '../chat/string-ids.js';
import { sameItems } from '../engine/rows.js';
import { PartTypeName, RoleName, ToolStateName } from '../generated/abi.js';
import type { Settings } from '../options.js';
import type { CallView } from '../prompt.js';
import { labelOf } from './grants.js';
import { CAN_NOTHING, inputTextOf, NOTHING, textOf } from './snapshots.js';

/** Reads them from the messages alone. It knows nothing of what was decided before. */
export class Unanswerable {
  #parts: readonly unknown[] = NOTHING;
  #calls: readonly CallView[] = NOTHING;

  /** The calls of the last step that ask. The list is the same object as long as their parts are. */
  in(messages: readonly unknown[], settings: Settings): readonly CallView[] {
    const message = messages.at(-1);
    const parts =
      isObject(message) && message.role === RoleName.Assistant ? asking(partsOf(message)) : NOTHING;
    if (!sameItems(parts, this.#parts)) {
      this.#parts = parts;
      const ids = new StringIds();
      const facts = parts
        .map((part) => readPart(part as Fields, undefined, ids, NOTHING))
        .filter((one) => one !== undefined);
      const messageId = String(isObject(message) && message.id);
      this.#calls = facts.map((one, i) => viewOf(one, messageId, i + 1, facts.length, settings));
    }
    return this.#calls;
  }
}

function asking(parts: readonly unknown[]) {
  const step = parts.findLastIndex((part) => isObject(part) && part.type === PartTypeName.StepStart);
  return parts
    .slice(step + 1)
    .filter((part) => isObject(part) && part.state === ToolStateName.ApprovalRequested);
}

function viewOf(
  facts: PartFacts,
  messageId: string,
  index: number,
  total: number,
  settings: Settings,
): CallView {
  const { tools, redact, unavailableTools } = settings;
  const toolName = toolNameOf(facts);
  const server = tools.serverOf(facts);
  const info = tools.of(toolName, server);
  const title = info?.title ?? textOf(facts.title);
  // What would hide its secrets may need the module that is not there.
  const isShown = redact === undefined;
  const key = `${messageId}/${index}`;
  // A function counts as a yes without being called: nothing can be answered here anyway.
  const isDangerous = tools.isDangerous(facts, () => true) === true;
  return {
    key,
    toolCallId: String(facts.toolCallId),
    approvalId: textOf(facts.approvalId),
    toolName,
    label: labelOf(settings, toolName, server),
    dynamic: isDynamic(facts),
    messageId,
    title,
    server,
    input: facts.input,
    display: isShown ? { value: facts.input, hidden: 0 } : undefined,
    inputText: isShown ? inputTextOf(facts.input) : undefined,
    requestReason: undefined,
    unavailable: unavailableTools.has(toolName),
    dangerous: isDangerous,
    dangerousBy: isDangerous ? tools.dangerSource(facts) : undefined,
    soundsDangerous: !isDangerous && tools.soundsDangerous(toolName, title, server),
    readOnly: false,
    ruling: undefined,
    defaultCovers: info?.covers ?? 'input',
    status: 'asking',
    decision: undefined,
    actor: undefined,
    user: undefined,
    source: undefined,
    outcome: undefined,
    editable: false,
    edited: undefined,
    grant: undefined,
    can: CAN_NOTHING,
    deadline: undefined,
    expiring: false,
    mayHaveRun: false,
    refusals: 0,
    group: key,
    position: { index, total },
    // Nothing can answer it here.
    waiting: false,
  };
}
