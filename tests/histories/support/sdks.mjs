// Both majors of the SDK, each with its `Chat`.
import * as ai7 from 'ai';
import * as ai6 from 'ai6';
import * as react7 from '@ai-sdk/react';
import * as react6 from 'react6';

export const SDKS = [
  { name: 'ai@7', major: 7, ai: ai7, Chat: react7.Chat, test: () => import('ai/test') },
  { name: 'ai@6', major: 6, ai: ai6, Chat: react6.Chat, test: () => import('ai6/test') },
];
