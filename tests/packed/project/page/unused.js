import 'tool-approval-guard';
import 'tool-approval-guard/rules';

console.log('nothing of it is used');
