// The verifier on its own, for a server or a tool that has no chat.
export { verifyRecord, type RecordVerdict } from './record.js';
