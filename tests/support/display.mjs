// A display for a browser that has to have one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { xdotoolPath, xvfbPath } from './browsers.mjs';
import { run } from './process.mjs';

/** A display that nobody sees. It chooses its own number and says it. */
export async function openDisplay() {
  const args = ['-displayfd', '3', '-screen', '0', '1600x1300x24', '-nolisten', 'tcp', '-noreset'];
  const child = spawn(xvfbPath() ?? 'Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [number] = await Promise.race([
    once(/** @type {any} */ (child.stdio[3]), 'data'),
    once(child, 'exit').then(() => [undefined]),
  ]);
  if (number === undefined) throw new Error('Xvfb did not start.');
  const name = `:${String(number).trim()}`;
  // Without a window manager the window under the pointer has the focus: so the pointer goes where every window is.
  try {
    await run(xdotoolPath() ?? 'xdotool', ['mousemove', '10', '100'], { env: { DISPLAY: name } });
  } catch (error) {
    child.kill();
    throw error;
  }
  return { child, name };
}
