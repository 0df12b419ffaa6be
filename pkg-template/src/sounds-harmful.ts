/** Words in the names of tools that may do harm, without their endings. There is no other list of them. */
const HARM =
  /delet|remov|eras|wipe|destroy|drop|trunc|purge|overwrit|write|execut|command|shell|terminal|kill/i;

/** Whether the name or the title of a tool suggests that it may do harm. It marks a call, and decides nothing. */
export const soundsHarmful = (toolName: string, title?: string): boolean =>
  HARM.test(`${toolName} ${title ?? ''}`);
