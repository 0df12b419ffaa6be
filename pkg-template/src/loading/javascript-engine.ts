// The engine as JavaScript, for platforms that are known to have no WebAssembly.
export type Engine = typeof import('../sync.js');

export const importEngine = (): Promise<Engine> => import('../sync.js');
