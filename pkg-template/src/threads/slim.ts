import type { UIMessage } from 'ai';

import { createApprovalGuard } from '../slim.js';
import { guardsWith, type ApprovalGuards, type ApprovalGuardsOptions, type CreateGuard } from './guards.js';

export type { ApprovalGuards, ApprovalGuardsOptions };

/**
 * Creates the approval guards of all chats of a page, one for each chat id. The module is loaded with `init` of
 * `tool-approval-guard/slim`.
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
