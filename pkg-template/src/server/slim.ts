export * from '../server.js';
export { init, initSync, type WasmSource } from '../module/slim.js';
