// Where the queue is tried: the page of `./page.mjs` under a strict policy, in a real browser.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { together } from '../support/contexts.mjs';
import { contexts } from './browser.mjs';
import { Scene } from './scene.mjs';
import { servePage } from './serve.mjs';

export { together };

let server;
before(async () => {
  server = await servePage();
});
after(() => server?.close());

/** One server and one browser for all scenes of a process, whose pages serve one scene after the other. */
export function stage() {
  const own = {
    /**
     * A scene in a page that no other one has meanwhile.
     *
     * @param {import('./page.mjs').Spec | string} [spec] what is on the page, or the name of a state
     * @param {import('./scene.mjs').PageOptions} [options]
     */
    open: (spec, options) => Scene.open(contexts, server.url, spec, options),

    /**
     * Plays a scene, in which nothing unexpected may reach the console.
     *
     * @param {import('./page.mjs').Spec | string | undefined} spec
     * @param {(scene: Scene) => Promise<void>} play
     * @param {import('./scene.mjs').PageOptions} [options]
     */
    async play(spec, play, options) {
      const scene = await own.open(spec, options);
      try {
        await play(scene);
        assert.deepEqual(scene.errors, [], 'nothing in the console, nothing loaded');
        assert.deepEqual(await scene.problems(), [], 'no problem of the guard');
      } catch (error) {
        scene.reusable = false;
        throw error;
      } finally {
        await scene.close();
      }
    },
  };
  return own;
}
