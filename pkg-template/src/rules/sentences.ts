// A sentence for each code of the rules, for developers.
import type { RulingReason } from '../types/rules.js';
import type { NearMiss, RuleLint } from './types.js';

/** Sentences for the author of a rule. */
export const LINTS: Record<RuleLint['code'], string> = {
  unreachable: 'Another rule answers everything that this one could.',
  shadowed: 'A stricter rule makes this allowance void.',
  locked: 'A layer above this one has locked its allowances.',
  'word-boundary': 'The star begins within a word: `ls*` covers `lsof` too. Write `ls *`, or tokens.',
  'leading-star': 'An allowance that begins with a star covers what nobody has thought of.',
  'text-for-shell': 'This tool looks like a shell. Give it the kind shell, so that joined commands are seen.',
};

/** Reasons why a near rule does not decide. */
export const MISSES: Record<NearMiss, string> = {
  overruled: 'It matches as well, and another rule is stricter, or came first.',
  hint: 'It matches, and the server says that the tool may destroy something.',
  'broken-rules': 'It matches, and another rule has a problem, so that none allows.',
  name: 'Its tool has another name, letter for letter.',
  server: 'It is about a tool of another server, or of none.',
  pattern: 'Its pattern does not match.',
  part: 'It covers only a part of the command.',
  'not-simple':
    'The main argument is not plain: there are unseen, special or escaped characters, or too many of them. Only the exact text could be allowed.',
  'runs-others': 'The command runs something else, so that it can only be allowed word for word.',
  'no-target': 'There is no main argument of the kind that the tool has.',
  'other-arguments': 'There are arguments that it says nothing about: name them, or list them in ignore.',
  'unsound-input': 'The input cannot be read, or has names of fields that mean something else elsewhere.',
  locked: 'A layer above it has locked its allowances.',
};

/** Reasons for a ruling that names no rule. */
export const REASONS: Record<RulingReason, string> = {
  rule: 'A rule says so.',
  default: 'No rule says anything about this call, so it asks.',
  hint: 'A rule allows it, but its server says that it may destroy something, so it asks.',
  'broken-rules': 'The rules have problems, so everything asks that no rule denies.',
  'unreadable-input': 'The input is too large, too deep or no JSON, so no rule can allow it.',
  unavailable: 'The rules could not be started, so everything asks.',
};
