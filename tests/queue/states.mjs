// The states of a queue, each by its name: a person should have seen every one of them. They run in the page.
import { redact } from 'tool-approval-guard/redact';
import { createRules } from 'tool-approval-guard/rules';

/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const notes = { id: 'c1', tool: 'delete_file', input: { path: 'notes.md' } };
const draft = {
  id: 'c2',
  tool: 'write_file',
  input: { path: 'draft.md', text: 'Hello there.\nSecond line.' },
};
const mail = { id: 'c3', tool: 'send_mail', input: { to: 'ana@example.com', subject: 'Minutes' } };
const three = [notes, draft, mail];
const same = ['notes.md', 'draft.md', 'old.log'].map((path, i) => ({
  id: `c${i + 1}`,
  tool: 'delete_file',
  input: { path },
}));

const files = { delete_file: { server: 'Files' }, write_file: { server: 'Files' } };
/** A batch in this state waits for somebody who sends it. */
const patient = { undoMs: Infinity };

const rules = (...list) =>
  createRules({ tools: { bash: { target: 'command', kind: 'shell' } }, rules: list });
const bash = (id, command) => ({ id, tool: 'bash', input: { command } });
const secret = {
  id: 'c1',
  tool: 'http_post',
  input: {
    url: 'https://ana:hunter2@api.example.com/v1?token=hunter2',
    headers: { authorization: 'Bearer hunter2.hunter2' },
    text: 'The minutes',
  },
};

/** A call whose input has a field of each kind. */
const letter = {
  id: 'c1',
  tool: 'send_mail',
  input: {
    to: 'al@example.com',
    subject: 'Minutes',
    text: 'Dear all,\nhere are the minutes.',
    tone: 'formal',
    urgent: false,
    copies: 1,
    files: [{ name: 'minutes.pdf' }],
  },
};
const editable = {
  tools: {
    send_mail: {
      editable: true,
      inputSchema: {
        type: 'object',
        required: ['to', 'subject'],
        properties: {
          to: { type: 'string', pattern: '^[^@ ]+@[^@ ]+\\.[^@ ]+$' },
          subject: { type: 'string', minLength: 1, maxLength: 40 },
          tone: { type: 'string', enum: ['formal', 'friendly'] },
          urgent: { type: 'boolean' },
          copies: { type: 'integer', minimum: 1, maximum: 5 },
          files: { type: 'array' },
          cc: { type: 'string' },
        },
      },
    },
  },
};

const open =
  (spec, then = async () => {}) =>
  async (stage, more) => {
    const scene = await stage.open({ ...spec, ...more });
    await then(scene, stage);
  };

/** Decides every call of a batch. */
const all =
  (...choices) =>
  async (scene) => {
    const { keys } = scene.guard.getSnapshot().batch;
    keys.forEach((key, i) => scene.guard.decide(key, choices[i % choices.length]));
  };

