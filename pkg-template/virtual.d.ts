// What exists only in a build; see build.mjs. To the glue that wasm-bindgen writes, and to the form of the module,
// tsconfig.json leads.
declare module 'virtual:wasm' {
  /** The module of the entry, as `bytesOf` reads it. */
  export const text: string;
  /** The module that reads the text, in hexadecimal digits. */
  export const reader: string;
}
/** A style sheet as text, without what only its readers need. */
declare module '*.css' {
  const css: string;
  export default css;
}
declare module 'virtual:translated' {
  /** The module as JavaScript: takes its imports, and returns its exports. */
  export function instantiate(imports: object): object;
}
