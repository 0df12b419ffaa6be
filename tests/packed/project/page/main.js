import { use } from '../use.js';

document.body.textContent = JSON.stringify(await use());
