import { isDeepStrictEqual } from 'node:util'
import type { AccountTransaction, ChangeBy, Records, StoredRecord } from '../../storage/records.ts'
import { adsId } from '../declare/ads-words.ts'
import type { Caller } from '../declare/auth.ts'
import type { DeferredErrors } from '../declare/deferred-errors.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { accountNotFound, adsError } from '../declare/problem.ts'
import { type Rule, sentenceOf } from '../declare/rules.ts'
import { boolean, optional, type Params } from '../declare/words.ts'
import { type AdsDeclaration, adsEndpoint } from './ads-endpoint.ts'
import type { AnyResource, Resource } from './resource.ts'
import { show } from './show.ts'

/** Who calls for an account. */
export interface OfAccount extends Caller {
  accountId: string
  user: { id: string }
}

export interface RecordServices {
  records: Records
  now: () => number
}

type Declared<C extends Caller, AuthServices> = Pick<
  AdsDeclaration<Params, C, AuthServices, never>,
  'name' | 'route' | 'section' | 'summary' | 'description' | 'auth' | 'sandboxOnly'
>

/** The last placeholder of a route: the key of the record. */
const lastId = (route: string) => route.slice(route.lastIndexOf(':') + 1)

/** The placeholders of a route: the key of the record, and ids. */
const pathIds = (route: string, { keyWord }: AnyResource): Params => ({
  ...Object.fromEntries([...route.matchAll(/:(\w+)/g)].map(([, name]) => [name, adsId()])),
  [lastId(route)]: keyWord,
})

/** Changes something of the caller's account, and of nobody else's at the same time. Throws 403 when it was deleted meanwhile. */
export const changing = <T>(
  { accountId, user }: OfAccount,
  { records, now }: RecordServices,
  run: (transaction: AccountTransaction) => Promise<T>,
): Promise<T> =>
  records.change(accountId, { userId: user.id, nowMs: now() } satisfies ChangeBy, async (transaction) => {
    if (transaction.isClosed) throw accountNotFound(accountId)
    return run(transaction)
  })

/** A record of the account being changed. Throws 404 when there is none, naming the parameter if the id came in one. */
export async function mustGet<R extends StoredRecord>(
  transaction: Pick<AccountTransaction, 'get'>,
  kind: Resource<R>,
  id: string,
  parameter?: string,
): Promise<R> {
  const record = await transaction.get(kind, id)
  if (!record) throw kind.absent(id, parameter)
  return record
}

/** What a new record is a part of. Throws 404 when there is no such thing, naming the parameter. */
async function parentOf(
  transaction: AccountTransaction,
  { childOf }: AnyResource,
  given: Record<string, unknown>,
): Promise<object | undefined> {
  return childOf && mustGet(transaction, childOf.parent as AnyResource, given[childOf.by] as string, childOf.by)
}

/** Makes a record from what is given; the rest follows. Undefined when its id is taken. */
export async function insertNew<R extends StoredRecord>(
  transaction: AccountTransaction,
  kind: Resource<R>,
  given: Record<string, unknown>,
): Promise<R | undefined> {
  const record = kind.complete(given, await parentOf(transaction, kind, given))
  return transaction.insert(kind, record)
}

/** Makes a record with an id of its own. */
export async function mustInsert<R extends StoredRecord>(
  transaction: AccountTransaction,
  kind: Resource<R>,
  given: Record<string, unknown>,
): Promise<R> {
  const made = await insertNew(transaction, kind, given)
  if (!made) throw new Error(`the id of a new ${kind.title} is taken`)
  return made
}

/** One record by its id (§4.4): 404 for one that was deleted, unless `with_deleted` is true. */
export const getEndpoint = <C extends OfAccount, AuthServices>(
  got: AnyResource,
  declared: Declared<C, AuthServices>,
): Endpoint<AuthServices & RecordServices> =>
  adsEndpoint({
    ...declared,
    params: { ...pathIds(declared.route, got), with_deleted: optional(boolean()) } as Params,
    data: got.schema,
    async handle({ params, caller }, services: RecordServices) {
      const id = (params as Record<string, string>)[lastId(declared.route)]!
      const { accountId } = caller as C
      const record = await services.records.get(got, accountId, id, (params as { with_deleted?: boolean }).with_deleted)
      if (!record) throw got.absent(id)
      return { data: await show(got, record, accountId, services) }
    },
  }) as never

/** Deletes one record (§3): it is answered with `deleted` true; a second time it is 404. `before` throws for one that cannot be deleted. */
export const deleteEndpoint = <R extends StoredRecord, C extends OfAccount, AuthServices>(
  deleted: Resource<R>,
  { before, ...declared }: Declared<C, AuthServices> & { before?(transaction: AccountTransaction, record: R): Promise<void> },
): Endpoint<AuthServices & RecordServices> =>
  adsEndpoint({
    ...declared,
    params: pathIds(declared.route, deleted),
    data: deleted.schema,
    async handle({ params, caller }, services: RecordServices) {
      const id = (params as Record<string, string>)[lastId(declared.route)]!
      const record = await changing(caller as C, services, async (transaction) => {
        const existing = await mustGet(transaction, deleted, id)
        await before?.(transaction, existing)
        return transaction.remove(deleted, existing)
      })
      return { data: await show(deleted, record, (caller as C).accountId, services) }
    },
  }) as never

/** Whether a field is given another value than it has: clients send whole things back. */
export const changesOf =
  <R extends object>(existing: R, given: Partial<R>) =>
  (field: keyof R): boolean =>
    field in given && !isDeepStrictEqual(given[field], existing[field])

/** Throws 400 with every mistake and every rule that a change would break. What stands keeps nothing else from being changed. */
export function assertRules<R extends object>(rules: readonly Rule[], existing: R, given: Partial<R>, deferred: DeferredErrors) {
  const changes = changesOf(existing, given)
  const { areRight, throwWith } = deferred.against(existing)
  const isBroken = ({ parameters, holds }: Rule) =>
    (parameters as (keyof R)[]).some(changes) && areRight(parameters) && !holds({ ...existing, ...given })
  const plainly = (name: string) => name
  throwWith(rules.filter(isBroken).map((rule) => adsError(rule.code ?? 'INVALID', sentenceOf(rule, plainly), rule.parameters[0])))
}
