// What a block of code may take for given when its comment says so: `<!-- check: uses=guard,chat -->`.
const guard = `import('tool-approval-guard').ApprovalGuard`;

export const NAMES = {
  id: 'string',
  chatId: 'string',
  guard,
  chat: `ReturnType<typeof import('@ai-sdk/react').useChat>`,
  approvals: `import('tool-approval-guard/svelte').ToolApprovals`,
  call: `import('tool-approval-guard').CallView`,
  calls: `readonly import('tool-approval-guard').CallView[]`,
  messages: `import('ai').UIMessage[]`,
  rules: `import('tool-approval-guard/rules').Rules`,
  record: `import('tool-approval-guard/record').ToolApprovalRecord`,
  queue: `import('tool-approval-guard/element').ToolApprovalQueue`,
  text: 'string',
  head: `import('tool-approval-guard/record').RecordHead`,
  openStorage: `(name: string) => import('tool-approval-guard/record').ApprovalStorage`,
  online: 'boolean',
  token: 'string',
  logger: `{ info: (text: string, about: object) => void }`,
};
