// @ts-check
// How a tool part is repaired. The core says what is to be done, this writes it.

import { isObject } from './parts.js';

/** @typedef {import('./parts.js').Fields} Fields */
/** @typedef {import('./parts.js').Row} Row */

/** What is remembered of a call: its part as it was last seen, and its approval objects as they came.
 * @typedef {{ row?: Row, asked?: Fields | undefined, yes?: Fields | undefined, no?: Fields | undefined,
 *   ruling?: object | undefined }} Memory what rules said of it last */

/**
 * The part, repaired. Every field of an approval is kept as it came (C52, C53), known or not.
 *
 * @param {Row} row what was seen of the part @param {Fields} part
 * @param {Memory} memory @param {number} code what `GuardCore.repair` answers
 * @param {import('./vocabulary.js').Vocabulary} vocabulary
 * @returns {Fields}
 */
export function rewrite(row, part, memory, code, vocabulary) {
  const { state: states } = vocabulary;
  const { output, errorText, preliminary, resultProviderMetadata, ...kept } = part;
  const { asked, yes, no } = memory;
  const reason = vocabulary.reasons[(code >> 4) - 1];
  const own = isObject(row.approval) ? row.approval : undefined;
  switch (vocabulary.repairs[code & 15]) {
    case 'deny':
    case 'settle-denial': {
      const deny = vocabulary.repairs[code & 15] === 'deny';
      const state = deny ? states.responded : states.outputDenied;
      const standing = own?.approved === false && row.approvalSymbol !== 0 ? own : no;
      // An allowance that the messages show says nothing of why the call is denied.
      const { reason: _, ...shown } = own ?? {};
      const known = asked ?? yes ?? (own?.approved === true || reason !== undefined ? shown : undefined);
      if (reason !== undefined) return { ...kept, state, approval: { ...known, approved: false, reason } };
      const approval = standing ?? (known === undefined ? undefined : { ...known, approved: false });
      // Without a memory there is no approval to put back, and none is made up.
      return approval === undefined ? { ...kept, state } : { ...kept, state, approval };
    }
    case 'ask': {
      const { approved: _, reason: __, ...question } = asked ?? yes ?? own ?? {};
      return { ...kept, state: states.requested, approval: question };
    }
    case 'allow':
      return { ...kept, state: states.responded, approval: yes ?? { ...asked, approved: true } };
    case 'fail':
      return { ...kept, state: states.outputError, errorText: reason };
    default:
      return part;
  }
}
