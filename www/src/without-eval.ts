// Imported first: the SDK reads chunks with zod, which tries at its first schema whether it may make a function of a
// string. The policy of the page forbids that, and Firefox and WebKit would report it as an error of the page.
import { config } from 'zod/v4';

config({ jitless: true });
