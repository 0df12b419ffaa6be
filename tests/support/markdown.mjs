// What stands in a document. A block of code can be preceded by a comment that says how it is checked:
//
//   <!-- check: file=app/chat.tsx uses=guard,chat ai=7 run -->
//
// `file` names it among the blocks of its document, `uses` what it takes for given (tests/docs/support/names.mjs), `ai` the one
// major of the SDK that it is about; `run` that it is run by tests/docs/examples.test.mjs. A table can be preceded by
//
//   <!-- lists: ApprovalGuardOptions -->
//
// and then has exactly what that type has. One after `<!-- sizes -->` has sizes of entries.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';

const markdown = new MarkdownIt({ html: true });

/** `file=a run` as `{ file: 'a', run: true }`. */
const settings = (text) =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((word) => [word.split('=')[0], word.includes('=') ? word.slice(word.indexOf('=') + 1) : true]),
  );

/** Reads one document. */
export function read(name, file) {
  const tokens = markdown.parse(readFileSync(file, 'utf8'), {});
  const slugger = new GithubSlugger();
  const document = { name, file, blocks: [], links: [], anchors: new Set(), lists: [], code: [] };
  let comment;
  let table;
  for (const [i, token] of tokens.entries()) {
    const line = (token.map?.[0] ?? 0) + 1;
    if (token.type === 'html_block') {
      // It may stand between a comment of ours and its block.
      if (token.content.trim() === '<!-- prettier-ignore -->') continue;
      const found = /^<!--\s*(check|lists|sizes)(?::?)\s*(.*?)\s*-->\s*$/.exec(token.content);
      comment = found ? { kind: found[1], text: found[2], line } : undefined;
      continue;
    }
    if (token.type === 'fence') {
      const check = comment?.kind === 'check' ? settings(comment.text) : {};
      const unknown = Object.keys(check).filter((key) => !['file', 'uses', 'ai', 'run'].includes(key));
      assert.deepEqual(unknown, [], `${name}:${line} is checked in a way that there is not`);
      const uses = check.uses ? check.uses.split(',') : [];
      document.blocks.push({ document, line, lang: token.info.trim(), code: token.content, ...check, uses });
    }
    if (token.type === 'heading_open') document.anchors.add(slugger.slug(plain(tokens[i + 1])));
    if (token.type === 'table_open') {
      table = { document, line, kind: comment?.kind, of: comment?.text, rows: [] };
      if (table.kind === 'lists' || table.kind === 'sizes') document.lists.push(table);
    }
    if (token.type === 'tr_open' && table) table.rows.push([]);
    if (token.type === 'table_close') table = undefined;
    if (token.type === 'inline') {
      // What a table says of itself is read from the cells.
      if (table && /^t[dh]_open$/.test(tokens[i - 1].type)) table.rows.at(-1).push(token);
      for (const child of token.children) {
        if (child.type === 'link_open') document.links.push({ href: child.attrGet('href'), line });
        if (child.type === 'image') document.links.push({ href: child.attrGet('src'), line });
        if (child.type === 'code_inline') document.code.push({ text: child.content, line });
        const anchor = child.type === 'html_inline' && /^<a id="([^"]+)">/.exec(child.content);
        if (anchor) document.anchors.add(anchor[1]);
      }
    }
    if (!/^(paragraph|inline)/.test(token.type)) comment = undefined;
  }
  return document;
}

const plain = (inline) =>
  inline.children
    .filter(({ type }) => ['text', 'code_inline'].includes(type))
    .map(({ content }) => content)
    .join('');

/** What a cell has as code. */
export const codeOf = (cell) =>
  cell.children.filter(({ type }) => type === 'code_inline').map(({ content }) => content);
