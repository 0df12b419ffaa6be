// Sorts the bytes of a module by what they are: opcodes, locals, offsets, constants and so on, each in a stream of its
// own. Side by side they resemble each other more than they do in the order of the code, so they compress better.
// `module-text.mjs` makes the reader that puts them back.

/** The kinds of operands, each in a stream of its own. The number of an operand is its place here, plus one. */
const STREAMS = [
  ...['local', 'setLocal', 'offset', 'storeOffset', 'i32', 'i64', 'f64', 'label', 'block', 'call', 'other'],
  ...['header', 'type'],
];
const numberOf = (stream) => STREAMS.indexOf(stream) + 1;

/** In place of a second operand: seven more bytes of the first. All other operands end with a byte below 128, as LEB128 does. */
export const SEVEN_MORE = 15;

/** The alignment of a memory instruction is part of its symbol, because nearly each has only one. */
const isMemory = (opcode) => opcode >= 0x28 && opcode <= 0x3e;
const isStore = (opcode) => opcode >= 0x36;

/** The operands of opcodes. `br_table`, memory instructions and those with a prefix are read below. */
const OPERANDS = new Map([
  ...[0x02, 0x03, 0x04].map((opcode) => [opcode, ['block']]),
  ...[0x0c, 0x0d].map((opcode) => [opcode, ['label']]),
  [0x10, ['call']],
  [0x11, ['type', 'other']],
  [0x20, ['local']],
  ...[0x21, 0x22].map((opcode) => [opcode, ['setLocal']]),
  ...[0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0xd0, 0xd2].map((opcode) => [opcode, ['other']]),
  [0x41, ['i32']],
  [0x42, ['i64']],
  [0x44, ['f64']],
]);
const BR_TABLE = 0x0e;
const PREFIXED = 0xfc;
/** Of instructions with the prefix, by their second byte; the conversions before 8 have none. */
const PREFIXED_OPERANDS = [2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

const isPlain = (opcode) =>
  [0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1].includes(opcode) || (opcode >= 0x45 && opcode <= 0xc4);

/**
 * @param {Uint8Array} bytes a module
 * @returns `symbols`, four bytes for each: two bytes of code; how many of them count (four bits) with the number of the
 *   stream of its first operand (four bits); and four times the number of the stream of its second operand. 0 is no
 *   stream. `code`, the symbols of the code in its order; `streams`; and the bytes `before` and `behind` the code
 */
export function streamsOf(bytes) {
  let at = 8;
  const byte = () => bytes[at++];
  const number = () => {
    let value = 0;
    for (let shift = 0, last = 128; last >= 128; shift += 7) {
      last = byte();
      value += (last & 127) * 2 ** shift;
    }
    return value;
  };
  /** The text of each symbol in the order of the code. */
  const code = [];
  const streams = STREAMS.map(() => []);
  /** Adds a symbol with its operands, which are read. */
  const add = (literals, operands) => {
    code.push(JSON.stringify([literals, operands]));
    for (const operand of operands) {
      const from = at;
      if (operand === 'f64') at += 8;
      else number();
      streams[STREAMS.indexOf(operand)].push(...bytes.subarray(from, at));
    }
  };
  const instruction = () => {
    const opcode = byte();
    if (isMemory(opcode)) return add([opcode, byte()], [isStore(opcode) ? 'storeOffset' : 'offset']);
    if (opcode === BR_TABLE) {
      const from = at;
      const labels = number() + 1;
      at = from;
      add([opcode], ['other']);
      for (let each = 0; each < labels; each++) add([], ['label']);
      return;
    }
    if (opcode === PREFIXED) {
      const second = byte();
      const count = second < 8 ? 0 : PREFIXED_OPERANDS[second - 8];
      if (count === undefined) throw new Error(`The instruction 0xfc ${second} is not known.`);
      return add([opcode, second], Array(count).fill('other'));
    }
    const operands = OPERANDS.get(opcode) ?? (isPlain(opcode) ? [] : undefined);
    if (operands === undefined) throw new Error(`The instruction 0x${opcode.toString(16)} is not known.`);
    add([opcode], operands);
  };
  const body = () => {
    const from = at;
    const end = number() + at;
    const groups = number();
    at = from;
    // The size and the number of groups of locals, and then the groups.
    for (let each = 0; each <= groups; each++) add([], ['header', 'type']);
    while (at < end) instruction();
  };
  let [begin, end] = [bytes.length, bytes.length];
  while (at < bytes.length) {
    const section = byte();
    const after = number() + at;
    if (section === 10) {
      const bodies = number();
      begin = at;
      for (let each = 0; each < bodies; each++) body();
      end = at;
    }
    at = after;
  }
  // The common ones have small numbers, as locals and offsets have, so they get the same letters as those.
  const count = new Map();
  for (const name of code) count.set(name, (count.get(name) ?? 0) + 1);
  const names = [...count.keys()].sort((one, other) => count.get(other) - count.get(one));
  if (names.length > 256) throw new Error(`${names.length} symbols do not fit into a byte.`);
  const numbers = new Map(names.map((name, number) => [name, number]));
  return {
    symbols: names.flatMap((name) => {
      const [literals, operands] = JSON.parse(name);
      const [first = 0, second = operands[0] === 'f64' ? SEVEN_MORE : 0] = operands.map(numberOf);
      return [literals[0] ?? 0, literals[1] ?? 0, literals.length | (first << 4), second << 2];
    }),
    code: code.map((name) => numbers.get(name)),
    streams,
    before: bytes.subarray(0, begin),
    behind: bytes.subarray(end),
  };
}
