// A stand-in for WebAssembly, where the module is JavaScript. The build imports it into the glue.
import { instantiate } from 'virtual:translated';

type Imports = Parameters<typeof instantiate>[0];

/** As much of `WebAssembly` as the glue uses. */
export const WebAssembly = {
  /** The module has no bytes: its code is part of this file. */
  Module: class {},
  Instance: class {
    readonly exports: object;

    constructor(_module: object, imports: Imports) {
      this.exports = instantiate(imports);
    }
  },
};
