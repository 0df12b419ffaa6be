import { createApprovalGuard } from 'tool-approval-guard/javascript';
import { createRecord } from 'tool-approval-guard/javascript/record';
import { createRules } from 'tool-approval-guard/javascript/rules';
import { readDecisions } from 'tool-approval-guard/javascript/server';
import { verifyRecord } from 'tool-approval-guard/javascript/verify';

import { begin } from './use.js';

const face = { createApprovalGuard, createRecord, createRules, readDecisions, verifyRecord };

export const answer = () => begin(face)();
