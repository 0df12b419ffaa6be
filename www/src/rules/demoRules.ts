/// <reference types="vite/client" />
import { createRules } from 'tool-approval-guard/rules';
import text from './demo-rules.json?raw';

/** As a person would write them: the page shows this very text. */
export const DEMO_RULES = text;

/** The same, for a chat. */
export const demoRules = () => createRules(JSON.parse(text));
