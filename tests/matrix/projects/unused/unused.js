import 'tool-approval-guard';
import 'tool-approval-guard/record';
import 'tool-approval-guard/redact';
import 'tool-approval-guard/rules';
import 'tool-approval-guard/server';

console.log('{"used":[]}');
