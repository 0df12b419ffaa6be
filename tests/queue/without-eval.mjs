// Imported before the SDK: it reads chunks with zod, which at its first schema tries whether it may make a function of a
// string. The page forbids that, and would report it.
import { config } from 'zod/v4';

config({ jitless: true });
