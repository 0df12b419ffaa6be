// Fuzzes what reads strange texts: `npm run fuzz -- [--seconds N] [target …]`. The targets are in
// tests/fuzz/targets.rs; `cargo test` holds them against the kept corpus without this.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { setUp } from './setup.mjs';
import { root, run, since } from './support/process.mjs';

const at = (...parts) => path.join(root, ...parts);
const all = readdirSync(at('tests', 'fuzz', 'bin')).map((name) => path.basename(name, '.rs'));

function asked() {
  const { values, positionals } = parseArgs({
    options: { seconds: { type: 'string', default: '600' } },
    allowPositionals: true,
  });
  const seconds = Number(values.seconds);
  if (!Number.isInteger(seconds) || seconds < 1) throw new Error('--seconds takes a whole number from 1 on.');
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no target ${unknown.join(', ')}; there are ${all.join(', ')}.`);
  }
  return { seconds, targets: positionals.length > 0 ? positionals : all };
}

/** cargo-fuzz on the crate of the targets. */
function cargoFuzz(command, ...args) {
  // Without a sanitizer, which would only watch unsafe code and needs a nightly compiler; overflows and
  // debug assertions are checked.
  const folders = ['--fuzz-dir', at('tests', 'fuzz'), '--target-dir', at('target', 'fuzz')];
  return run('cargo', ['fuzz', command, ...folders, '--sanitizer', 'none', ...args], { may: true });
}

const folder = (...parts) => {
  const made = at(...parts);
  mkdirSync(made, { recursive: true });
  return made;
};

/** @returns {Promise<boolean>} whether everything held */
async function fuzz(target, seconds) {
  const start = performance.now();
  console.log(`${target}: ${seconds} s`);
  const kept = at('tests', 'fuzz', 'corpus', target);
  const found = folder('target', 'fuzz', 'corpus', target);
  const failures = folder('target', 'fuzz', 'failures', target);
  const { code, output } = await cargoFuzz(
    ...['run', target, found, kept, '--'],
    ...[`-max_total_time=${seconds}`, '-max_len=1024', '-timeout=10'],
    ...[`-artifact_prefix=${failures}${path.sep}`, '-print_final_stats=1', '-verbosity=0'],
  );
  const count = Number(/number_of_executed_units: *(\d+)/.exec(output)?.[1] ?? 0);
  const says = `${target}: ${count.toLocaleString('en')} inputs in ${since(start)}`;
  if (code === 0 && count > 0) {
    console.log(`${says}, all laws held`);
    return true;
  }
  console.log(`${says}, and then`);
  console.log(/thread .* panicked at[^]*?(?=\nstack backtrace)/.exec(output)?.[0] ?? output.slice(-3000));
  const file = /Test unit written to (\S+)/.exec(output)?.[1];
  if (file && existsSync(file)) {
    console.log(`The input, ${path.relative(root, file)}:\n${JSON.stringify(readFileSync(file, 'utf8'))}`);
    console.log(`Copied to ${path.relative(root, kept)}, it is a case of \`cargo test\`.`);
  }
  return false;
}

try {
  const { seconds, targets } = asked();
  if (!(await setUp('fuzz'))) process.exit(1);
  const { code, output } = await cargoFuzz('build');
  if (code !== 0) throw new Error(output.slice(-3000));
  for (const target of targets) {
    if (!(await fuzz(target, seconds))) process.exitCode = 1;
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
