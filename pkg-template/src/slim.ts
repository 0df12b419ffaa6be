export * from './index.js';
export { init, initSync, type WasmSource } from './module/slim.js';
