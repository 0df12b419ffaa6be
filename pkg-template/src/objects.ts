// Values from outside, whose fields may have any value.

/** The fields of an object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value has fields; a list has some, too. */
export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Whether a value has fields, and is no list. */
export const isRecord = (value: unknown): value is Fields => isObject(value) && !Array.isArray(value);
