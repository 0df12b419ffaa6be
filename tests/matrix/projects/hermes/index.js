// The entry of an app: React Native has no streams, which the SDK's transports need as well.
import 'web-streams-polyfill/polyfill';

import { answer } from './answer.js';

answer().then(
  (value) => console.log(JSON.stringify(value)),
  (error) => console.log(String(error?.stack ?? error)),
);
