import type { SqliteDatabase } from 'tool-approval-guard/claims';

export declare const database: SqliteDatabase;
