import type { Scenario } from './scenarios.ts';

/** What a page with the SDK alone does. */
export const STOCK_CODE = `const chat = useChat({
  id: chatId,
  transport,
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
});`;

/** The lines that make the guard of a scenario and connect its chat. */
export function codeOf({ settings = {}, records }: Scenario): string {
  const options = [
    "clientTools: ['pick_file']",
    ...Object.entries(settings).map(([name, value]) => option(name, value)),
    ...(records ? ["record: createRecord({ storage: 'indexeddb', grants: true })"] : []),
  ];
  return `const guard = createApprovalGuard({
  chatId,
${options.map((line) => `  ${line},\n`).join('')}});
const chat = useChat({
  id: chatId,
  transport: guard.transport(transport),
  sendAutomaticallyWhen: guard.sendAutomaticallyWhen,
});
const approvals = useToolApprovals(guard, chat);`;
}

function option(name: string, value: unknown): string {
  if (name === 'redact') return name;
  if (name === 'rules') return 'rules: createRules(rules)';
  return `${name}: ${literal(value)}`;
}

/** A value as people write it. */
function literal(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en').replaceAll(',', '_');
  return JSON.stringify(value)
    .replace(/"(\w+)":/g, '$1: ')
    .replaceAll('{', '{ ')
    .replaceAll('}', ' }')
    .replaceAll('"', "'");
}
