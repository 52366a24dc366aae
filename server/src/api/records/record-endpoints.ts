import { isDeepStrictEqual } from 'node:util'
import type { Ids } from '../../lib/ids.ts'
import type { AccountTransaction, StoredRecord } from '../../storage/records.ts'
import { adsId } from '../declare/ads-words.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { adsError } from '../declare/problem.ts'
import { type DeferredErrors, type Rule, sentenceOf } from '../declare/rules.ts'
import { boolean, optional, type Params, type ParamsOf, type TSchema } from '../declare/words.ts'
import { mustGet, mustInsert, type OfAccount, type RecordServices } from './account-changes.ts'
import { type AdsDeclaration, adsEndpoint } from './ads-endpoint.ts'
import { type ChangeEndpoint, type ChangeInput, changeEndpoint } from './change-endpoint.ts'
import type { AnyResource, Resource } from './resource.ts'
import { show } from './show.ts'

/** Whether a field is given a value that differs from its present one. Clients send whole records back. */
export const isChanged = <R extends object>(existing: R, given: Partial<R>, field: keyof R): boolean =>
  field in given && !isDeepStrictEqual(given[field], existing[field])

/**
 * Throws 400 with every invalid parameter and every rule that a change would break. A rule is checked when one of its fields changes: an
 * invalid value that was there before keeps no other field from being changed.
 */
export function assertRules<R extends object>(rules: readonly Rule[], existing: R, given: Partial<R>, deferred: DeferredErrors) {
  const { areValid, throwWith } = deferred.against(existing)
  const isBroken = ({ parameters, holds }: Rule) =>
    parameters.some((field) => isChanged(existing, given, field as keyof R)) && areValid(parameters) && !holds({ ...existing, ...given })
  const plainly = (name: string) => name
  throwWith(rules.filter(isBroken).map((rule) => adsError(rule.code ?? 'INVALID', sentenceOf(rule, plainly), rule.parameters[0])))
}

/** What every endpoint of a record declares itself. */
type Declared<C extends OfAccount, AuthServices> = Pick<
  AdsDeclaration<Params, C, AuthServices, never>,
  'name' | 'route' | 'section' | 'summary' | 'description' | 'auth' | 'sandboxOnly'
>

const pathNames = (route: string): string[] => [...route.matchAll(/:(\w+)/g)].map(([, name]) => name!)

/** The parameters in the path: ids, of which the last is the key of the record. */
function pathParams(route: string, { key, keyWord }: AnyResource): Params {
  const names = pathNames(route)
  const ids = names.map((name) => [name, adsId()])
  return { ...Object.fromEntries(ids), ...(key !== 'id' && names.includes(key) && { [key]: keyWord }) }
}

/** The key of the record: the last placeholder of the route. */
const keyIn = (params: object, route: string) => (params as Record<string, string>)[pathNames(route).at(-1)!]!

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
    rateLimit: resource.rateLimit,
    params: { ...pathParams(declared.route, resource), with_deleted: optional(boolean()) },
    data: resource.schema,
    async handle({ params, caller: { accountId } }, services) {
      const key = keyIn(params, declared.route)
      const record = await services.records.get(resource, accountId, key, params.with_deleted as boolean | undefined)
      if (!record) throw resource.absent(key)
      return { data: await show(resource, record, accountId, services) }
    },
  })

/** Creates one record, with a new id unless the client sends the key. */
export const createEndpoint = <
  R extends StoredRecord,
  F extends Params,
  P extends Params,
  C extends OfAccount,
  AuthServices,
  Services extends object = object,
>(
  resource: Resource<R, F>,
  {
    params,
    check,
    before,
    ...declared
  }: Declared<C, AuthServices> & {
    /** The fields that a client sends. */
    params: P
    rules?: readonly Rule[]
    /** Throws for a record that must not be created, by what other accounts and services say; else resolves to what is given. Runs before the transaction. */
    check?(given: ParamsOf<P>, caller: C, services: Services & RecordServices): Promise<ParamsOf<P>>
    /** Throws for a record that must not be created. Runs in the transaction that creates it. */
    before?(transaction: AccountTransaction, given: ParamsOf<P>, nowMs: number): Promise<void>
  },
): ChangeEndpoint<AuthServices & Services & RecordServices & { ids: Ids }> =>
  changeEndpoint<Params, C, AuthServices, Services & RecordServices & { ids: Ids }>(resource, {
    ...declared,
    params: { ...pathParams(declared.route, resource), ...params },
    ...(check && {
      async prepare({ params, caller }: ChangeInput<ParamsOf<Params>, C>, services: Services & RecordServices) {
        const given = fieldsIn(params, declared.route) as ParamsOf<P>
        return { ...params, ...(await check(given, caller, services)) } as ParamsOf<Params>
      },
    }),
    async change(transaction, { params }, services) {
      const given = fieldsIn(params, declared.route)
      await before?.(transaction, given as ParamsOf<P>, services.now())
      return mustInsert(transaction, resource, resource.key in given ? given : { ...given, [resource.key]: services.ids.nextBase36() })
    },
  })

/** Changes one record. Fields that are not sent keep their values. */
export const updateEndpoint = <R extends StoredRecord, F extends Params, C extends OfAccount, AuthServices>(
  resource: Resource<R, F>,
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
    before?(transaction: AccountTransaction, existing: R, changes: Partial<R>): Promise<void>
  },
): ChangeEndpoint<AuthServices & RecordServices> =>
  changeEndpoint<Params, C, AuthServices, RecordServices>(resource, {
    ...declared,
    params: { ...pathParams(declared.route, resource), ...(params as Params) },
    ...(deferredRules && { deferredRules }),
    async change(transaction, { params, deferred }) {
      const changes = fieldsIn(params, declared.route) as Partial<R>
      const existing = await mustGet(transaction, resource, keyIn(params, declared.route))
      if (deferredRules) assertRules(deferredRules, existing, changes, deferred)
      await before?.(transaction, existing, changes)
      return transaction.update(resource, existing, changes)
    },
  })

/** Deletes one record (§3) and answers it with `deleted` true; a second time it answers 404. */
export const deleteEndpoint = <
  R extends StoredRecord,
  F extends Params,
  C extends OfAccount,
  AuthServices,
  Services extends object = object,
>(
  resource: Resource<R, F>,
  {
    before,
    after,
    ...declared
  }: Declared<C, AuthServices> & {
    /** Throws for a record that must not be deleted. Runs in the transaction that deletes it. */
    before?(transaction: AccountTransaction, existing: R): Promise<void>
    /** Runs once the record is deleted, before the answer. */
    after?(deleted: R, services: Services & RecordServices): Promise<void>
  },
): ChangeEndpoint<AuthServices & Services & RecordServices> =>
  changeEndpoint<Params, C, AuthServices, Services & RecordServices>(resource, {
    ...declared,
    params: pathParams(declared.route, resource),
    async change(transaction, { params }) {
      const existing = await mustGet(transaction, resource, keyIn(params, declared.route))
      await before?.(transaction, existing)
      return transaction.remove(resource, existing)
    },
    ...(after && { after: (deleted: StoredRecord, services: Services & RecordServices) => after(deleted as R, services) }),
  })
