export const guard = new URL('./guard.wasm', import.meta.url);
export const record = new URL('./record.wasm', import.meta.url);
export const rules = new URL('./rules.wasm', import.meta.url);
export const server = new URL('./server.wasm', import.meta.url);
export const verify = new URL('./verify.wasm', import.meta.url);
