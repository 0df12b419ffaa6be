// How the tools of a chat's messages name and type what a guard takes and gives.
import type { UIDataTypes, UIMessage, UITools } from 'ai';

/** The tools of a message type, as its third argument says them. */
export type ToolsOf<M extends UIMessage> = M extends UIMessage<unknown, UIDataTypes, infer T> ? T : UITools;

/** The names of the tools of a message type: `string` where it does not say which there are. */
export type ToolName<M extends UIMessage = UIMessage> = Extract<keyof ToolsOf<M>, string>;

/**
 * The name of a tool that was called: one of the tools of the message type, or any other, because a server may
 * have tools that are known only at run time (`dynamic-tool`).
 */
export type CalledToolName<M extends UIMessage = UIMessage> =
  // What depends on the tools stands behind `infer`: so a guard of typed messages is one of any, see ApprovalGuard.
  M extends UIMessage<unknown, UIDataTypes, infer T> ? CalledName<T> : string;

type CalledName<T> = string extends keyof T ? string : Extract<keyof T, string> | (string & {});

/** Names of tools, of which `*` stands for any characters. */
export type ToolNamePattern = `${string}*${string}`;
