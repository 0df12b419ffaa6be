// The sentences for developers, one for each code of the rules.
import type { RulingReason } from '../types/rules.js';
import type { NearMiss, RuleLint } from './types.js';

/** Sentences for the author of a rule. */
export const LINTS: Record<RuleLint['code'], string> = {
  unreachable: 'Another rule already covers everything that this one covers.',
  shadowed: 'A stricter rule cancels this allowance.',
  locked: 'A layer above this one has locked its allowances.',
  'word-boundary':
    'The star is attached to a word, so `ls*` also covers `lsof`. Write `ls *`, or use tokens.',
  'leading-star': 'An allowance that begins with a star covers more than anyone can foresee.',
  'any-host':
    'This allows every host with a dot in its name over https, also one that only collects what a URL carries, and names of an inner network. Name hosts where you can.',
  'text-for-shell':
    'This tool looks like a shell. Set its kind to shell, so that each of several joined commands is checked.',
};

/** The reasons why a rule that nearly applies does not decide. */
export const MISSES: Record<NearMiss, string> = {
  overruled: 'It matches, but another rule is stricter or came first.',
  hint: 'It matches, but the server says that the tool may destroy something.',
  'broken-rules': 'It matches, but a rule that could not be read might have denied the call.',
  name: 'It names another tool; names are compared letter by letter.',
  server: 'It is about a tool of another server, or of none.',
  scattered:
    'The command has its options or paths in another order, so it is not denied, but only a rule without a wildcard allows it.',
  pattern: 'Its pattern does not match.',
  part: 'It covers only part of the command.',
  'not-simple':
    'The main argument is not plain: it has invisible, special or escaped characters, or is too long. Only the exact text could be allowed.',
  'runs-others': 'The command runs something else or writes a file, so it can only be allowed word for word.',
  'no-target': "There is no main argument of the tool's kind.",
  'other-arguments':
    'The call has arguments that the rule does not mention: add them to the rule, or list them in ignore.',
  'unsound-input': 'The input cannot be read, or has field names that have another meaning elsewhere.',
  locked: 'A layer above it has locked its allowances.',
};

/** Reasons for a ruling that names no rule. */
export const REASONS: Record<RulingReason, string> = {
  rule: 'A rule decided.',
  default: 'No rule matches this call, so it asks.',
  hint: 'A rule allows it, but its server says that it may destroy something, so it asks.',
  'broken-rules': 'A rule that could not be read might have denied the call, so it asks.',
  'unreadable-input':
    'The input is too large, too deep, not JSON or takes too long to read, so no rule can allow it.',
  unavailable: 'The rules could not be started, so every call asks.',
};
