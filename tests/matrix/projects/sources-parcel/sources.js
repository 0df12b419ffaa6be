export const guard = new URL('npm:tool-approval-guard/guard.wasm', import.meta.url);
export const record = new URL('npm:tool-approval-guard/record.wasm', import.meta.url);
export const rules = new URL('npm:tool-approval-guard/rules.wasm', import.meta.url);
export const server = new URL('npm:tool-approval-guard/server.wasm', import.meta.url);
export const verify = new URL('npm:tool-approval-guard/verify.wasm', import.meta.url);
