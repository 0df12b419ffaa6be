// Runs the bundle in Hermes.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const program = ['host.js', 'dist/main.js'].map((name) => readFileSync(name, 'utf8')).join('\n');
writeFileSync('dist/program.js', program);
const hermes = path.resolve('..', 'node_modules', 'hermes-engine-cli', 'linux64-bin', 'hermes');
execFileSync(hermes, ['-w', 'dist/program.js'], { stdio: 'inherit' });
