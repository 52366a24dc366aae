import type { AccountTransaction, Records, StoredRecord } from '../../storage/records.ts'
import type { Caller } from '../declare/auth.ts'
import { accountNotFound, adsProblem } from '../declare/problem.ts'
import type { AnyResource, Resource } from './resource.ts'

/** Who calls for an account. */
export interface OfAccount extends Caller {
  accountId: string
  user: { id: string }
}

export interface RecordServices {
  records: Records
  now: () => number
}

/** Runs a transaction on the caller's account; no other change of the account runs at the same time. Throws 403 if it was deleted meanwhile. */
export const changeAccount = <T>(
  { accountId, user }: OfAccount,
  { records, now }: RecordServices,
  run: (transaction: AccountTransaction) => Promise<T>,
): Promise<T> =>
  records.change(accountId, { userId: user.id, nowMs: now() }, async (transaction) => {
    if (transaction.isClosed) throw accountNotFound(accountId)
    return run(transaction)
  })

/** A record of the account being changed. Throws 404 if there is none, naming the parameter if the id came in one. */
export async function mustGet<R extends StoredRecord>(
  transaction: Pick<AccountTransaction, 'get'>,
  resource: Resource<R>,
  id: string,
  parameter?: string,
): Promise<R> {
  const record = await transaction.get(resource, id)
  if (!record) throw resource.absent(id, parameter)
  return record
}

/**
 * Inserts a record; missing fields get defaults. Throws 404 if its parent does not exist, naming the parameter, and 400 if its key is one
 * that the client chose and that exists.
 */
export async function mustInsert<R extends StoredRecord>(
  transaction: AccountTransaction,
  resource: Resource<R>,
  given: Record<string, unknown>,
): Promise<R> {
  const { childOf, title, key, keyUniqueIn } = resource
  const parent = childOf && (await mustGet(transaction, childOf.parent as AnyResource, given[childOf.by] as string, childOf.by))
  const inserted = await transaction.insert(resource, resource.complete(given, parent))
  if (inserted) return inserted
  if (keyUniqueIn === 'scope') throw adsProblem('INVALID', `${title} ${given[key]} exists already`, key)
  throw new Error(`the generated id of a new ${title} is already in use`)
}
