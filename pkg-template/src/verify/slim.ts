export * from '../verify.js';
export { init, initSync, type WasmSource } from '../module/slim.js';
