// The blocks of the documents as files, those of one document side by side, so that one can import another.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { blocks, project, repository } from './documents.mjs';
import { NAMES } from './names.mjs';

/** What is compiled, and how its files end. */
export const extensions = { ts: 'ts', tsx: 'tsx', js: 'js', vue: 'vue', svelte: 'svelte' };

const declared = (uses) =>
  uses
    .map((name) => {
      assert.ok(Object.hasOwn(NAMES, name), `support/names.mjs has no ${name}`);
      return `declare const ${name}: ${NAMES[name]};\n`;
    })
    .join('');

/**
 * Writes them into a folder of the project. Each block then has a `place`, and a component of Svelte with a script
 * has that as a `script`, because its types are checked alone.
 *
 * @returns the folder
 */
export function writeBlocks(name) {
  const folder = path.join(project, name);
  rmSync(folder, { recursive: true, force: true });
  // The modules of an application that a document speaks of.
  cpSync(new URL('../given', import.meta.url), folder, { recursive: true });
  // And the file that the CLI of shadcn puts into an application.
  const installed = path.join('components', 'tool-approval-guard', 'confirmation.tsx');
  const item = path.join(repository, 'pkg-template', 'registry', 'confirmation.tsx');
  cpSync(item, path.join(folder, 'docs-ai-elements-md', installed));
  // And the chat of the README, which the guide for Next.js says to copy.
  const { code: chat } = blocks.find(({ file }) => file === 'Chat.tsx');
  const copied = path.join(folder, 'docs-next-md', 'app', 'chat.tsx');
  mkdirSync(path.dirname(copied), { recursive: true });
  writeFileSync(copied, chat);
  for (const block of blocks) {
    const { document, line, lang, code, uses } = block;
    if (!Object.hasOwn(extensions, lang)) continue;
    const file = block.file ?? `line-${line}.${extensions[lang]}`;
    block.place = path.join(folder, document.name.replaceAll(/\W+/g, '-'), file);
    mkdirSync(path.dirname(block.place), { recursive: true });
    writeFileSync(block.place, lang === 'svelte' ? code : code + declared(uses));
    const script = lang === 'svelte' && /<script lang="ts">([\s\S]*?)<\/script>/.exec(code)?.[1];
    if (!script) continue;
    block.script = `${block.place}.ts`;
    writeFileSync(block.script, script + declared(uses));
  }
  return folder;
}
