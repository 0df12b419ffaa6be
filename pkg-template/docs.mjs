// Puts the documentation into a built package: the guides, the examples that they speak of, and the reference that typedoc generates from the
// declarations that the package ships. Run as `node pkg-template/docs.mjs`, it does so for pkg/, together with the
// README and the changelog, so that a changed guide does not require building the modules.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

import { root } from '../tests/support/process.mjs';
import { declarationsOf, unionsOf, valuesPage } from './values.mjs';

const guides = path.join(root, 'pkg-template', 'docs');
const examples = path.join(root, 'pkg-template', 'examples');
const registry = path.join(root, 'pkg-template', 'registry');

/** The declarations of each entry and how it is imported, by the map of the package itself: so none is forgotten. */
function entries(pkg) {
  const { name, exports } = JSON.parse(readFileSync(path.join(pkg, 'package.json'), 'utf8'));
  const typed = Object.entries(exports).filter(
    ([entry, { types }]) => types !== undefined && !entry.includes('*'),
  );
  return new Map(typed.map(([entry, { types }]) => [path.join(pkg, types), path.posix.join(name, entry)]));
}

/** The items of the registry as `shadcn add` installs them from a path: each with its files in it. */
function writeRegistry(pkg) {
  const to = path.join(pkg, 'registry');
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  const { items } = JSON.parse(readFileSync(path.join(registry, 'registry.json'), 'utf8'));
  for (const { files, ...item } of items) {
    const withContent = files.map((file) => ({
      ...file,
      content: readFileSync(path.join(registry, file.path), 'utf8'),
    }));
    const $schema = 'https://ui.shadcn.com/schema/registry-item.json';
    const text = JSON.stringify({ $schema, ...item, files: withContent }, undefined, 2);
    writeFileSync(path.join(to, `${item.name}.json`), `${text}\n`);
  }
}

/** Makes links of the places in guides that the declarations name, such as `docs/guard.md#texts`. */
function linkGuides(reference) {
  for (const name of readdirSync(reference, { recursive: true })) {
    if (!name.endsWith('.md')) continue;
    const file = path.join(reference, name);
    const up = path.posix.relative(path.posix.dirname(`api/${name}`), '.');
    const linked = readFileSync(file, 'utf8').replaceAll(
      /`docs\/([\w-]+)\.md(#[\w-]+)?`/g,
      (_, guide, anchor = '') => `[the guide](${up}/${guide}.md${anchor})`,
    );
    writeFileSync(file, linked);
  }
}

/** @param {string} pkg the folder of the package */
export async function writeDocs(pkg) {
  writeRegistry(pkg);
  const docs = path.join(pkg, 'docs');
  rmSync(docs, { recursive: true, force: true });
  cpSync(guides, docs, { recursive: true });
  const to = path.join(pkg, 'examples');
  rmSync(to, { recursive: true, force: true });
  cpSync(examples, to, { recursive: true, filter: (name) => path.basename(name) !== '__pycache__' });
  // It wants a project; the one of the shell would bring sources into it.
  const project = path.join(root, 'target', 'typedoc.json');
  const imports = entries(pkg);
  const entryPoints = [...imports.keys()];
  const title = (module) =>
    [`${module}.d.ts`, `${module}/index.d.ts`]
      .map((file) => imports.get(path.join(pkg, file)))
      .find(Boolean) ?? module;
  mkdirSync(path.dirname(project), { recursive: true });
  writeFileSync(
    project,
    JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
        types: [],
        strict: true,
        skipLibCheck: true,
        noEmit: true,
      },
      files: entryPoints,
    }),
  );
  const application = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    outputs: [{ name: 'markdown', path: path.join(docs, 'api') }],
    tsconfig: project,
    entryPoints,
    name: 'tool-approval-guard',
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    excludePrivate: true,
    outputFileStrategy: 'modules',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    useHTMLAnchors: true,
    pageTitleTemplates: { module: ({ name }) => title(name) },
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    validation: { invalidLink: false, notExported: false },
    jsDocCompatibility: { defaultTag: false },
    logLevel: 'Warn',
  });
  const reflections = await application.convert();
  if (!reflections) throw new Error('typedoc could not read the declarations.');
  await application.generateOutputs(reflections);
  if (application.logger.hasErrors()) throw new Error('typedoc has reported errors.');
  linkGuides(path.join(docs, 'api'));
  const names = readdirSync(pkg, { recursive: true });
  writeFileSync(path.join(docs, 'api', 'values.md'), valuesPage(unionsOf(declarationsOf(pkg, names))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pkg = path.join(root, 'pkg');
  cpSync(path.join(guides, '..', 'README.md'), path.join(pkg, 'README.md'));
  cpSync(path.join(root, 'CHANGELOG.md'), path.join(pkg, 'CHANGELOG.md'));
  await writeDocs(pkg);
}
