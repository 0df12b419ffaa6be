// Compiles tests/types against the packed package: beside both majors of the SDK, as a bundler and as Node
// resolve modules, and with each TypeScript that is supported. The declarations of the package are read for
// errors, too; those of the SDK are its own, and not all of them compile with every TypeScript. A commit meets each
// SDK, each way to resolve, each strictness and the newest TypeScript; every combination is for `test:all`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import ts from 'typescript';

import { isBroad } from './breadth.mjs';
import { root, run } from './process.mjs';

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

function options(folder, typescript = ts) {
  const file = path.join(folder, 'tsconfig.json');
  const { config, error } = typescript.readConfigFile(file, typescript.sys.readFile);
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  return typescript.parseJsonConfigFileContent(config, typescript.sys, folder).options;
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

/** The tests, and the declarations of the package. */
function filesOf(project, folder) {
  const place = path.join(project, 'node_modules', 'tool-approval-guard');
  const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  // Without tests the declarations alone would make the part pass.
  if (tests.length === 0) return [];
  return [
    ...tests.map((name) => path.join(folder, name)),
    ...readdirSync(place, { recursive: true })
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => path.join(place, name)),
  ];
}

/** Is this pair compiled? How modules are resolved does not depend on the SDK, so a commit does not try every pair. */
const isPlayed = (sdk, way) => isBroad || sdk === 'ai@7' || way === 'bundler';

/** One TypeScript, which reads each file once for all its programs that resolve modules in the same way. */
function compilerOf(load) {
  let typescript;
  const sources = new Map();
  return (folder, files, way, more) => {
    typescript ??= load();
    const settings = { ...options(folder, typescript), ...resolutions[way], ...more };
    const host = typescript.createCompilerHost(settings);
    const { getSourceFile } = host;
    host.getSourceFile = (name, ...rest) => {
      const key = `${way} ${name}`;
      if (!sources.has(key)) sources.set(key, getSourceFile(name, ...rest));
      return sources.get(key);
    };
    return typescript.createProgram(files, settings, host);
  };
}

/** The TypeScript of the package itself, and its programs with the options of `tsconfig.json`: each is made once. */
const compile = compilerOf(() => ts);
const programs = new Map();
function usualProgram(folder, files, way, sdk) {
  const key = JSON.stringify([folder, files, way, sdk]);
  if (!programs.has(key)) programs.set(key, compile(folder, files, way, sdks[sdk]));
  return programs.get(key);
}

/**
 * @param {string} project has the package in its node_modules
 * @param {string} folder the tests, inside of the project
 * @returns {[string, () => void][]} the checks
 */
export function typeTests(project, folder) {
  const files = filesOf(project, folder);
  return Object.keys(sdks).flatMap((sdk) =>
    Object.keys(resolutions).flatMap((way) => {
      if (!isPlayed(sdk, way)) return [];
      const own = files.filter((file) => isOf(file, sdk));
      const compiled = () => usualProgram(folder, own, way, sdk);
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

/** Each TypeScript that is installed: its version, and where it is. */
function typeScripts() {
  const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const names = Object.keys(devDependencies).filter((name) => /^typescript(-|$)/.test(name));
  return names.map((name) => {
    const place = path.join(root, 'node_modules', name);
    return [JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8')).version, place];
  });
}

function check(program, files) {
  complain([
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    }),
  ]);
}

/** For a TypeScript that is a program and no module. */
const commandOf =
  (place) =>
  async (folder, files, { exactOptionalPropertyTypes, paths = {} }) => {
    const config = path.join(folder, 'tsconfig.command.json');
    // The library of TypeScript is its own.
    const compilerOptions = { exactOptionalPropertyTypes, paths, skipDefaultLibCheck: true };
    writeFileSync(
      config,
      JSON.stringify({ extends: './tsconfig.json', compilerOptions, files, include: [] }),
    );
    const { code, stdout } = await run(
      process.execPath,
      [path.join(place, 'bin', 'tsc'), '--project', config, '--pretty', 'false'],
      { cwd: folder, may: true },
    );
    const errors = stdout.split('\n').filter((line) => /error TS\d+/.test(line));
    const own = errors.filter((line) => {
      const [, file] = /^(.+?)\(\d+,\d+\): /.exec(line) ?? [];
      // What stands in no file is about the options.
      return file === undefined || files.includes(path.resolve(folder, file));
    });
    if (own.length > 0) throw new Error(own.join('\n'));
    if (code !== 0 && errors.length === 0) throw new Error(stdout || `tsc ended with ${code}.`);
  };

/**
 * @param {string} project has the package in its node_modules
 * @param {string} folder the tests, inside of the project
 * @returns {[string, () => Promise<void> | void][]} the checks: one for each TypeScript, SDK and strictness
 */
export function versionTests(project, folder) {
  const files = filesOf(project, folder);
  if (files.length === 0) return [];
  const all = typeScripts();
  return all.flatMap(([version, place]) => {
    const isModule = existsSync(path.join(place, 'lib', 'typescript.js'));
    const isUsual = version === ts.version;
    const isNewest = version === all.at(-1)[0];
    const compileWith = isUsual ? compile : compilerOf(() => createRequire(import.meta.url)(place));
    const command = commandOf(place);
    return Object.entries(sdks).flatMap(([sdk, more]) => {
      const own = files.filter((file) => isOf(file, sdk));
      // The usual one is strict in `typeTests`, and less strict here.
      const isHere = (strict) => isBroad || (sdk === 'ai@7' && (isUsual ? !strict : isNewest && strict));
      return [true, false].filter(isHere).map((exactOptionalPropertyTypes) => [
        `TypeScript ${version}, ${sdk}, exactOptionalPropertyTypes: ${exactOptionalPropertyTypes}`,
        () => {
          const strictness = { ...more, exactOptionalPropertyTypes };
          if (!isModule) return command(folder, own, strictness);
          // What `typeTests` has compiled in this way is not compiled again.
          const isCompiled =
            isUsual && options(folder).exactOptionalPropertyTypes === exactOptionalPropertyTypes;
          return check(
            isCompiled
              ? usualProgram(folder, own, 'bundler', sdk)
              : compileWith(folder, own, 'bundler', strictness),
            own,
          );
        },
      ]);
    });
  });
}
