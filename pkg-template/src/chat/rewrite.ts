// Rewrites a tool part as the core requires.

import type { KnownRepair } from '../engine/core.js';
import { Repair, ToolStateName } from '../generated/abi.js';
import type { RememberedCall } from './call-memory.js';
import { sameDigest } from './digest.js';
import { hasOutput, isObject, resultOf, type Fields, type PartFacts } from './part.js';

/**
 * Returns the repaired part. Every field of an approval is kept unchanged, whether it is known or not (C52,
 * C53).
 *
 * @param facts what was read from the part
 * @param needed the repair that the core asks for
 */
export function rewrite(
  facts: PartFacts,
  part: Fields,
  { asked, yes, no, done }: RememberedCall,
  needed: KnownRepair,
  ownReasons: readonly string[],
): Fields {
  const { output, errorText, preliminary, resultProviderMetadata, ...kept } = part;
  const reason = ownReasons[needed.cause];
  const own = isObject(facts.approval) ? facts.approval : undefined;
  const repair: Repair = needed.repair;
  switch (repair) {
    case Repair.Deny:
    case Repair.SettleDenial: {
      const state = repair === Repair.Deny ? ToolStateName.ApprovalResponded : ToolStateName.OutputDenied;
      if (needed.stands === 1) return { ...kept, state, approval: own };
      // The reason of an allowance in the messages does not explain the denial.
      const { reason: _, ...shown } = own ?? {};
      const known = asked ?? yes ?? (own && shown);
      if (reason !== undefined) return { ...kept, state, approval: { ...known, approved: false, reason } };
      const approval = no ?? (known && { ...known, approved: false });
      // Without a known approval, there is none to restore, and none is invented.
      return approval === undefined ? { ...kept, state } : { ...kept, state, approval };
    }
    case Repair.Ask: {
      const { approved: _, reason: __, ...question } = asked ?? yes ?? own ?? {};
      return { ...kept, state: ToolStateName.ApprovalRequested, approval: question };
    }
    case Repair.Allow:
      return {
        ...kept,
        state: ToolStateName.ApprovalResponded,
        approval: yes ?? { ...asked, approved: true },
      };
    case Repair.Restore: {
      if (hasOutput(facts)) return { ...part, approval: { ...(yes ?? asked), ...own, approved: true } };
      const approval = { ...own, ...yes, ...(done?.approval as Fields | undefined) };
      // Without it, the response has put it out, and no list has shown it.
      const isSeen = done !== undefined && sameDigest(done.inputDigest, facts.inputDigest);
      const result = isSeen ? resultOf(done) : { state: ToolStateName.OutputError, errorText: reason };
      return { ...kept, state: ToolStateName.OutputAvailable, approval, ...result };
    }
    case Repair.Fail:
      return { ...kept, state: ToolStateName.OutputError, errorText: reason };
    default:
      return part;
  }
}
