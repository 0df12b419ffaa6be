// Imports the package while WebAssembly is watched, uses it, and says what it saw.
let begun = 0;
for (const name of ['Module', 'Instance']) {
  WebAssembly[name] = new Proxy(WebAssembly[name], {
    construct: (target, args) => (begun++, Reflect.construct(target, args)),
  });
}
for (const name of ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming', 'validate']) {
  const original = WebAssembly[name];
  WebAssembly[name] = (...args) => (begun++, original?.(...args));
}

const before = new Set(Reflect.ownKeys(globalThis));
const { createApprovalGuard } = await import('tool-approval-guard');
const { answer } = await import('./answer.js');
const atImport = begun;
createApprovalGuard({ chatId: 'unused' });
const used = await answer();
const packages = ['ai', 'react', '@ai-sdk/react'].filter((name) => {
  try {
    return import.meta.resolve(name);
  } catch {
    return false;
  }
});
console.log(
  JSON.stringify({
    atImport,
    afterUse: begun,
    used,
    packages,
    globals: Reflect.ownKeys(globalThis).filter((key) => !before.has(key)),
  }),
);
