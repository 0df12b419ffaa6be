// The word of the application, and of the servers of tools, about tools.

import { toolNameOf, type PartFacts } from './chat/part.js';
import type { Covers, DangerSource, ToolInfo } from './prompt.js';
import { soundsHarmful } from './sounds-harmful.js';
import type { ToolAnnotations } from './types/rules.js';

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

  /** The option's word about a tool of this server. It has none, if it is about the tool of another one. */
  of(toolName: string, server: string | undefined): ToolInfo | undefined {
    const info = this.#infos.get(toolName);
    return info?.server === undefined || info.server === server ? info : undefined;
  }

  /** The calls that a lasting choice about such a call covers, unless the choice says so itself. */
  coversOf(toolName: string, server: string | undefined): Covers {
    return this.of(toolName, server)?.covers ?? 'input';
  }

  /** Whether the option marks a tool of this name as dangerous, on whatever server: a mark only makes stricter. */
  danger(toolName: string): ToolInfo['dangerous'] {
    return this.#infos.get(toolName)?.dangerous;
  }

  /**
   * Whether the application says that a call is dangerous, or that it is not; otherwise `true` if its server says so.
   * `undefined` if neither says anything. A `false` is believed only of the tool that it is about.
   *
   * @param ask asks a function of the application
   */
  isDangerous(facts: PartFacts, ask: (danger: (input: unknown) => boolean) => boolean): boolean | undefined {
    const toolName = toolNameOf(facts);
    const danger = this.danger(toolName);
    const said = typeof danger === 'function' ? ask(danger) : danger;
    if (said === true || (said === false && this.#isAbout(toolName, facts))) return said;
    return this.annotationsOf(facts)?.destructiveHint === true ? true : undefined;
  }

  /** The source of the mark of a dangerous call. */
  dangerSource(facts: PartFacts): DangerSource {
    const toolName = toolNameOf(facts);
    const danger = this.danger(toolName);
    if (danger === true) return 'application';
    if (this.annotationsOf(facts)?.destructiveHint === true) return 'server';
    return typeof danger !== 'function' && soundsHarmful(toolName) ? 'name' : 'application';
  }

  /** Whether a call sounds dangerous that is not marked. What the application says about its tool goes before its name. */
  soundsDangerous(toolName: string, title: string | undefined, server: string | undefined): boolean {
    return this.of(toolName, server)?.dangerous === undefined && soundsHarmful(toolName, title);
  }

  #isAbout(toolName: string, facts: PartFacts): boolean {
    return this.of(toolName, this.serverOf(facts)) !== undefined;
  }

  /**
   * The annotations of a call's tool: those of its part, and over them those of the option. Either of the two that says that
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
