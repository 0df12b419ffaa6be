// The worst patterns, natively: `globs.rs`.
import { run } from '../support/process.mjs';

/** @returns for each pattern the microseconds for half a text of 1 MB, and for all of it */
export async function globs() {
  const { stdout } = await run('cargo', ['bench', '--quiet', '--bench', 'globs']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [what, half, whole] = line.split('\t');
      return { what, half: Number(half), whole: Number(whole) };
    });
}
