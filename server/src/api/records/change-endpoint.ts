import type { AccountTransaction, StoredRecord } from '../../storage/records.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { DeferredErrors } from '../declare/rules.ts'
import type { Params, ParamsOf } from '../declare/words.ts'
import { changeAccount, type OfAccount, type RecordServices } from './account-changes.ts'
import { type AdsDeclaration, adsEndpoint } from './ads-endpoint.ts'
import type { AnyResource } from './resource.ts'
import { show } from './show.ts'

/** What a change of a record is given, from a request or from an operation of a batch. */
export interface ChangeInput<P = Record<string, unknown>, C extends OfAccount = OfAccount> {
  params: P
  deferred: DeferredErrors
  caller: C
}

/** The change of one record that an endpoint makes: its own request in a transaction of its own, a batch with others in one. */
export interface RecordChange<P, C extends OfAccount, Services> {
  /** Throws for a change that must not be made, before the transaction; resolves to the parameters with which it is made. */
  prepare?(input: ChangeInput<P, C>, services: Services): Promise<P>
  change(transaction: AccountTransaction, input: ChangeInput<P, C>, services: Services): Promise<StoredRecord>
  /** Runs once the change is committed, before the answer. */
  after?(record: StoredRecord, services: Services): Promise<void>
}

/** An endpoint that changes one record, and the change itself. */
export interface ChangeEndpoint<in Services = never> extends Endpoint<Services> {
  resource: AnyResource
  recordChange: RecordChange<Record<string, unknown>, OfAccount, Services>
}

type ChangeDeclaration<P extends Params, C extends OfAccount, AuthServices, Services> = Omit<
  AdsDeclaration<P, C, AuthServices, Services>,
  'data' | 'handle' | 'isList'
> &
  RecordChange<ParamsOf<P>, C, Services>

/** Declares an endpoint that changes one record of an account and answers it. */
export function changeEndpoint<P extends Params, C extends OfAccount, AuthServices, Services>(
  resource: AnyResource,
  { prepare, change, after, ...declared }: ChangeDeclaration<P, C, AuthServices, Services & RecordServices>,
): ChangeEndpoint<AuthServices & Services & RecordServices> {
  const made = adsEndpoint<P, C, AuthServices, Services & RecordServices>({
    ...(declared as unknown as Omit<AdsDeclaration<P, C, AuthServices, Services & RecordServices>, 'data' | 'handle'>),
    data: resource.schema,
    async handle({ params, deferred, caller }, services) {
      const input = { params, deferred, caller }
      if (prepare) input.params = await prepare(input, services)
      const record = await changeAccount(caller, services, (transaction) => change(transaction, input, services))
      await after?.(record, services)
      return { data: await show(resource, record, caller.accountId, services) }
    },
  })
  const recordChange = { prepare, change, after } as unknown as ChangeEndpoint<AuthServices & Services & RecordServices>['recordChange']
  return { ...made, resource, recordChange }
}
