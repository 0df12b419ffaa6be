// The parts of the tests, the longest first, so that none is left alone at the end.
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { byBreadth, isBroad } from './support/breadth.mjs';
import { browserName, geckodriverPath, webkitDriverPath } from './support/browsers.mjs';
import { chromedriverPath } from './support/chromium.mjs';
import {
  add,
  ALL,
  cargoTests,
  checks,
  failure,
  MEASURES,
  nodeProgram,
  nodeTests,
  program,
  REST,
  typeScript,
} from './support/counts.mjs';
import { openDisplay } from './support/display.mjs';
import { pack } from './support/pack.mjs';
import { root } from './support/process.mjs';
import { emptyProject, packedProject } from './support/projects.mjs';
import { python } from './support/python.mjs';

const at = (...parts) => path.join(root, ...parts);

/** Whether pkg/ is what is released. Only that has the sizes that count. */
const isReleased = () => JSON.parse(readFileSync(at('pkg', 'package.json'), 'utf8')).private !== true;
const NO_SIZES = /^(?!size\.)/;

/** What wasm-pack is told. WebKitGTK answers to what it says to Safari. */
const drivers = {
  chromium: () => ['--chrome', '--chromedriver', chromedriverPath()],
  firefox: () => ['--firefox', '--geckodriver', geckodriverPath()],
  webkit: () => ['--safari', '--safaridriver', webkitDriverPath()],
};

/** How many tests of the border are written. */
const borderTests = () =>
  readdirSync(at('tests', 'border'))
    .map((name) => readFileSync(at('tests', 'border', name), 'utf8'))
    .reduce((sum, text) => sum + text.split('#[wasm_bindgen_test]').length - 1, 0);

/** Only what has changed since it passed is read again. */
const CACHED = ['--cache', '--cache-strategy', 'content', '--cache-location', at('target', 'prettier-cache')];

/** The tests of the package that make a page of their process: the bindings, and chats as people have them. */
const PAGES = /^(adopting|angular|assistant-ui|hook|react|svelte|threads-frameworks|vue|ways-out)/;
/** The others, but for those of the part `times`. */
const NO_PAGES = new RegExp(`${REST.source}(?!${PAGES.source.slice(1)})`);
/**
 * Those that leave their process as it was and do not wait for long: a test of the record waits half a minute for a
 * storage that is silent. A record that a test leaves open disturbs no other, whose clock holds only its own timers.
 */
const PLAIN = /^(?!hidden-page|hot-reload|let-go|loading|record|rehearsal|servers|threads|traps|truth|who)/;

/** The tests that ask most of a module, whatever it is made of. */
const ENGINE = /^(lacking|laws|loading|redact|stream-text|traps|vectors)\./;

/** What the tests of the queue need beside the package. */
const QUEUE = ['tests/queue', 'tests/package/support', 'tests/support', 'tests/source', 'pkg-template/src'];

/**
 * What each part runs. `needsBuild`: not before there is a package. `waits`: for pages and timers most of the time, so that it
 * runs beside one that works. `alone`: at the end, while nothing else runs.
 */
