// The modules that exist only in a build; see build.mjs.
declare module 'virtual:glue' {
  export { GuardCore, initSync } from '../target/bindgen/tool_approval_guard.js';
}

declare module 'virtual:wasm' {
  /** The WebAssembly module, decoded at each call. */
  export function wasmBytes(): Uint8Array<ArrayBuffer>;
}
