// Promises that are known to be broken: the kind, and a history that breaks it, with the major of the SDK. What is mended is taken
// out; a test fails while it stands here for nothing.
export const KNOWN = [];
