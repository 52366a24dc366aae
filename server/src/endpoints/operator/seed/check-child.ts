import type { AnyResource } from '../../../api/records/resource.ts'
import { type AccountTransaction, columnsOf, fieldOf, type NewRecord, type StoredRecord } from '../../../storage/records.ts'
import { invalidSeed } from './invalid-seed.ts'

type Child = NewRecord<StoredRecord>

/** Fields that a record is inserted with whatever a seed says. */
const automatic = ({ scope }: AnyResource) => [scope, 'created_at', 'updated_at', 'deleted']

/** A required field without a value. */
function missingField(resource: AnyResource, child: Child): string | undefined {
  const required = Object.entries(columnsOf(resource)).flatMap(([field, { nullable }]) => (nullable ? [] : [field]))
  return [resource.key, ...required].find((field) => !automatic(resource).includes(field) && fieldOf(child, field) === undefined)
}

/** Throws `invalid-request` for a record of a seed that its account cannot have. */
export async function assertChild(transaction: AccountTransaction, resource: AnyResource, child: Child, parent: StoredRecord | undefined) {
  const { table, childOf, inherits, seedRules } = resource
  const refuse = (field: string, what: string) => invalidSeed('accounts', `${table}.${field}`, String(fieldOf(child, field) ?? ''), what)
  if (childOf && fieldOf(child, childOf.by) !== undefined && !parent) throw refuse(childOf.by, 'is not a record of this account')
  const missing = missingField(resource, child)
  if (missing !== undefined) throw refuse(missing, 'is missing')
  const other = inherits.find((field) => fieldOf(child, field) !== (parent && fieldOf(parent, field)))
  if (other !== undefined) throw refuse(other, `does not match its parent in ${childOf!.parent.table}`)
  const count = (equal: Readonly<Record<string, unknown>>) => transaction.count(resource, equal)
  const record = { ...child, created_at: '', updated_at: '', deleted: child.deleted ?? false }
  for (const { field, message, holds } of seedRules) if (!(await holds(record, count))) throw refuse(field, message)
}
