// Every block of code in the documents is what it says: it compiles against the packed package beside both majors
// of the SDK, or can be run in the repository.
import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile } from 'svelte/compiler';
import ts from 'typescript';
import { isBroad } from '../support/breadth.mjs';
import { blocks, project, repository } from './support/documents.mjs';
import { extensions, writeBlocks } from './support/files.mjs';

const modules = (...parts) => path.join(repository, 'node_modules', ...parts, 'dist', 'index.d.ts');
const sdks = {
  7: { ai: [modules('ai')] },
  6: {
    ai: [modules('ai6')],
    '@ai-sdk/react': [modules('react6')],
    '@ai-sdk/svelte': [modules('svelte6')],
    '@ai-sdk/vue': [modules('vue6')],
  },
};
const folder = writeBlocks('blocks');
const config = path.join(project, 'tests', 'docs', 'tsconfig.json');
const { compilerOptions } = JSON.parse(readFileSync(config, 'utf8'));

const nameOf = ({ document, line }) => `${document.name}:${line}`;
const isOf = (block, major) => block.ai === undefined || block.ai === major;
/** Reads each file once for the programs of both majors, whose options differ only in where the SDK is. */
const sources = new Map();
function programOf(files, options) {
  const compiler = ts.createCompilerHost(options);
  const { getSourceFile } = compiler;
  compiler.getSourceFile = (name, ...rest) => {
    if (!sources.has(name)) sources.set(name, getSourceFile(name, ...rest));
    return sources.get(name);
  };
  return ts.createProgram(files, options, compiler);
}
const host = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => project,
  getNewLine: () => '\n',
};

test('there are blocks of each kind, and none that nobody checks', () => {
  // tests/package/adopting.test.mjs applies the diffs and plays what comes out.
  const known = new Set([...Object.keys(extensions), 'sh', 'json', 'txt', 'diff']);
  const unknown = blocks.filter(({ lang }) => !known.has(lang));
  assert.deepEqual(
    unknown.map((block) => `${nameOf(block)} ${block.lang}`),
    [],
  );
  for (const lang of ['ts', 'tsx', 'vue', 'svelte', 'sh']) {
    assert.ok(
      blocks.some((block) => block.lang === lang),
      `There is no ${lang}.`,
    );
  }
});

for (const [major, paths] of Object.entries(sdks)) {
  describe(`beside ai@${major}`, () => {
    const own = blocks.filter(
      (block) => isOf(block, major) && (block.script ?? /^(ts|tsx|js)$/.test(block.lang)),
    );
    const files = own.map((block) => block.script ?? block.place);
    // The alias that the projects of shadcn have.
    const angular = path.join(repository, 'tests', 'docs', 'support', 'ai-sdk-angular.d.ts');
    const expo = path.join(repository, 'tests', 'docs', 'support', 'expo-fetch.d.ts');
    const elements = path.join(folder, 'docs-ai-elements-md', '*');
    const aliases = { '@ai-sdk/angular': [angular], 'expo/fetch': [expo], '@/*': [elements] };
    const { options } = ts.convertCompilerOptionsFromJson(
      { ...compilerOptions, paths: { ...paths, ...aliases } },
      project,
    );
    let program;
    for (const [i, block] of own.entries()) {
      test(`${nameOf(block)} compiles`, () => {
        program ??= programOf(files, options);
        const source = program.getSourceFile(files[i]);
        const wrong = [
          ...program.getOptionsDiagnostics(),
          ...program.getSyntacticDiagnostics(source),
          ...program.getSemanticDiagnostics(source),
        ];
        assert.equal(wrong.length, 0, ts.formatDiagnostics(wrong, host));
      });
    }

    // The same components; of the SDK they name only `useChat`, which the tests of types compile with both majors.
    if (major === '6' && !isBroad) return;
    const components = blocks.filter((block) => isOf(block, major) && block.lang === 'vue');
    test(`${components.map(nameOf).join(', ')}: vue-tsc finds nothing`, () => {
      assert.ok(components.length > 0);
      const place = path.join(folder, `tsconfig.vue-${major}.json`);
      writeFileSync(
        place,
        JSON.stringify({
          compilerOptions: { ...compilerOptions, types: [], paths },
          files: components.map((block) => block.place),
        }),
      );
      const program = path.join(repository, 'node_modules', 'vue-tsc', 'bin', 'vue-tsc.js');
      try {
        execFileSync(process.execPath, [program, '--project', place], { encoding: 'utf8' });
      } catch (error) {
        assert.fail(error.stdout || error.message);
      }
    });
  });
}

describe('Svelte', () => {
  for (const block of blocks.filter(({ lang }) => lang === 'svelte')) {
    test(`${nameOf(block)} compiles without a warning`, () => {
      const given =
        block.uses.length > 0
          ? `<script>\n  const { ${block.uses.join(', ')} } = $props();\n</script>\n`
          : '';
      const { warnings } = compile(given + block.code, { generate: 'client', filename: block.place });
      assert.deepEqual(
        warnings.map(({ message }) => message),
        [],
      );
    });
  }
});

describe('commands and data', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
  const template = path.join(repository, 'pkg-template');
  const manifest = JSON.parse(readFileSync(path.join(template, 'package.json'), 'utf8'));
  const installed = path.join('node_modules', manifest.name);
  /** Is there what a line of a shell asks for? */
  const isThere = (line) => {
    const [program, ...words] = line.replace(/\s+#.*$/, '').split(/\s+/);
    if (program === 'npm' && words[0] === 'install') return words[1] === manifest.name;
    if (program === 'npm' && words[0] === 'ci') return true;
    if (program === 'npm') return Object.hasOwn(scripts, words[0] === 'run' ? words[1] : words[0]);
    if (program === 'node')
      return existsSync(
        path.join(
          repository,
          words.find((word) => !word.startsWith('-')),
        ),
      );
    if (program === 'npx') {
      const [tool, verb, file] = words;
      return tool === 'shadcn@latest' && verb === 'add' && existsSync(path.join(project, file));
    }
    // The example in Python, from the package or as it was copied.
    if (program === 'cp') return existsSync(path.join(template, path.relative(installed, words[1])));
    if (/(^|\/)(python3?|pip)$/.test(program)) {
      const files = words.filter((word) => /\.(py|txt)$/.test(word)).map((word) => path.basename(word));
      return files.every((file) => existsSync(path.join(template, 'examples', 'python', file)));
    }
    return program === 'cargo' || program === 'git';
  };
  for (const block of blocks.filter(({ lang }) => lang === 'sh')) {
    test(`${nameOf(block)} names what there is`, () => {
      const lines = block.code.split('\n').filter((line) => line.trim() && !line.startsWith('#'));
      assert.deepEqual(
        lines.filter((line) => !isThere(line)),
        [],
      );
    });
  }
  for (const block of blocks.filter(({ lang }) => lang === 'json')) {
    test(`${nameOf(block)} is JSON`, () => void JSON.parse(block.code));
  }
});
