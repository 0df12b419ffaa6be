// Every link leads somewhere: what ships must lead to what ships, and to a heading that is there.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { generated, own, pkg, repository, shipped } from './support/documents.mjs';

const anchors = new Map([...shipped, ...generated, ...own].map((each) => [each.file, each.anchors]));
/** The repository has the documents of the package, too, but for what is generated. */
const inPackage = (file) => {
  const template = path.join(repository, 'pkg-template');
  return file.startsWith(template) && file.endsWith('.md')
    ? path.join(pkg, path.relative(template, file))
    : file;
};

for (const document of [...shipped, ...generated, ...own]) {
  test(`the links of ${document.name}`, () => {
    const wrong = document.links.filter(({ href }) => {
      if (/^https?:/.test(href)) return false;
      const [to, anchor] = href.split('#').map(decodeURIComponent);
      const target = to === '' ? document.file : inPackage(path.resolve(path.dirname(document.file), to));
      const isInside = own.includes(document) || !path.relative(pkg, target).startsWith('..');
      if (!isInside || !existsSync(target)) return true;
      return anchor !== undefined && !anchors.get(target)?.has(anchor);
    });
    assert.deepEqual(
      wrong.map(({ href, line }) => `${document.name}:${line} ${href}`),
      [],
    );
  });
}
