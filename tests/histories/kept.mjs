// Histories that once broke a promise, each with the promise. They are played in every run.
export const KEPT = [];
