import { answer } from './answer.js';

document.getElementById('answer').textContent = JSON.stringify(await answer());
