// What it takes to judge a call by a thousand rules, and to take the secrets out of the longest input, each
// through the package: with its JSON, and across the border.
import { race, ratio, summary } from './measure.mjs';

const RULES = 1_000;
/** A value crosses the border up to 256 KB. */
const LONG = 250_000;

const effects = ['allow', 'deny', 'ask', 'deny', 'ask'];

const programs = 'git npm cargo make curl rm cat grep cp mkdir'.split(' ');
const verbs = 'status push pull build test log install publish delete apply'.split(' ');
/** A pattern of its own for each number. */
const patterns = {
  bash: (i) => `${programs[i % 10]} ${verbs[Math.floor(i / 10) % 10]} ${i < 100 ? '*' : `part-${i}`}`,
  fetch: (i) => `https://host-${i}.example.com/${i % 3 === 0 ? 'api/*' : '*'}`,
  read_file: (i) => `/srv/project-${i}/${i % 3 === 0 ? 'src/**' : 'notes.md'}`,
};
const written = {
  ...Object.fromEntries(Object.entries(patterns).map(([tool, of]) => [tool, (i) => `${tool}:${of(i)}`])),
  copy: (i) => `copy(from=/srv/project-${i}/*, to=/tmp/*)`,
  // Of a tool alone.
  tool: (i) => (i % 2 === 0 ? `tool_${i}` : `server-${i}/*`),
};

const config = (kinds) => ({
  tools: {
    bash: { target: 'command', kind: 'shell', ignore: ['description'] },
    fetch: { target: 'url', kind: 'url' },
    read_file: { target: 'path', kind: 'path' },
    copy: { args: { from: 'path', to: 'path' } },
  },
  rules: Array.from({ length: RULES }, (_, i) => {
    // The same effects for each kind: it changes once with all of them.
    const effect = effects[Math.floor(i / kinds.length) % effects.length];
    return { [effect]: written[kinds[i % kinds.length]](Math.floor(i / kinds.length)) };
  }),
});

/** A thousand rules for one tool each, and as a page may have them. */
const configs = {
  mixed: config(Object.keys(written)),
  'one tool': Object.fromEntries(Object.keys(patterns).map((tool) => [tool, config([tool])])),
};

const typical = {
  bash: [
    'git status --short',
    'git log --oneline -20 && git diff HEAD~1 -- src/main.rs',
    'ls -la packages/app/src',
    'npm run build -- --mode production',
    'cat package.json | grep version',
    'rg --files-with-matches "createServer" src tests',
    'cd packages/app && npx tsc --noEmit',
    'find . -name "*.test.ts" -not -path "./node_modules/*"',
    'curl -s https://example.com/api/status | jq .version',
    'sed -n 1,40p README.md',
  ].map((command) => ({ command, description: 'Looks at the project' })),
  fetch: [
    'https://docs.example.com/guide/start',
    'https://api.example.com/v1/users?page=2&limit=50',
    'https://host-3.example.com/api/items/17',
    'https://en.wikipedia.org/wiki/Regular_expression#History',
    'https://raw.example.net/owner/project/main/README.md',
    'http://localhost:3000/health',
    'https://registry.example.org/package/-/package-1.2.3.tgz',
    'https://shop.example.com/search?q=shoes&sort=price&dir=asc',
    'https://host-900.example.com/',
    'https://cdn.example.com/assets/app.4f3c1a.js',
  ].map((url) => ({ url })),
  read_file: [
    '/srv/project-3/src/index.ts',
    '/srv/project-4/notes.md',
    '/srv/project-90/src/components/list/row.tsx',
    '/home/user/documents/plan.md',
    'src/main.rs',
    'packages/app/tests/unit/view.test.ts',
    '/etc/hostname',
    '/tmp/output/result.json',
    'README.md',
    '/var/log/app/today.log',
  ].map((path) => ({ path })),
  copy: Array.from({ length: 10 }, (_, i) => ({
    from: `/srv/project-${i * 9}/notes.md`,
    to: `/tmp/copy-${i}.md`,
    overwrite: i % 2 === 0,
  })),
};

const judging = (rules, toolName) => {
  if (rules.problems.length > 0) throw new Error(JSON.stringify(rules.problems[0]));
  if (rules.rules.length !== RULES) throw new Error(`${rules.rules.length} rules were read`);
  const calls = typical[toolName].map((input) => ({ toolName, input }));
  // A judge that does no work gives everything one answer, or a reason that no rule is.
  const answers = calls.map((call) => rules.judge(call));
  if (!answers.some(({ because }) => because === 'rule')) throw new Error(`no rule is about ${toolName}`);
  for (const { because } of answers)
    if (because !== 'rule' && because !== 'default') throw new Error(`a call is judged by ${because}`);
  return { ask: (i) => rules.judge(calls[i % calls.length]).effect !== 'allow' };
};

/** Texts of one length. */
const filled = (text) => text.repeat(Math.ceil(LONG / text.length)).slice(0, LONG);
const texts = {
  prose: [filled('Nothing in this paragraph is a secret, and most of what is written is like it.\n'), 0],
  code: [filled('  const row = items.map(({ id, name }) => render(id, name ?? "none"), options[3]);\n'), 0],
  urls: [filled('https://cdn.example.com/assets/app.4f3c1a.js?v=12&lang=en#top\n'), 0],
  'password=x': [filled('password=x '), Math.floor(LONG / 11)],
};

const redacting = (redact, [text, count]) => {
  const input = { text };
  const hidden = redact(input)?.hidden.reduce((sum, { count }) => sum + count, 0);
  if (hidden !== count) throw new Error(`${hidden} of ${count} secrets are hidden`);
  return { ask: () => redact(input) !== undefined };
};

/** Patterns that a search with backtracking does not end with, as in `globs.rs`; of a text and of half of it. */
const worst = {
  '*a?a?…b*': `*${'a?'.repeat(10)}b*`,
  '*aaa…b*': `*${'a'.repeat(253)}b*`,
};

const growing = (createRules, pattern, length) => {
  const rules = createRules({ tools: { note: { target: 'text' } }, rules: [{ deny: `note:${pattern}` }] });
  const call = { toolName: 'note', input: { text: 'a'.repeat(length) } };
  if (rules.judge(call).because !== 'default') throw new Error('the worst pattern matches');
  return { ask: () => rules.judge(call).effect === 'ask' };
};

export async function ruling({ createRules, redact }, log) {
  const calls = [];
  const mixed = createRules(configs.mixed);
  const judged = await race(
    Object.fromEntries(
      Object.keys(typical).flatMap((tool) => [
        [`mixed, ${tool}`, judging(mixed, tool)],
        ...(tool in patterns
          ? [[`all for ${tool}`, judging(createRules(configs['one tool'][tool]), tool)]]
          : []),
      ]),
    ),
  );
  for (const [what, figures] of Object.entries(judged)) calls.push({ what, micros: summary(figures) });
  log('calls judged');

  const shown = await race(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redacting(redact, text)])),
    { length: 10 },
  );
  const redaction = Object.entries(shown).map(([what, figures]) => ({ what, micros: summary(figures) }));
  log('inputs redacted');

  const globs = [];
  for (const [what, pattern] of Object.entries(worst)) {
    const figures = await race({
      half: growing(createRules, pattern, LONG / 2),
      whole: growing(createRules, pattern, LONG),
    });
    globs.push({ what, micros: summary(figures.whole), growth: ratio(figures, 'whole', 'half') });
  }
  log('the worst patterns');
  return { calls, redaction, globs };
}
