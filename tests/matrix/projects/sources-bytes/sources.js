import { readFile } from 'node:fs/promises';

const read = (name) => readFile(new URL(import.meta.resolve(`tool-approval-guard/${name}.wasm`)));

export const guard = await read('guard');
export const record = await read('record');
export const rules = await read('rules');
export const server = await read('server');
export const verify = await read('verify');