/** @type {Record<string, (stage: any, more: object) => Promise<void>>} */
export const STATES = {
  empty: open({ says: 'Nothing to do.' }),
  'asking-one': open({ calls: [notes] }),
  'asking-three': open({ calls: three }),
  'one-at-a-time': open({ calls: three, attributes: { show: 'one' } }),
  'one-at-a-time-last': open({ calls: same, attributes: { show: 'one' } }, async ({ queue }) => {
    for (let i = 0; i < 2; i++) queue.shadowRoot.querySelector('[part~="next"]').click();
  }),
  'without-requests': open({ calls: same, cards: true, attributes: { show: 'none' } }, async (scene) => {
    scene.decide('c1', 'deny');
  }),
  streaming: open({ calls: [notes, draft], starts: true }),
  dangerous: open({ calls: three, options: { tools: { send_mail: { dangerous: true } } } }),
  'read-only': open({
    calls: [{ ...notes, tool: 'read_file' }],
    options: { tools: { read_file: { annotations: { readOnlyHint: true } } } },
  }),
  unavailable: open({ calls: three, options: { unavailableTools: ['delete_file'] } }),
  'same-tool': open({ calls: same }),
  equal: open({ calls: [mail, notes, { ...mail, id: 'c4' }] }),
  'equal-dangerous': open({
    calls: [mail, { ...mail, id: 'c4' }],
    options: { tools: { send_mail: { dangerous: true } } },
  }),
  'equal-drafted': open({ calls: [mail, notes, { ...mail, id: 'c4' }], options: patient }, async (scene) => {
    const { calls } = scene.guard.getSnapshot();
    scene.guard.decideAll(
      calls.filter(({ toolName }) => toolName === 'send_mail'),
      'allow-once',
    );
  }),
  'server-and-title': open({
    calls: [
      { ...notes, title: 'The title of the part', reason: 'Deleting needs a yes of the owner.' },
      draft,
    ],
    options: {
      tools: { delete_file: { server: 'Files', title: 'Delete a file' }, write_file: { server: 'Files' } },
    },
  }),
  'long-values': open({
    calls: [
      {
        id: 'c1',
        tool: 'write_file',
        input: {
          path: `reports/${'a-very-long-folder-name/'.repeat(12)}summary.md`,
          text: Array.from({ length: 120 }, (_, i) => `Line ${i + 1} of a text that is long.`).join('\n'),
          token: 'x'.repeat(3000),
        },
      },
    ],
  }),
  'many-fields': open({
    calls: [
      {
        id: 'c1',
        tool: 'create_event',
        input: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field_${i + 1}`, `value ${i + 1}`])),
      },
    ],
  }),
  'long-names': open({
    calls: [
      {
        id: 'c1',
        tool: `mcp__${'a_tool_with_a_long_name_'.repeat(6)}end`,
        input: { [`a_field_with_a_long_name_${'x'.repeat(80)}`]: 'short' },
      },
    ],
  }),
  'folded-name': open({
    calls: [{ id: 'c1', tool: `mcp__${'a_tool_with_a_long_name_'.repeat(30)}end`, input: { file: 'a.txt' } }],
  }),
  invisible: open({
    calls: [
      {
        id: 'c1',
        tool: 'run_command',
        input: {
          command: `ls\u200b\u202e; rm -rf /\u2066${'\u200b'.repeat(40)}`,
          note: 'fam\u200dily \u{1f469}\u200d\u{1f4bb}, zero\u{e0041}width',
        },
      },
    ],
  }),
  unshowable: open({
    calls: [
      { id: 'c1', tool: 'upload', input: { data: 'x'.repeat(400_000) } },
      { id: 'c2', tool: 'nested', input: JSON.parse(`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`) },
      { ...notes, id: 'c3' },
    ],
  }),
  'hosts-and-paths': open({
    calls: [
      {
        id: 'c1',
        tool: 'http_post',
        input: { url: 'https://user@api.ex\u0430mple.com:8443/upload?key=1', file: '/etc/passwd' },
      },
      { id: 'c2', tool: 'copy', input: { from: '../secret/keys.pem', to: 'C:\\Users\\me\\out.pem' } },
    ],
  }),
  'nested-json': open({
    calls: [
      {
        id: 'c1',
        tool: 'update_record',
        input: {
          record: { name: 'Ana', tags: ['a', 'b', { deep: [1, 2, { deeper: null }] }], ok: true },
          count: 3,
          empty: '',
          nothing: null,
          list: [],
        },
      },
      { id: 'c2', tool: 'plain_text', input: 'a text and no object' },
      { id: 'c3', tool: 'no_input', input: {} },
    ],
  }),
  'deadline-far': open({ calls: [notes, draft], options: { expiresMs: 20 * 60_000 } }),
  'deadline-near': open({ calls: [notes, draft], options: { expiresMs: 18_000, warnMs: 20_000 } }),
  looping: open(
    {
      calls: [notes],
      then: [1, 2, 3].map((i) => ({ says: 'Once more.', asks: [{ ...notes, id: `c${i + 1}` }] })),
    },
    async (scene) => {
      for (const id of ['c1', 'c2', 'c3']) {
        scene.decide(id, 'deny');
        await scene.until(() => scene.guard.getSnapshot().batch.asking === 1);
        await scene.settle();
      }
    },
  ),
  drafted: open({ calls: three }, async (scene) => {
    scene.decide('c1', 'deny');
    scene.decide('c2', 'allow-once');
  }),
  'drafted-for-longer': open({ calls: [...same, { ...mail, id: 'c4' }] }, async (scene) => {
    scene.decide('c1', 'allow-chat', { covers: 'tool' });
  }),
  decided: open({ calls: three, options: { undoMs: 600_000 } }, all('deny', 'allow-once')),
  'decided-countdown': open({ calls: three, options: { undoMs: 5000 } }, all('deny', 'allow-once')),
  // The response that asked has not ended, so more calls may come.
  'decided-early': open({ calls: [notes, draft], starts: true }, all('deny', 'allow-once')),
  'decided-patient': open({ calls: three, options: patient }, all('allow-once', 'deny', 'allow-chat')),
  sending: open({ calls: three, then: [{ waits: true }] }, all('deny', 'allow-once')),
  sent: open({ calls: three, then: [{ hangs: true }] }, all('deny', 'allow-once')),
  done: open({ calls: three }, async (scene) => {
    await all('deny', 'allow-once')(scene);
    await scene.settle();
  }),
  failed: open({ calls: three, then: [{ fails: true }] }, async (scene) => {
    await all('deny', 'allow-once')(scene);
    await scene.until(() => scene.chat.status === 'error', 'the error');
  }),
  'in-doubt': open({ calls: three, then: [{ breaks: true }] }, async (scene) => {
    await all('deny', 'allow-once')(scene);
    await scene.until(() => scene.chat.status === 'error', 'the error');
  }),
  held: open({ calls: three, options: { whenAllDenied: 'hold' } }, all('deny')),
  'held-with-allowance': open({ calls: three, options: { sendOn: 'outputs' } }, all('deny', 'allow-once')),
  passed: open({ calls: [notes, draft], options: { whenUserSends: 'pass' } }, async (scene) => {
    await scene.chat.sendMessage({ text: 'Never mind.' });
    await scene.settle();
  }),
  limit: open(
    {
      calls: [notes],
      then: [{ asks: [{ ...notes, id: 'c2' }] }, { asks: [{ ...notes, id: 'c3' }] }],
      options: { maxAutomaticSends: 1 },
    },
    async (scene) => {
      scene.decide('c1', 'allow-chat', { covers: 'tool' });
      await scene.until(() => scene.guard.explain().reason === 'limit', 'the limit');
    },
  ),
  history: open({ messages: stored('approval-responded') }),
  'history-asking': open({ messages: stored('approval-requested') }),
  'granted-automatically': open(
    { calls: [notes], then: [{ asks: [{ ...notes, id: 'c2' }, mail] }], options: { tools: files } },
    async (scene) => {
      scene.decide('c1', 'allow-chat');
      await scene.until(() => scene.call('c3')?.status === 'asking', 'the second batch');
      await scene.settle();
    },
  ),
  'denied-automatically': open(
    { calls: [notes], then: [{ asks: [{ ...notes, id: 'c2' }, mail] }], options: { tools: files } },
    async (scene) => {
      scene.decide('c1', 'deny-chat');
      await scene.until(() => scene.call('c3')?.status === 'asking', 'the second batch');
      await scene.settle();
    },
  ),
  grants: open({ calls: three, then: [{ asks: [{ ...mail, id: 'c9', input: {} }] }] }, async (scene) => {
    scene.decide('c1', 'deny-chat');
    scene.decide('c2', 'allow-chat', { covers: 'tool', forMs: 600_000 });
    scene.decide('c3', 'allow-chat', { covers: ['to'] });
    await scene.until(() => scene.call('c9')?.status === 'asking', 'the second batch');
    await scene.settle();
  }),
  'grants-alone': open({ calls: [notes] }, async (scene) => {
    scene.decide('c1', 'allow-chat', { covers: 'tool' });
    await scene.settle();
  }),
  'expired-one': open(
    {
      calls: [notes, mail],
      options: { expiresMs: ({ toolName }) => (toolName === 'delete_file' ? 1000 : undefined) },
    },
    async (scene) => {
      await scene.until(() => scene.call('c1').status === 'expired', 'the end');
    },
  ),
  expired: open({ calls: three, options: { expiresMs: 1000 }, then: [{ hangs: true }] }, async (scene) => {
    await scene.until(() => scene.call('c1').status !== 'asking', 'the end');
    await wait(50);
  }),
  superseded: open({ calls: [notes, draft] }, async (scene) => {
    await scene.chat.sendMessage({ text: 'Never mind.' });
    await scene.settle();
  }),
  unattended: open({
    calls: [notes, draft],
    options: { attended: false },
    then: [{ hangs: true }],
    runs: true,
  }),
  stopped: open({ calls: three, options: patient }, async (scene) => {
    scene.decide('c1', 'allow-once');
    await scene.chat.stop();
  }),
  ruled: open({
    calls: [
      bash('c1', 'ls -la'),
      bash('c2', 'sudo rm -rf /'),
      bash('c3', 'git push'),
      bash('c4', 'make'),
      { ...notes, id: 'c5' },
    ],
    options: {
      rules: rules(
        { allow: 'bash:ls *', why: 'It only looks' },
        { deny: 'bash:rm*', why: 'Files are deleted by people' },
        { ask: 'bash:git push*', always: true, why: 'The others see it' },
      ),
    },
  }),
  'ruled-alone': open({
    calls: [bash('c1', 'ls -la'), bash('c2', 'rm x')],
    options: { rules: rules({ allow: 'bash:ls *' }, { deny: 'bash:rm*' }) },
  }),
  'broken-rules': open({
    calls: [bash('c1', 'ls'), bash('c2', 'rm x')],
    options: { rules: rules({ allow: 'bash:ls *' }, { deny: 'bash(' }, { deny: 'bash:rm*' }) },
  }),
  masked: open({ calls: [secret, mail], options: { redact } }),
  revealed: open({ calls: [secret, mail], options: { redact } }, async (scene) => {
    scene.guard.unmask('c1');
  }),
  'not-to-be-shown': open({ calls: [notes, mail], options: { redact: () => undefined } }),
  editing: open({ calls: [letter, { ...notes, id: 'c2' }], options: editable }, (scene) =>
    scene.edit('c1', {
      to: 'ann@example.com',
      subject: 'Minutes\u200b',
      text: 'Dear all.',
      tone: '1',
      cc: 'bob@example.com',
    }),
  ),
  'editing-masked': open(
    { calls: [{ ...secret, tool: 'send_mail' }], options: { ...editable, redact } },
    (scene) => scene.edit('c1', { text: 'Other minutes' }),
  ),
  edited: open(
    { calls: [letter, { ...notes, id: 'c2' }], options: { ...editable, undoMs: 600_000 } },
    async (scene) => {
      const { input } = letter;
      scene.decide('c1', 'allow-once', {
        input: {
          ...input,
          to: 'ann@example.com',
          copies: 2,
          files: [],
          text: `${input.text} More. `.repeat(30),
        },
      });
    },
  ),
  later: open({ calls: [notes], then: [{ asks: [mail] }] }, async (scene) => {
    scene.decide('c1', 'deny');
    await scene.until(() => scene.call('c3')?.status === 'asking', 'the second prompt');
    await scene.settle();
  }),
};

/** A chat as it was stored: two calls, answered or not, and nothing sent since. */
function stored(state) {
  const call = ({ id, tool, input }, approved) => ({
    type: `tool-${tool}`,
    toolCallId: id,
    state,
    input,
    approval: { id: `ap-${id}`, ...(state === 'approval-responded' && { approved }) },
  });
  return [
    { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Please tidy up.' }] },
    {
      id: 'a1',
      role: 'assistant',
      parts: [{ type: 'step-start' }, call(notes, false), call(draft, true)],
    },
  ];
}
