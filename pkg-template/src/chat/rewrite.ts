// Rewrites a tool part as the core demands.

import { Repair, ToolStateName, type RepairEffect } from '../generated/abi.js';
import type { RememberedCall } from './call-memory.js';
import { isObject, type Fields, type PartFacts } from './part.js';

/**
 * Returns the part, repaired. Every field of an approval is kept as it came (C52, C53), known or not.
 *
 * @param facts what was read from the part
 * @param needed the repair that the core asks for
 */
export function rewrite(
  facts: PartFacts,
  part: Fields,
  { asked, yes, no }: RememberedCall,
  needed: RepairEffect,
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
      const standing = own?.approved === false && facts.approvalRef !== 0 ? own : no;
      // The reason of an allowance in the messages does not explain the denial.
      const { reason: _, ...shown } = own ?? {};
      const known = asked ?? yes ?? (own?.approved === true || reason !== undefined ? shown : undefined);
      if (reason !== undefined) return { ...kept, state, approval: { ...known, approved: false, reason } };
      const approval = standing ?? (known === undefined ? undefined : { ...known, approved: false });
      // Without a remembered approval there is none to put back, and none is made up.
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
    case Repair.Fail:
      return { ...kept, state: ToolStateName.OutputError, errorText: reason };
    default:
      return part;
  }
}
