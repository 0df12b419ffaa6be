// The face of rules.
import {
  createApprovalGuard,
  type ApprovalRules,
  type CallView,
  type Display,
  type UnmaskResult,
  type Ruling,
} from 'tool-approval-guard';
import { redact, type Redacted } from 'tool-approval-guard/redact';
import {
  createRules,
  tryRules,
  type Explanation,
  type JudgedCall,
  type NearMiss,
  type Rule,
  type RuleLint,
  type RuleProblem,
  type Rules,
  type RulesConfig,
} from 'tool-approval-guard/rules';

import type { Anys, Equal, Expect } from './assert.js';

export type NoAny = [
  Expect<Equal<Anys<Rules>, never>>,
  Expect<Equal<Anys<RulesConfig>, never>>,
  Expect<Equal<Anys<Explanation>, never>>,
  Expect<Equal<Anys<Redacted>, never>>,
];

const config: RulesConfig = {
  tools: { bash: { target: 'command', kind: 'shell', args: { cwd: 'path' }, ignore: ['/timeout'] } },
  rules: [
    { allow: 'bash:ls *', why: 'It only looks', match: ['ls -la'], notMatch: ['lsof'] },
    { allow: { tool: 'bash', tokens: ['git', 'status'] } },
    { ask: { tool: 'copy', server: 'files', args: { from: '/tmp/*', deep: true } }, always: true },
    { deny: { tool: 'bash', target: 'rm*' }, id: 'no-rm' },
  ],
  layers: { organisation: { lockAllow: true, rules: [] }, user: [{ deny: 'mail' }] },
  shadow: true,
};
const rules = createRules(config);
const guard = createApprovalGuard({ rules, redact, omitFromWire: ['client.*'] });
export const asPlain: ApprovalRules = rules;
export const problems: readonly RuleProblem[] = rules.tighten([{ ask: 'bash' }]);
export const lints: readonly RuleLint[] = rules.lints;
export const view: Redacted | undefined = redact({ a: 1 }, 'record');

export function judged(call: CallView): Ruling | undefined {
  const asked: JudgedCall = call;
  const [explanation] = tryRules(rules, [asked, call]);
  const miss: NearMiss | undefined = explanation?.near[0]?.miss;
  return miss === 'part' ? undefined : (explanation ?? call.ruling);
}

export function shown(call: CallView): number {
  const { type }: UnmaskResult = guard.unmask(call);
  const display: Display | undefined = type === 'unmasked' ? call.display : undefined;
  return display?.hidden ?? 0;
}

// @ts-expect-error only a question can be asked always
export const always: Rule = { deny: 'bash', always: true };
// @ts-expect-error a rule has an effect
export const nothing: Rule = { why: 'x' };
// @ts-expect-error there is no such kind
export const kind: RulesConfig = { tools: { bash: { kind: 'sql' } } };
// @ts-expect-error there is no such kind
export const other: RulesConfig = { tools: { copy: { args: { from: 'file' } } } };
// @ts-expect-error there is no such layer
export const layer: RulesConfig = { layers: { team: [] } };
// @ts-expect-error it takes a function
createApprovalGuard({ redact: true });
// @ts-expect-error rules have a judge
createApprovalGuard({ rules: {} });
