import { createHash } from 'node:crypto'
import { adsId } from '../../../api/declare/ads-words.ts'
import type { TSchema } from '../../../api/declare/words.ts'
import { shown } from '../../../api/read/broken-rule.ts'
import type { AnyResource } from '../../../api/records/resource.ts'
import { endOfTurn } from '../../../lib/clock.ts'
import { writeExactJson } from '../../../lib/numbers.ts'
import { type AccountTransaction, columnsOf, fieldOf, keyOf, type NewRecord, type StoredRecord } from '../../../storage/records.ts'
import { differences, invalidSeed, takenId } from './seed-adder.ts'

/** Ids that the server hands out count to 2^53, which is eleven digits of base 36: one of twelve is none of them. */
const DIGITS = 11
const FIRST = 'z'

const hashOf = (texts: readonly string[]) => createHash('sha256').update(JSON.stringify(texts)).digest()

const numberOf = (hash: Buffer, base: bigint) => hash.readBigUInt64BE() % base ** BigInt(DIGITS)

/** The forms that an id can have: base 36, or decimal digits, of which the server hands out more. */
const forms = [
  (hash: Buffer) => FIRST + numberOf(hash, 36n).toString(36).padStart(DIGITS, '0'),
  (hash: Buffer) => `9${numberOf(hash, 10n).toString().padStart(DIGITS, '0')}`,
]

const patternOf = (word: TSchema) => new RegExp((word as { pattern?: string }).pattern ?? '', 'u')

/**
 * Derives the ids of records that a seed has without one from what the seed says, so that every load finds what an earlier one made,
 * whatever became of it since; of records of which it says the same, the second has another id than the first. Undefined for a key
 * that only its client can make.
 */
export function createDerivedIds(within: readonly string[], keyWord: TSchema = adsId()) {
  const counts = new Map<string, number>()
  return (said: object): string | undefined => {
    const text = writeExactJson(Object.entries(said).sort(([one], [other]) => (one < other ? -1 : 1)))
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    const hash = hashOf([...within, text, String(count)])
    return forms.map((form) => form(hash)).find((id) => patternOf(keyWord).test(id))
  }
}

type Child = NewRecord<StoredRecord>

/** Fields that a record is inserted with whatever a seed says. */
const automatic = ({ scope }: AnyResource) => [scope, 'created_at', 'updated_at', 'deleted']

/** A required field without a value. */
function missingField(resource: AnyResource, child: Child): string | undefined {
  const required = Object.entries(columnsOf(resource)).flatMap(([field, { nullable }]) => (nullable ? [] : [field]))
  return [resource.key, ...required].find((field) => !automatic(resource).includes(field) && fieldOf(child, field) === undefined)
}

/** Throws `invalid-request` for a record of a seed that its account cannot have. */
async function assertChild(transaction: AccountTransaction, resource: AnyResource, child: Child, parent: StoredRecord | undefined) {
  const { table, childOf, inherits, seedRules } = resource
  const refuse = (field: string, what: string) => invalidSeed('accounts', `${table}.${field}`, shown(fieldOf(child, field) ?? ''), what)
  if (childOf && fieldOf(child, childOf.by) !== undefined && !parent) throw refuse(childOf.by, 'is not a record of this account')
  const missing = missingField(resource, child)
  if (missing !== undefined) throw refuse(missing, 'is missing')
  const other = inherits.find((field) => fieldOf(child, field) !== (parent && fieldOf(parent, field)))
  if (other !== undefined) throw refuse(other, `does not match its parent in ${childOf!.parent.table}`)
  const count = (equal: Readonly<Record<string, unknown>>) => transaction.count(resource, equal)
  const record = { ...child, created_at: '', updated_at: '', deleted: child.deleted ?? false }
  for (const { field, message, holds } of seedRules) if (!(await holds(record, count))) throw refuse(field, message)
}

/** So many are read and written before others get their turn. */
const BATCH = 100

/** A record of an account as a seed has it. */
export type SeedChild = Readonly<Record<string, unknown>>

/** What became of the records of an account; keys stand by table. */
interface AddedChildren {
  accountId: string
  created: Map<string, Set<string>>
  /** Records that were not created because their parent was deleted since. */
  skipped: Map<string, Set<string>>
  /** The fields in which existing records differ from the seed: `campaigns.name`. */
  differing: Set<string>
  /** The keys that the seed has. */
  seeded: Map<string, Set<string>>
  /** Whether they are held against their rules. */
  isJudged: boolean
}

export const noChildren = (accountId: string, isJudged: boolean): AddedChildren => ({
  accountId,
  isJudged,
  created: new Map(),
  skipped: new Map(),
  differing: new Set(),
  seeded: new Map(),
})

const put = (keys: Map<string, Set<string>>, { table }: Pick<AnyResource, 'table'>, key: string) =>
  void keys.set(table, (keys.get(table) ?? new Set()).add(key))

