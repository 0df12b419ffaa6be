export * from './sync.js';
export { init, initSync, type WasmSource } from './module/slim.js';
