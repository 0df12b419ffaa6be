import 'tool-approval-guard';

console.log('nothing of it is used');