/** The records that the database has for a batch of a seed: those of the same keys, and the parents. */
interface Existing {
  records: Map<string, StoredRecord>
  parents: Map<string, StoredRecord>
  /** The keys of visible parents. */
  visible: Set<string>
}

async function existingFor(transaction: AccountTransaction, resource: AnyResource, batch: readonly SeedChild[]): Promise<Existing> {
  const { childOf } = resource
  const byKey = async (recordType: AnyResource | NonNullable<typeof childOf>['parent'], keys: readonly string[], withDeleted: boolean) =>
    new Map((await transaction.among(recordType, keys, withDeleted)).map((record) => [keyOf(recordType, record), record]))
  const keys = batch.map((child) => keyOf(resource, child))
  const records = await byKey(resource, keys, true)
  if (!childOf) return { records, parents: new Map(), visible: new Set() }
  const parentKeys = [...new Set(batch.flatMap((child) => (child[childOf.by] as string | undefined) ?? []))]
  const parents = await byKey(childOf.parent, parentKeys, true)
  return { records, parents, visible: new Set((await byKey(childOf.parent, parentKeys, false)).keys()) }
}

/** Takes from a record of a seed the fields that are stored; the rest of what GET answers is computed from them. */
function storedFields(resource: AnyResource) {
  const stored = new Set([resource.key, ...Object.keys(columnsOf(resource))])
  return (given: SeedChild): SeedChild => Object.fromEntries(Object.entries(resource.fromSeed(given)).filter(([name]) => stored.has(name)))
}

/** When it was changed is no difference by itself. */
const comparedFields = ({ updated_at: _, ...compared }: SeedChild) => compared

/** Adds what comes with a new record. Its id is that of a seed's record of which that says the same. */
async function addBrought(transaction: AccountTransaction, { brings }: AnyResource, record: StoredRecord, within: AddedChildren) {
  if (!brings) return
  const newId = (given: object) => createDerivedIds([within.accountId, brings.resource.table])(given)!
  const brought = await brings.add(transaction, record, newId)
  if (brought) put(within.created, brings.resource, keyOf(brings.resource, brought))
}

async function addChild(
  transaction: AccountTransaction,
  resource: AnyResource,
  given: SeedChild,
  existing: Existing,
  added: AddedChildren,
) {
  const { table, childOf } = resource
  const key = keyOf(resource, given)
  const known = existing.records.get(key)
  if (known) return differences(comparedFields(given), known).forEach((field) => void added.differing.add(`${table}.${field}`))
  const parentKey = childOf && (given[childOf.by] as string)
  const parent = parentKey === undefined ? undefined : existing.parents.get(parentKey)
  const isHidden = parent !== undefined && !existing.visible.has(parentKey!)
  const isDeletedSince = isHidden && !given.deleted && !added.created.get(childOf!.parent.table)?.has(parentKey!)
  if (isDeletedSince || (childOf && added.skipped.get(childOf.parent.table)?.has(parentKey!))) return put(added.skipped, resource, key)
  const child = resource.complete({ ...resource.seedDefaults, ...given }, parent)
  if (added.isJudged) await assertChild(transaction, resource, child, parent)
  const created = await transaction.insert(resource, child, isHidden)
  if (!created) throw takenId('accounts', `${table}.${resource.key}`, key)
  existing.records.set(key, created)
  put(added.created, resource, key)
  if (!isHidden) await addBrought(transaction, resource, created, added)
}

/** The parent of a record that names none: the only one that the seed has. */
function onlyParent({ childOf }: AnyResource, { seeded }: AddedChildren): Record<string, string> {
  const [only, second] = seeded.get(childOf?.parent.table ?? '') ?? []
  return childOf && only !== undefined && second === undefined ? { [childOf.by]: only } : {}
}

/** Adds the records of one resource that an account of a seed has and the database lacks. */
export async function addChildren(
  transaction: AccountTransaction,
  resource: AnyResource,
  seeded: readonly SeedChild[],
  added: AddedChildren,
) {
  const { key, keyWord, table } = resource
  const derivedId = createDerivedIds([added.accountId, table], keyWord)
  const storedOf = storedFields(resource)
  const parent = onlyParent(resource, added)
  const keyed = (given: SeedChild) => {
    const value = fieldOf(given, key) ?? derivedId(given)
    if (value === undefined) throw invalidSeed('accounts', `${table}.${key}`, '', 'is missing')
    return storedOf({ ...parent, ...given, [key]: value })
  }
  for (let from = 0; from < seeded.length; from += BATCH) {
    const batch = seeded.slice(from, from + BATCH).map(keyed)
    for (const child of batch) put(added.seeded, resource, keyOf(resource, child))
    const existing = await existingFor(transaction, resource, batch)
    for (const child of batch) await addChild(transaction, resource, child, existing, added)
    await endOfTurn()
  }
}
