export * from '../record.js';
export { init, initSync, type WasmSource } from '../module/slim.js';
