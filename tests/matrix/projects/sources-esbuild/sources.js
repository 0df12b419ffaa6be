export { default as guard } from 'tool-approval-guard/guard.wasm';
export { default as record } from 'tool-approval-guard/record.wasm';
export { default as rules } from 'tool-approval-guard/rules.wasm';
export { default as server } from 'tool-approval-guard/server.wasm';
export { default as verify } from 'tool-approval-guard/verify.wasm';
