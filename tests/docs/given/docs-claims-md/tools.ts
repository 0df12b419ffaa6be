import type { LanguageModel, ToolSet } from 'ai';

export declare const model: LanguageModel;
export declare const tools: ToolSet;
