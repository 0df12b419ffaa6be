export * from '../rules.js';
export { init, initSync, type WasmSource } from '../module/slim.js';
