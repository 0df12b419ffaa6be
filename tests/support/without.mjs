// A platform that lacks some globals.

/** Runs `work` without these globals, and puts them back. */
export async function without(names, work) {
  const kept = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  for (const name of names) delete globalThis[name];
  try {
    return await work();
  } finally {
    for (const [name, descriptor] of kept) Object.defineProperty(globalThis, name, descriptor);
  }
}
