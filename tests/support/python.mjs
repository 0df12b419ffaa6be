// The Python that has what the example backend requires, in an environment of its own.
import path from 'node:path';

import { root, run } from './process.mjs';

export const environment = path.join(root, 'target', 'python');
export const python = path.join(environment, 'bin', 'python');
export const requirements = path.join(root, 'pkg-template', 'examples', 'python', 'requirements.txt');

const compare = `
import importlib.metadata, re, sys
wanted = re.findall(r"^([\\w-]+)==(\\S+)", open(sys.argv[1]).read(), re.MULTILINE)
assert wanted and all(importlib.metadata.version(name) == version for name, version in wanted)
`;

/** Has the environment exactly the versions that are required? */
export async function pythonIsComplete() {
  return (await run(python, ['-c', compare, requirements], { may: true })).code === 0;
}
