// The verifier alone, for a server or a tool without a chat.
export { verifyRecord, type RecordVerdict } from './record.js';
