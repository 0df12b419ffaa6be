// Compiles tests/types against the packed package: beside both majors of the SDK, and as a bundler
// and as Node resolve modules. One test per file and way, and the declarations themselves are read
// for errors and for `any`.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

import { root } from './process.mjs';

const modules = (...parts) => path.join(root, 'node_modules', ...parts, 'dist', 'index.d.ts');
const sdks = {
  // One `ai` for all, as in an application: the packages here bring copies of their own.
  'ai@7': { paths: { ai: [modules('ai')] } },
  'ai@6': {
    paths: {
      ai: [modules('ai6')],
      '@ai-sdk/react': [modules('react6')],
      '@ai-sdk/svelte': [modules('svelte6')],
      '@ai-sdk/vue': [modules('vue6')],
    },
  },
};
/** Is this test about what only one major has? */
const isOf = (file, sdk) => sdk === 'ai@7' || !file.endsWith('.ai7.test.ts');
const resolutions = {
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
};

function options(folder) {
  const file = path.join(folder, 'tsconfig.json');
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile);
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  return ts.parseJsonConfigFileContent(config, ts.sys, folder).options;
}

const host = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
};

function complain(diagnostics) {
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host).trimEnd());
}

function withoutAny(source) {
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      throw new Error(`${source.fileName}:${line + 1} says any`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/**
 * @param {string} project has the package in its node_modules
 * @param {string} folder the tests, inside of the project
 * @returns {[string, () => void][]} the checks
 */
export function typeTests(project, folder) {
  const place = path.join(project, 'node_modules', 'tool-approval-guard');
  const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  // Without tests the declarations alone would make the part pass.
  if (tests.length === 0) return [];
  const files = [
    ...tests.map((name) => path.join(folder, name)),
    ...readdirSync(place, { recursive: true })
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => path.join(place, name)),
  ];
  return Object.entries(sdks).flatMap(([sdk, more]) =>
    Object.entries(resolutions).flatMap(([way, resolution]) => {
      let program;
      const own = files.filter((file) => isOf(file, sdk));
      const compiled = () =>
        (program ??= ts.createProgram(own, { ...options(folder), ...resolution, ...more }));
      return own.map((file) => [
        `${path.relative(project, file).replace('node_modules/', '')}, ${sdk}, ${way}`,
        () => {
          const source = compiled().getSourceFile(file);
          complain([
            ...compiled().getOptionsDiagnostics(),
            ...compiled().getSyntacticDiagnostics(source),
            ...compiled().getSemanticDiagnostics(source),
          ]);
          if (source.isDeclarationFile) withoutAny(source);
        },
      ]);
    }),
  );
}
