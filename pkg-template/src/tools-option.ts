// What the application, and the servers of tools, say about tools.

import { toolNameOf, type PartFacts } from './chat/part.js';
import type { ToolInfo } from './prompt.js';
import type { ToolAnnotations } from './types/rules.js';

/** Words in the names of tools that may do harm, without their endings. */
const HARM =
  /delet|remov|eras|wipe|destroy|drop|trunc|purge|overwrit|write|execut|command|shell|terminal|kill/i;

/** Whether the name or the title of a tool suggests that it may do harm. It marks a call, and decides nothing. */
export const soundsHarmful = (toolName: string, title: string | undefined): boolean =>
  HARM.test(`${toolName} ${title ?? ''}`);

/** The option `tools`, together with what the parts of calls say about their tools. */
export class Tools {
  readonly #infos: ReadonlyMap<string, ToolInfo>;

  /** @param infos the option, by the names of the tools */
  constructor(infos: ReadonlyMap<string, ToolInfo>) {
    this.#infos = infos;
  }

  /** The server of a call's tool: the one that its part names, or otherwise the one of the option. */
  serverOf(facts: PartFacts): string | undefined {
    // Without the option, no name is made of the part's type.
    return facts.server ?? (this.#infos.size === 0 ? undefined : this.serverNamed(toolNameOf(facts)));
  }

  /** The server that the option names for a tool. */
  serverNamed(toolName: string): string | undefined {
    return this.#infos.get(toolName)?.server;
  }

  /** What the option says about a tool of this server. Nothing, if it is about the tool of another one. */
  of(toolName: string, server: string | undefined): ToolInfo | undefined {
    const info = this.#infos.get(toolName);
    return info?.server === undefined || info.server === server ? info : undefined;
  }

  /** Whether the option marks a tool of this name as dangerous, on whatever server: a mark only makes stricter. */
  danger(toolName: string): ToolInfo['dangerous'] {
    return this.#infos.get(toolName)?.dangerous;
  }

  /**
   * The annotations of a call's tool: those of its part, and over them those of the option. Whoever of the two says that
   * it may destroy something is believed.
   */
  annotationsOf(facts: PartFacts): ToolAnnotations | undefined {
    const { hints } = facts;
    const toolName = toolNameOf(facts);
    const own = this.of(toolName, this.serverOf(facts))?.annotations;
    const isDestructive = [hints, this.#infos.get(toolName)?.annotations].some(
      (said) => said?.destructiveHint === true,
    );
    if (hints === undefined && !isDestructive) return own;
    return { ...hints, ...own, ...(isDestructive ? { destructiveHint: true } : {}) };
  }
}
