// What the glue uses of the platform, where the module is JavaScript. The build imports these names into the glue.
import { instantiate } from 'virtual:translated';

import { Utf8Decoder, Utf8Encoder } from './utf8.js';

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

const platform = globalThis as Partial<typeof globalThis>;

export const TextDecoder = platform.TextDecoder ?? Utf8Decoder;
export const TextEncoder = platform.TextEncoder ?? Utf8Encoder;
export const performance = platform.performance ?? Date;
