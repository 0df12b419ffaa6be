// What a program sees of the package, as one value that can be compared.
import { createApprovalGuard } from 'tool-approval-guard';
import { createRules } from 'tool-approval-guard/rules';

import { answered, asking, overwritten } from './messages.js';

export async function use() {
  const errors = [];
  const guard = createApprovalGuard({ chatId: 'c', onError: (error) => errors.push(error.code) });
  const { sendAutomaticallyWhen } = guard;
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
    .catch((error) => (refused = error.code));
  guard.dispose();
  const rules = createRules({
    tools: { bash: { target: 'command', kind: 'shell' } },
    rules: [{ allow: 'bash:ls *' }, { deny: 'bash:rm *' }],
  });
  const ruled = ['ls', 'ls; sudo rm x', 'ls; x'].map(
    (command) => rules.judge({ toolName: 'bash', input: { command } }).effect,
  );
  return {
    whileAsking,
    whenAnswered,
    sent: sent && [sent.state, sent.approval?.approved, 'output' in sent],
    refused,
    errors,
    ruled,
    problems: rules.problems.map(({ code }) => code),
  };
}
