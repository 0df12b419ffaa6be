// The module that exists only in a build; see build.mjs. Its sister `virtual:glue` is the class that
// wasm-bindgen writes, to which tsconfig.json leads.
declare module 'virtual:wasm' {
  /** The WebAssembly module, decoded at each call. */
  export function wasmBytes(): Uint8Array<ArrayBuffer>;
}
