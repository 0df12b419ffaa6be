// The server of the SDK's documentation.
export { createServer } from '../hooks/server.mjs';
