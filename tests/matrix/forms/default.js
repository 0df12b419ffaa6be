import { createApprovalGuard } from 'tool-approval-guard';
import { createRecord } from 'tool-approval-guard/record';
import { createRules } from 'tool-approval-guard/rules';
import { readDecisions } from 'tool-approval-guard/server';
import { verifyRecord } from 'tool-approval-guard/verify';

import { begin } from './use.js';

const face = { createApprovalGuard, createRecord, createRules, readDecisions, verifyRecord };

export const answer = () => begin(face)();
