/**
 * The words of prompts, for pages that show requests in their own way: what is asked, why, and how it ended, in
 * English or in the language of a catalogue. The queue uses the same words.
 *
 * @module
 */
export { createWords, type BatchWords, type CallWords, type Words } from './text/prompts.js';
export type {
  Catalogue,
  CompleteCatalogue,
  MessageId,
  PromptMessages,
  QueueMessageId,
} from './text/catalogue.js';
export type * from './text/message.js';
