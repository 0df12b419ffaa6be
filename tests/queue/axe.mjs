// What axe-core finds in an element of a scene.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe has found, as lines. Given in by the debugger, so that the policy of the page stays as strict as it is.
 *
 * @param {import('./scene.mjs').Scene} scene
 * @param {string[]} [only] these rules; otherwise all that axe has by default
 */
export async function findings(scene, only) {
  if (!(await scene.page.evaluate(() => 'axe' in window))) await scene.page.evaluate(`(() => {${axe}})()`);
  const found = await scene.page.evaluate(async (only) => {
    const { violations, incomplete } = await axe.run(document, {
      resultTypes: ['violations', 'incomplete'],
      ...(only && { runOnly: only }),
      rules: {
        // The page around the queue is no page: it has neither landmarks nor a heading of its own.
        'page-has-heading-one': { enabled: false },
        region: { enabled: false },
        'landmark-one-main': { enabled: false },
        'color-contrast-enhanced': { enabled: false },
        'target-size': { enabled: true },
      },
    });
    const lines = (kind, list) =>
      list.flatMap(({ id, nodes }) =>
        nodes
          .filter(({ target }) => /tool-approval-(queue|card)/.test([target[0]].flat()[0]))
          .map(({ html, any, all, none }) =>
            [
              kind,
              id,
              html.slice(0, 160),
              [...any, ...all, ...none].map(({ message }) => message).join(' '),
            ].join(' | '),
          ),
      );
    // Where axe cannot tell a contrast, somebody would have to look: so that counts as well.
    const unsure = incomplete.filter(({ id }) => id === 'color-contrast');
    return [...lines('violation', violations), ...lines('unsure', unsure)];
  }, only);
  return found;
}
