import type { UIMessage } from 'ai';

import { createApprovalGuard } from './index.js';
import {
  guardsWith,
  type ApprovalGuards,
  type ApprovalGuardsOptions,
  type CreateGuard,
} from './threads/guards.js';

export type { ApprovalGuards, ApprovalGuardsOptions };

/**
 * Creates the approval guards of all chats of a page, one for each chat id. Each of them is created on demand,
 * and freed when its chat is gone.
 *
 * @typeParam M the messages of the chats; the options can name their tools
 * @typeParam Dynamic names of tools that are known only at run time
 * @param options the options of each guard; every option has a default
 * @throws GuardError `invalid-option` or `invalid-catalogue`, saying what the option must be
 */
export const createApprovalGuards = <M extends UIMessage = UIMessage, Dynamic extends string = never>(
  options: ApprovalGuardsOptions<M, Dynamic> = {},
): ApprovalGuards<M> =>
  guardsWith(createApprovalGuard as CreateGuard, options as unknown as ApprovalGuardsOptions<M>);
