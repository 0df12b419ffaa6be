// The guards of all chats of a page.
import type { UIMessage } from 'ai';

import { createApprovalGuard } from './index.js';
import {
  guardsWith,
  type ApprovalGuards,
  type ApprovalGuardsOptions,
  type CreateGuard,
  type OptionsByChat,
} from './threads/guards.js';

export type { ApprovalGuards, ApprovalGuardsOptions, OptionsByChat };

/**
 * Creates the approval guards of all chats of a page, one for each chat id. Each of them is created on demand,
 * and freed when its chat is gone.
 *
 * @typeParam M the messages of the chats; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param options the options of each guard; every option has a default. Or a function that returns those of a chat: it is
 * called when the guard of the chat is made
 * @throws GuardError `invalid-option` or `invalid-catalogue`, saying what the option must be
 */
export const createApprovalGuards = <M extends UIMessage = UIMessage, Dynamic extends string = never>(
  options: OptionsByChat<M, Dynamic> = {},
): ApprovalGuards<M> =>
  guardsWith(createApprovalGuard as CreateGuard, options as unknown as OptionsByChat<M>);
