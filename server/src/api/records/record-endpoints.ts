import type { Ids } from '../../lib/ids.ts'
import type { AccountTransaction } from '../../storage/records.ts'
import { adsId } from '../declare/ads-words.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { Rule } from '../declare/rules.ts'
import { boolean, optional, type Params, type ParamsOf, type TSchema } from '../declare/words.ts'
import { changeAccount, mustGet, mustInsert, type OfAccount, type RecordServices } from './account-changes.ts'
import { type AdsDeclaration, adsEndpoint } from './ads-endpoint.ts'
import { assertRules } from './record-rules.ts'
import type { AnyResource, RecordOf, Resource } from './resource.ts'
import { show } from './show.ts'

/** What every endpoint of a record declares itself. */
type Declared<C extends OfAccount, AuthServices> = Pick<
  AdsDeclaration<Params, C, AuthServices, never>,
  'name' | 'route' | 'section' | 'summary' | 'description' | 'auth' | 'sandboxOnly'
>

const pathNames = (route: string): string[] => [...route.matchAll(/:(\w+)/g)].map(([, name]) => name!)

const pathIds = (route: string): Params => Object.fromEntries(pathNames(route).map((name) => [name, adsId()]))

/** The id of the record: the last placeholder of the route. */
const idIn = (params: object, route: string) => (params as Record<string, string>)[pathNames(route).at(-1)!]!

/** The parameters that are fields of the record: those that are not in the path. */
const fieldsIn = (params: object, route: string): Record<string, unknown> => {
  const inPath = pathNames(route)
  return Object.fromEntries(Object.entries(params).filter(([name]) => !inPath.includes(name)))
}

/** Gets one record by its id (§4.4). Answers 404 for a deleted one, unless `with_deleted` is true. */
export const getEndpoint = <C extends OfAccount, AuthServices>(
  resource: AnyResource,
  declared: Declared<C, AuthServices>,
): Endpoint<AuthServices & RecordServices> =>
  adsEndpoint<Params, C, AuthServices, RecordServices>({
    ...declared,
    params: { ...pathIds(declared.route), with_deleted: optional(boolean()) },
    data: resource.schema,
    async handle({ params, caller: { accountId } }, services) {
      const id = idIn(params, declared.route)
      const record = await services.records.get(resource, accountId, id, params.with_deleted as boolean | undefined)
      if (!record) throw resource.absent(id)
      return { data: await show(resource, record, accountId, services) }
    },
  })

/** Creates one record with a new id. */
export const createEndpoint = <F extends Params, I extends Params, P extends Params, C extends OfAccount, AuthServices>(
  resource: Resource<F, I>,
  {
    params,
    before,
    ...declared
  }: Declared<C, AuthServices> & {
    /** The fields that a client sends. */
    params: P
    rules?: readonly Rule[]
    /** Throws for a record that must not be created. Runs in the transaction that creates it. */
    before?(transaction: AccountTransaction, given: ParamsOf<P>, nowMs: number): Promise<void>
  },
): Endpoint<AuthServices & RecordServices & { ids: Ids }> =>
  adsEndpoint<Params, C, AuthServices, RecordServices & { ids: Ids }>({
    ...declared,
    params: { ...pathIds(declared.route), ...params },
    data: resource.schema,
    async handle({ params, caller }, services) {
      const given = fieldsIn(params, declared.route)
      const record = await changeAccount(caller, services, async (transaction) => {
        await before?.(transaction, given as ParamsOf<P>, services.now())
        return mustInsert(transaction, resource, { ...given, id: services.ids.nextBase36() })
      })
      return { data: await show(resource, record, caller.accountId, services) }
    },
  })

/** Changes one record. Fields that are not sent keep their values. */
export const updateEndpoint = <F extends Params, I extends Params, C extends OfAccount, AuthServices>(
  resource: Resource<F, I>,
  {
    params,
    deferredRules,
    before,
    ...declared
  }: Declared<C, AuthServices> & {
    /** The fields that a client can change. */
    params: { readonly [Field in keyof F]?: TSchema }
    /** Rules of the record that the change would make. */
    deferredRules?: readonly Rule[]
    /** Throws for a change that must not be made. Runs in the transaction that makes it. */
    before?(transaction: AccountTransaction, existing: RecordOf<F & I>, changes: Partial<RecordOf<F & I>>): Promise<void>
  },
): Endpoint<AuthServices & RecordServices> =>
  adsEndpoint<Params, C, AuthServices, RecordServices>({
    ...declared,
    params: { ...pathIds(declared.route), ...(params as Params) },
    ...(deferredRules && { deferredRules }),
    data: resource.schema,
    async handle({ params, deferred, caller }, services) {
      const changes = fieldsIn(params, declared.route) as Partial<RecordOf<F & I>>
      const record = await changeAccount(caller, services, async (transaction) => {
        const existing = await mustGet(transaction, resource, idIn(params, declared.route))
        if (deferredRules) assertRules(deferredRules, existing, changes, deferred)
        await before?.(transaction, existing, changes)
        return transaction.update(resource, existing, changes)
      })
      return { data: await show(resource, record, caller.accountId, services) }
    },
  })

/** Deletes one record (§3) and answers it with `deleted` true; a second time it answers 404. */
export const deleteEndpoint = <F extends Params, I extends Params, C extends OfAccount, AuthServices>(
  resource: Resource<F, I>,
  {
    before,
    ...declared
  }: Declared<C, AuthServices> & {
    /** Throws for a record that must not be deleted. Runs in the transaction that deletes it. */
    before?(transaction: AccountTransaction, existing: RecordOf<F & I>): Promise<void>
  },
): Endpoint<AuthServices & RecordServices> =>
  adsEndpoint<Params, C, AuthServices, RecordServices>({
    ...declared,
    params: pathIds(declared.route),
    data: resource.schema,
    async handle({ params, caller }, services) {
      const record = await changeAccount(caller, services, async (transaction) => {
        const existing = await mustGet(transaction, resource, idIn(params, declared.route))
        await before?.(transaction, existing)
        return transaction.remove(resource, existing)
      })
      return { data: await show(resource, record, caller.accountId, services) }
    },
  })
