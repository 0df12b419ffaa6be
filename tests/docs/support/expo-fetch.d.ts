// The types of `expo/fetch`, which is not installed here.
export declare const fetch: typeof globalThis.fetch;
