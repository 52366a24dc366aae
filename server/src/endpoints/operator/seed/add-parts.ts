import type { AnyResource } from '../../../api/records/resource.ts'
import { thisRoundIsOver } from '../../../lib/clock.ts'
import { type AccountTransaction, columnsOf, type StoredRecord } from '../../../storage/records.ts'
import { takenId } from './bad-seed.ts'
import { assertPart } from './check-part.ts'
import { differences } from './differences.ts'
import { createDerivedIds } from './made-up-ids.ts'

/** So many are read and written before others get their turn. */
const BATCH = 100

export type Part = Record<string, unknown> & { id: string }

/** What became of the parts of an account. */
export interface AddedParts {
  /** The ids of what was made, by table. */
  made: Map<string, Set<string>>
  /** The ids of what was passed over, because what it is a part of was deleted since: by table. */
  passedOver: Map<string, Set<string>>
  /** The fields in which what stands differs: `campaigns.name`. */
  differing: Set<string>
  /** The ids that the seed has, by table. */
  seeded: Map<string, Set<string>>
}

export const noParts = (): AddedParts => ({ made: new Map(), passedOver: new Map(), differing: new Set(), seeded: new Map() })

const put = (ids: Map<string, Set<string>>, { table }: AnyResource, id: string) =>
  void ids.set(table, (ids.get(table) ?? new Set()).add(id))

/** What is asked of the parts of a batch: what stands of them, and what they are to be parts of. */
interface Around {
  existing: Map<string, StoredRecord>
  wholes: Map<string, StoredRecord>
  /** The ids of those wholes that are not hidden. */
  shown: Set<string>
}

const byId = (records: StoredRecord[]) => new Map(records.map((record) => [record.id, record]))

async function lookAround(transaction: AccountTransaction, kind: AnyResource, parts: readonly Part[]): Promise<Around> {
  const { childOf } = kind
  const ownIds = parts.map(({ id }) => id)
  const existing = byId(await transaction.among(kind, ownIds, true))
  if (!childOf) return { existing, wholes: new Map(), shown: new Set() }
  const ids = [...new Set(parts.flatMap((part) => (part[childOf.by] as string | undefined) ?? []))]
  const wholes = byId(await transaction.among(childOf.parent, ids, true))
  const shown = new Set((await transaction.among(childOf.parent, ids)).map(({ id }) => id))
  return { existing, wholes, shown }
}

/** Takes from a part what is kept of its kind; the rest of its read shape follows from that. */
function keeper(kind: AnyResource) {
  const kept = new Set(['id', ...Object.keys(columnsOf(kind))])
  return (given: Part) => Object.fromEntries(Object.entries(given).filter(([name]) => kept.has(name))) as Part
}

/** When it was changed is told by what was changed. */
const saidOf = ({ updated_at: _, ...said }: Part) => said

async function addPart(transaction: AccountTransaction, kind: AnyResource, given: Part, around: Around, added: AddedParts) {
  const { existing, wholes, shown } = around
  const { table, childOf } = kind
  const known = existing.get(given.id)
  if (known) return differences(saidOf(given), known).forEach((field) => void added.differing.add(`${table}.${field}`))
  const wholeId = childOf && (given[childOf.by] as string)
  const whole = wholeId === undefined ? undefined : wholes.get(wholeId)
  const isHidden = whole !== undefined && !shown.has(whole.id)
  const isGone = isHidden && !given.deleted && !added.made.get(childOf!.parent.table)?.has(whole.id)
  if (isGone || (childOf && added.passedOver.get(childOf.parent.table)?.has(wholeId!))) return put(added.passedOver, kind, given.id)
  const part: Part = kind.complete({ ...kind.seedDefaults, ...given }, whole)
  await assertPart(transaction, kind, part, whole)
  const made = await transaction.insert(kind, part as never, isHidden)
  if (!made) throw takenId('accounts', `${table}.id`, given.id)
  existing.set(given.id, made)
  put(added.made, kind, given.id)
}

/** What a part belongs to that does not say so: the only thing of its kind that the seed has. */
function onlyParent({ childOf }: AnyResource, { seeded }: AddedParts): Record<string, string> {
  const [only, second] = seeded.get(childOf?.parent.table ?? '') ?? []
  return childOf && only !== undefined && second === undefined ? { [childOf.by]: only } : {}
}

/** Adds the parts of one kind that an account of a seed has, and that are missing. */
export async function addParts(
  transaction: AccountTransaction,
  kind: AnyResource,
  accountId: string,
  seeded: readonly Partial<Part>[],
  added: AddedParts,
) {
  const idOf = createDerivedIds(accountId, kind.table)
  const keptOf = keeper(kind)
  const whole = onlyParent(kind, added)
  for (let from = 0; from < seeded.length; from += BATCH) {
    const parts = seeded.slice(from, from + BATCH).map((given) => keptOf({ ...whole, ...given, id: given.id ?? idOf(given) }))
    for (const { id } of parts) put(added.seeded, kind, id)
    const around = await lookAround(transaction, kind, parts)
    for (const part of parts) await addPart(transaction, kind, part, around, added)
    await thisRoundIsOver()
  }
}
