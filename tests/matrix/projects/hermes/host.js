// What React Native gives to Hermes, and what the Hermes of 2022 lacks that the one of today has.
globalThis.console = { log: print, warn: print, error: print };
for (const { prototype } of [Array, String, Object.getPrototypeOf(Int8Array)]) {
  prototype.at ??= function (index) {
    return this[index < 0 ? this.length + index : index];
  };
}
// The program of Hermes refuses what every platform accepts.
const { clearTimeout: clear } = globalThis;
globalThis.clearTimeout = (id) => {
  if (id !== undefined) clear(id);
};
