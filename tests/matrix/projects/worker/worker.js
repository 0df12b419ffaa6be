import { answer } from './answer.js';

export default { fetch: async () => Response.json(await answer()) };
