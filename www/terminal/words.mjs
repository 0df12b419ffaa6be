// The words of this program.
import { createWords } from '../../pkg/words.js';

export const words = createWords({
  locale: 'en',
  messages: {
    'done.elsewhereAllowed': 'Allowed by the server',
    'done.elsewhereDenied': 'Denied by the server',
  },
});
