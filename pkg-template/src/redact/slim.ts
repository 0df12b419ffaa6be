export * from '../redact.js';
export { init, initSync, type WasmSource } from '../module/slim.js';
