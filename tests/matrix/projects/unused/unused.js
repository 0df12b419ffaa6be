import 'tool-approval-guard';
import 'tool-approval-guard/record';
import 'tool-approval-guard/rules';

console.log('{"used":[]}');
