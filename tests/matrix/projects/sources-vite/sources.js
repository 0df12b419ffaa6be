export { default as guard } from 'tool-approval-guard/guard.wasm?url';
export { default as record } from 'tool-approval-guard/record.wasm?url';
export { default as rules } from 'tool-approval-guard/rules.wasm?url';
export { default as server } from 'tool-approval-guard/server.wasm?url';
export { default as verify } from 'tool-approval-guard/verify.wasm?url';