export const parts = {
  core: {
    says: 'the Rust core: units, laws, vectors',
    work: () => cargoTests('cargo', ['test', '--locked', '--no-fail-fast']),
  },
  queue: {
    needsBuild: true,
    waits: true,
    says: `the element of the packed package in ${browserName}, with real keys and pointers`,
    work: async () => {
      // Beside its sources: what counts as a press is tested from them, and the nasty strings stand there.
      const project = await packedProject('packed-queue', ...QUEUE);
      // What counts as a press depends on the browser; the rest has been tried in Chromium alone so far.
      const only = browserName === 'chromium' ? REST : /^press-/;
      return nodeTests(path.join(project, 'tests', 'queue'), { shared: ALL, only });
    },
  },
  record: {
    needsBuild: true,
    waits: true,
    says: `the record in several real pages of ${browserName}`,
    work: async () => {
      const folders = ['tests/record', 'tests/package/support', 'tests/support', 'pkg-template/src'];
      const project = await packedProject('packed-record', ...folders);
      // Only the DevTools protocol kills, freezes and hides pages.
      const only = browserName === 'chromium' ? REST : /^chat-races/;
      return nodeTests(path.join(project, 'tests', 'record'), { shared: ALL, only });
    },
  },
  demo: {
    needsBuild: true,
    waits: true,
    says: `the demo in ${browserName}`,
    work: () => {
      // Its claims do not meet those that an earlier demo has left in its file, perhaps with another schema.
      const env = { AI_GATEWAY_API_KEY: '', DEMO_CLAIMS: ':memory:' };
      // The page is built once, and the browser started once. The terminal has neither.
      return nodeTests(at('tests', 'demo'), { shared: [/^(?!terminal)/], env });
    },
  },
  claims: {
    needsBuild: true,
    waits: true,
    says: 'claims in SQLite, PostgreSQL and Redis, and servers that are killed',
    work: async () => {
      const project = await packedProject(
        'packed-claims',
        'tests/claims',
        'tests/package/support',
        'tests/support',
      );
      return nodeTests(path.join(project, 'tests', 'claims'), { shared: ALL });
    },
  },
  'ai-elements': {
    needsBuild: true,
    waits: true,
    says: 'the item of the registry, installed with the CLI of shadcn, beside AI Elements in Chromium',
    work: async () => {
      const project = await packedProject('packed-ai-elements', 'tests/ai-elements/app');
      const modules = path.join('tests', 'ai-elements', 'node_modules');
      symlinkSync(at(modules), path.join(project, modules));
      const env = { PACKED_PROJECT: project, BROWSER: 'chromium' };
      return nodeTests(at('tests', 'ai-elements'), { shared: ALL, env });
    },
  },
  package: {
    needsBuild: true,
    says: 'the packed package beside both majors of the SDK',
    work: async () => {
      const project = await packedProject(
        'packed',
        'tests/package',
        'tests/spikes',
        'tests/support',
        'tests/vectors',
      );
      const folders = ['package', 'spikes/ag-ui'].map((name) => path.join(project, 'tests', name));
      return nodeTests(folders, { env: { EXAMPLE_PYTHON: python }, only: NO_PAGES, shared: [PLAIN] });
    },
  },
  frameworks: {
    needsBuild: true,
    says: 'the packed package in React, Vue, Svelte, Angular and assistant-ui, beside both majors of the SDK',
    work: async () => {
      const project = await packedProject('packed-frameworks', 'tests/package', 'tests/support');
      return nodeTests(path.join(project, 'tests', 'package'), { only: PAGES, shared: [PAGES] });
    },
  },
  javascript: {
    needsBuild: true,
    says: 'the package whose modules are JavaScript, as React Native has it, beside both majors of the SDK',
    work: async () => {
      const project = await packedProject(
        'packed-javascript',
        'tests/package',
        'tests/support',
        'tests/vectors',
      );
      const env = { EXAMPLE_PYTHON: python, NODE_OPTIONS: '--conditions=react-native' };
      const only = byBreadth({ commit: ENGINE, all: REST });
      return nodeTests(path.join(project, 'tests', 'package'), { env, only, shared: [PAGES, PLAIN] });
    },
  },
  histories: {
    needsBuild: true,
    says: 'histories at random over a real chat of both majors of the SDK, checked against the laws',
    work: async () => {
      const project = await packedProject('packed-histories', 'tests/histories', 'tests/support');
      return nodeTests(path.join(project, 'tests', 'histories'), { concurrency: 1 });
    },
  },
  lint: {
    needsBuild: true,
    says: 'format and types of the sources',
    work: () =>
      checks([
        program('cargo', 'fmt', '--check'),
        // The parts `core` and `browser` and the build lint what they compile. This has the benches as well.
        ...(isBroad ? [program('cargo', 'clippy', '--locked', '--all-targets', '--', '-D', 'warnings')] : []),
        [
          'prettier --check',
          () => nodeProgram(['prettier', 'bin', 'prettier.cjs'], '--check', ...CACHED, '.'),
        ],
        typeScript('pkg-template/tsconfig.json'),
        [
          // Reads the components of Vue, too.
          'vue-tsc www/tsconfig.json',
          () =>
            nodeProgram(['vue-tsc', 'bin', 'vue-tsc.js'], '--project', at('www/tsconfig.json'), '--noEmit'),
        ],
      ]),
  },
  docs: {
    needsBuild: true,
    says: 'the documents: their code, links and lists, and what they promise, beside both majors of the SDK',
    work: async () => {
      const project = await packedProject('packed-docs', 'tests/docs', 'tests/support');
      const only = isReleased() ? REST : NO_SIZES;
      return nodeTests(path.join(project, 'tests', 'docs'), { env: { DOCS_ROOT: root }, only });
    },
  },
  types: {
    needsBuild: true,
    says: 'the tarball as linters see it, and the public types beside both majors of the SDK',
    work: async () => {
      const { packageLint } = await import('./support/package-lint.mjs');
      const { faceTests } = await import('./support/face-tests.mjs');
      const { typeTests, versionTests } = await import('./support/type-tests.mjs');
      const project = await packedProject('packed-types', 'tests/types');
      return checks([
        ...packageLint(await pack()),
        ...faceTests(project),
        ...typeTests(project, path.join(project, 'tests', 'types')),
        ...versionTests(project, path.join(project, 'tests', 'types')),
      ]);
    },
  },
  browser: {
    says: `the Rust border in headless ${browserName}`,
    work: async () => {
      // Only WebKit has to have one.
      const display = browserName === 'webkit' ? await openDisplay() : undefined;
      try {
        const mode = ['--headless', ...drivers[browserName](), '--mode', 'no-install'];
        // Only these tests run in a browser. The units of the crate would be compiled for it, and none of them run.
        const only = ['--profile', 'quick', '--locked', '--all-features', '--test', 'border'];
        const counts = await cargoTests('wasm-pack', ['test', ...mode, '--', ...only], {
          // Its tests are short. The other crates are those of the build, which does not optimize them either.
          CARGO_PROFILE_QUICK_OPT_LEVEL: '0',
          // Without it tests that do not ask for a browser are skipped without a word.
          WASM_BINDGEN_USE_BROWSER: '1',
          WASM_BINDGEN_TEST_TIMEOUT: '120',
          WASM_BINDGEN_TEST_DRIVER_TIMEOUT: '30',
          ...(display && { DISPLAY: display.name }),
        });
        // A program whose tests do not ask for a browser is skipped, and ends as if they had passed.
        const written = borderTests();
        return counts.passed + counts.failed < written
          ? add(
              counts,
              failure(`${counts.passed + counts.failed} of ${written} tests of the border have run`),
            )
          : counts;
      } finally {
        display?.child.kill();
      }
    },
  },
  source: {
    // It reads the modules that the build has made.
    needsBuild: true,
    says: 'modules of the shell on their own',
    work: () => nodeTests(at('tests', 'source')),
  },
  packed: {
    needsBuild: true,
    says: 'the package installed from its tarball, in Node and in a Vite build',
    work: async () => {
      const project = await emptyProject();
      try {
        const env = { PACKED_PROJECT: project, PACKED_TARBALL: await pack() };
        const only = isReleased() ? REST : NO_SIZES;
        return await nodeTests(at('tests', 'packed'), { concurrency: 1, env, only });
      } finally {
        rmSync(project, { recursive: true, force: true });
      }
    },
  },
  release: {
    says: 'the checks of a release, over trees that are broken in each way',
    work: () => nodeTests(at('tests', 'release')),
  },
  times: {
    needsBuild: true,
    alone: true,
    says: 'what is measured by time, while nothing else runs',
    work: async () => {
      const project = await packedProject('packed-times', 'tests/package', ...QUEUE);
      return nodeTests([path.join(project, 'tests', 'package'), path.join(project, 'tests', 'queue')], {
        concurrency: 1,
        only: MEASURES,
      });
    },
  },
};
