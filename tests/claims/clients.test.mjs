// The clients that the guide names fit the types of the stores.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import ts from 'typescript';

const source = `
import { Redis } from 'ioredis';
import Database from 'libsql';
import { createClient } from 'redis';
import { redisClaims, sqliteClaims } from 'tool-approval-guard/claims';

export const stores = [
  redisClaims(new Redis()),
  redisClaims(createClient()),
  sqliteClaims(new Database('claims.db')),
];
// @ts-expect-error no client
redisClaims({});
`;

test('ioredis, redis and libsql fit', () => {
  const folder = mkdtempSync(path.join(import.meta.dirname, 'clients-'));
  try {
    const file = path.join(folder, 'clients.mts');
    writeFileSync(file, source);
    const program = ts.createProgram([file], {
      ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true, noEmit: true },
      ...{ moduleResolution: ts.ModuleResolutionKind.NodeNext, skipLibCheck: true, types: ['node'] },
    });
    const wrong = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
    assert.deepEqual(wrong, []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
