// Promises that are known to be broken: the kind, the major of the SDK, and a history that breaks it. What is mended is taken out; a
// test fails while it stands here for nothing.
export const KNOWN = [];
