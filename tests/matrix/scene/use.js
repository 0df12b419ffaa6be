// What a program sees of the package, as one value that can be compared. It gets the functions, because which entries
// they come from is what the forms differ in.
import { answered, asking, overwritten } from './messages.js';

const codeOf = (error) => error.code ?? String(error);

/** A guard with a record; and what one sees of them, of rules and of a backend, each time one asks. */
export function begin({ createApprovalGuard, createRecord, createRules, readDecisions, verifyRecord }) {
  let errors = [];
  const record = createRecord();
  const guard = createApprovalGuard({ chatId: 'c', record, onError: (error) => errors.push(error.code) });
  const { sendAutomaticallyWhen } = guard;

  return async function use() {
    errors = [];
    // The small entry loads its engine; without one it is seen below.
    await guard.ready.catch(() => {});
    const whileAsking = sendAutomaticallyWhen({ messages: asking() });
    const whenAnswered = sendAutomaticallyWhen({ messages: answered() });

    let sent;
    const transport = guard.transport({
      sendMessages: ({ messages }) => {
        sent = messages[1].parts[1];
        return Promise.resolve(new ReadableStream({ start: (controller) => controller.close() }));
      },
      reconnectToStream: () => Promise.resolve(null),
    });
    let refused;
    await transport
      .sendMessages({
        chatId: 'c',
        messages: overwritten(),
        trigger: 'submit-message',
        messageId: undefined,
        abortSignal: undefined,
      })
      .catch((error) => (refused = codeOf(error)));

    const rules = createRules({
      tools: { bash: { target: 'command', kind: 'shell' } },
      rules: [{ allow: 'bash:ls *' }, { deny: 'bash:rm *' }],
    });
    const ruled = ['ls', 'ls; sudo rm x', 'ls; x'].map(
      (command) => rules.judge({ toolName: 'bash', input: { command } }).effect,
    );

    let recorded;
    try {
      const { type, complete } = verifyRecord(record.export('jsonl'), [record.head().hash]);
      recorded = [type, complete];
    } catch (error) {
      recorded = codeOf(error);
    }

    let received;
    try {
      received = readDecisions(overwritten()).map(({ type, overwritten }) => [type, overwritten ?? null]);
    } catch (error) {
      received = codeOf(error);
    }

    return {
      whileAsking,
      whenAnswered,
      sent: sent && [sent.state, sent.approval?.approved, 'output' in sent],
      refused,
      errors,
      ruled,
      problems: rules.problems.map(({ code }) => code),
      recorded,
      received,
    };
  };
}
