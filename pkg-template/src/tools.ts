// Types for the names, inputs and outputs of the tools in a chat's messages.
import type { UIDataTypes, UIMessage, UITools } from 'ai';

/** The tools of a message type: its third type argument. */
export type ToolsOf<M extends UIMessage> = M extends UIMessage<unknown, UIDataTypes, infer T> ? T : UITools;

/** The names of the tools of a message type; `string` if the type does not name any. */
export type ToolName<M extends UIMessage = UIMessage> = Extract<keyof ToolsOf<M>, string>;

/**
 * The name of a called tool: one of the tools of the message type, or any other name, because a server may
 * have tools that are known only at run time (`dynamic-tool`).
 */
export type CalledToolName<M extends UIMessage = UIMessage> =
  // Types that depend on the tools are behind `infer`, so that a guard of typed messages is assignable to one
  // of any messages; see ApprovalGuard.
  M extends UIMessage<unknown, UIDataTypes, infer T> ? CalledName<T> : string;

type CalledName<T> = string extends keyof T ? string : Extract<keyof T, string> | (string & {});

/** Names of tools; `*` stands for any characters. */
export type ToolNamePattern = `${string}*${string}`;
