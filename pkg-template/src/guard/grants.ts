// Grants and lasting denials, as a page shows them.
import type { Engine } from '../engine/engine.js';
import { rowsOf, sameList } from '../engine/rows.js';
import { grantRow, grantedFact, Table, wantedRow, type GrantRow } from '../generated/abi.js';
import type { Settings } from '../options.js';
import { escapeInvisible, shorten } from '../escape-invisible.js';
import type { CallGrant, GrantView } from '../prompt.js';

/** The grants of one chat. Unchanged grants are the same objects. */
export class Grants {
  readonly #engine: Engine;
  readonly #settings: Settings;
  #grants: readonly GrantView[] = [];

  constructor(engine: Engine, settings: Settings) {
    this.#engine = engine;
    this.#settings = settings;
  }

  /** The grants that have not ended, oldest first. */
  all(): readonly GrantView[] {
    const grants: GrantView[] = [];
    // Both lists are sorted by number.
    let next = 0;
    for (const row of rowsOf(this.#engine.core.read(Table.Grants), grantRow)) {
      while (grantNumber(this.#grants[next]?.id ?? '') < row.grant && next < this.#grants.length) next++;
      const old = this.#grants[next];
      grants.push(old !== undefined && sameGrant(old, row) ? old : this.#readGrant(row));
    }
    return (this.#grants = sameList(this.#grants, grants));
  }

  /** A grant by its number, even if it has ended. */
  grant(number: number): GrantView | undefined {
    if (number === 0) return undefined;
    const numbers = this.#engine.core.read(Table.Grant, number);
    return numbers.length === 0 ? undefined : this.#readGrant(grantRow.read(numbers, 0));
  }

  /** The grant that would answer a call of this tool with this input. */
  answering(toolName: string, input: unknown, server: string | undefined): GrantView | undefined {
    const { core, ids, fingerprints } = this.#engine;
    const tool = ids.known(toolName);
    const covered = rowsOf(core.read(Table.Wanted), wantedRow).filter((row) => row.tool === tool);
    const keys = [...new Set(covered.map((row) => row.fields))].map((fields) => ({
      fields,
      fingerprint: fingerprints.ofInput(toolName, server, input, fields),
    }));
    grantedFact(core.facts, { name: tool, server: server === undefined ? 0 : ids.known(server), keys });
    return this.grant(core.apply().grant);
  }

  /** The view of a grant on a call. */
  of(number: number): CallGrant | undefined {
    const grant = this.grant(number);
    if (grant === undefined) return undefined;
    const { id, type, covers, createdAt, endsAt } = grant;
    return { id, type, covers, lastsMs: endsAt === undefined ? undefined : endsAt - createdAt };
  }

  #readGrant(row: GrantRow): GrantView {
    const { ids, fingerprints } = this.#engine;
    const { fields, at, until } = row;
    const toolName = ids.text(row.tool) ?? '';
    const server = ids.text(row.server);
    const covers = fingerprints.coversOf(fields);
    return {
      id: grantId(row.grant),
      type: row.allows ? 'allow' : 'deny',
      toolName,
      label: labelOf(this.#settings, toolName, server),
      server,
      covers,
      key: row.call === 0 ? undefined : this.#engine.keys.of(row.call),
      toolCallId: ids.text(row.id) ?? '',
      status: statusOf(row),
      createdAt: at,
      endsAt: until,
      uses: row.uses,
      lastUsedAt: row.lastUse,
    };
  }
}

/** The name of a tool for people. Only the application may give it another one: a title may come from the model. */
export function labelOf(
  { tools, locale }: Settings,
  toolName: string,
  server: string | undefined,
  title = tools.of(toolName, server)?.title ?? '',
): string {
  const isTitled = title.trim() !== '';
  const [head, more] = shorten(isTitled ? title : toolName);
  const name = escapeInvisible(head, { lines: false });
  if (isTitled || /^[\w.:/-]+$/.test(head)) return name + more;
  // An unusual name is put in quotes, so that it cannot continue as part of a sentence.
  const [open = '', close = open] = locale?.messages['prompt.quotes'] ?? '“”';
  const inner = name.replace(/[“”„«»]/g, (quote) => `⟦U+${quote.charCodeAt(0).toString(16).toUpperCase()}⟧`);
  return open + inner + close + more;
}

/** The id of a grant. */
export const grantId = (number: number): string => `grant-${number}`;

/** The number of a grant; 0 if the text is not a valid id. */
export const grantNumber = (id: string): number => Number(/^grant-(\d{1,9})$/.exec(id)?.[1] ?? 0);

const statusOf = ({ committed, active }: GrantRow): GrantView['status'] =>
  active ? 'active' : committed ? 'provisional' : 'draft';

/** Whether a view shows the current state of a grant. Its other fields never change. */
const sameGrant = (view: GrantView, row: GrantRow): boolean =>
  view.id === grantId(row.grant) && view.status === statusOf(row) && view.uses === row.uses;
