// The part that runs in Node and in a page alike.
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as approvals,
  lastAssistantMessageIsCompleteWithToolCalls as toolCalls,
} from 'ai';

import { createApprovalGuard as createInJavaScript } from '../../pkg/javascript/sync.js';
import { createApprovalGuard } from '../../pkg/sync.js';
import { createRecord } from '../../pkg/record.js';
import { redact } from '../../pkg/redact.js';
import { createRules } from '../../pkg/rules.js';
import { deciding, expiring, onBoth, yes } from './deciding.mjs';
import { granting } from './granting.mjs';
import { answers } from './measure.mjs';
import { createPlainGuard } from './plain.mjs';
import { omitting } from './omitting.mjs';
import { prompting } from './prompting.mjs';
import { recording } from './recording.mjs';
import { repairing } from './repairing.mjs';
import { ruling } from './ruling.mjs';

const makers = { guard: createApprovalGuard, plain: createPlainGuard };
/** A page that has both approvals and client tools needs both predicates. */
const stock = { approvals, pair: (question) => approvals(question) || toolCalls(question) };

export async function suite(log) {
  const figures = {
    deciding: await deciding(makers, stock, log),
    yes: await yes(makers, stock, log),
    expiring: await expiring(createApprovalGuard, stock, log),
    onBoth: await onBoth({ wasm: createApprovalGuard, javascript: createInJavaScript }, stock, log),
    repairing: await repairing(makers, log),
    omitting: await omitting(createApprovalGuard, log),
    prompting: await prompting(createApprovalGuard, log),
    granting: await granting(createApprovalGuard, stock, log),
    ruling: await ruling({ createRules, redact }, log),
    recording: await recording({ createApprovalGuard, createRecord }, log),
  };
  return { ...figures, answers };
}
