const { createApprovalGuard } = require('tool-approval-guard');
const { createRecord } = require('tool-approval-guard/record');
const { createRules } = require('tool-approval-guard/rules');
const { readDecisions } = require('tool-approval-guard/server');
const { verifyRecord } = require('tool-approval-guard/verify');

import('./use.js')
  .then(({ begin }) =>
    begin({ createApprovalGuard, createRecord, createRules, readDecisions, verifyRecord })(),
  )
  .then((value) => console.log(JSON.stringify(value)));
