// The guides of the package as pages beside the demo: `/guides/` is its README, `/guides/docs/react.html` a guide.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';

/** @typedef {import('./page.mjs').PageFile} PageFile */

const PACKAGE = fileURLToPath(new URL('../../pkg', import.meta.url));
const STYLES = fileURLToPath(new URL('../src/guides.css', import.meta.url));
const HTML = 'text/html; charset=utf-8';

/** Where the page of a document lies. @param {string} link to a Markdown file, perhaps with an anchor */
const pageOf = (link) => link.replace(/README\.md(?=#|$)/, 'index.html').replace(/\.md(?=#|$)/, '.html');

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** @param {string} source Markdown @returns {{ title: string, body: string }} */
function render(source) {
  // The documents are of this package, and some have HTML.
  const markdown = new MarkdownIt({ html: true });
  const slugger = new GithubSlugger();
  let title = '';
  markdown.renderer.rules.heading_open = (tokens, at, options, _, self) => {
    const text = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
    title ||= text;
    tokens[at]?.attrSet('id', slugger.slug(text));
    return self.renderToken(tokens, at, options);
  };
  markdown.renderer.rules.link_open = (tokens, at, options, _, self) => {
    const href = tokens[at]?.attrGet('href') ?? '';
    if (!/^\w+:/.test(String(href))) tokens[at]?.attrSet('href', pageOf(String(href)));
    return self.renderToken(tokens, at, options);
  };
  // A wide table scrolls, and not the page.
  markdown.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
  return { body: markdown.render(source), title };
}

/** @param {string} name of the document in the package */
function documentPage(name) {
  const { title, body } = render(readFileSync(path.join(PACKAGE, name), 'utf8'));
  const content = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escaped(title)} · tool-approval-guard</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/guides/guides.css" />
  </head>
  <body>
    <nav><a href="/">The demo</a> · <a href="/guides/">All guides</a></nav>
    <main>${body}</main>
  </body>
</html>
`;
  return { type: HTML, content };
}

/** @returns {Map<string, PageFile>} the pages by their paths */
export function buildGuides() {
  const names = readdirSync(path.join(PACKAGE, 'docs'), { encoding: 'utf8', recursive: true }).map((name) =>
    path.posix.join('docs', name.replaceAll(path.sep, '/')),
  );
  /** @type {Map<string, PageFile>} */
  const pages = new Map();
  for (const name of ['README.md', ...names]) {
    if (name.endsWith('.md')) pages.set(`/guides/${pageOf(name)}`, documentPage(name));
    if (name.endsWith('.svg')) {
      pages.set(`/guides/${name}`, {
        type: 'image/svg+xml',
        content: readFileSync(path.join(PACKAGE, name)),
      });
    }
  }
  // Programs that a guide names, such as the backend in Python.
  for (const [place, { content }] of [...pages]) {
    for (const [, href = ''] of String(content).matchAll(/<a href="(\.[^"#]+)"/g)) {
      const { pathname } = new URL(href, `http://localhost${place}`);
      const file = path.join(PACKAGE, pathname.replace('/guides/', ''));
      if (pages.has(pathname) || !existsSync(file) || statSync(file).isDirectory()) continue;
      pages.set(pathname, { type: 'text/plain; charset=utf-8', content: readFileSync(file, 'utf8') });
    }
  }
  const index = pages.get('/guides/index.html');
  if (index) pages.set('/guides/', index);
  pages.set('/guides/guides.css', {
    type: 'text/css; charset=utf-8',
    content: readFileSync(STYLES, 'utf8'),
  });
  return pages;
}
