export const guard = new URL('tool-approval-guard/guard.wasm', import.meta.url);
export const record = new URL('tool-approval-guard/record.wasm', import.meta.url);
export const rules = new URL('tool-approval-guard/rules.wasm', import.meta.url);
export const server = new URL('tool-approval-guard/server.wasm', import.meta.url);
export const verify = new URL('tool-approval-guard/verify.wasm', import.meta.url);
