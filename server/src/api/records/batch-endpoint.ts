import { readExactJson } from '../../lib/numbers.ts'
import type { StoredRecord } from '../../storage/records.ts'
import { adsId } from '../declare/ads-words.ts'
import type { Auth } from '../declare/auth.ts'
import { type Endpoint, endpoint } from '../declare/endpoint.ts'
import { adsError, adsErrorOf, type ErrorDetail, invalidRequest, Problem } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { anyObject, listOf, object, oneOf, type TSchema, text } from '../declare/words.ts'
import { adsPolicy } from '../read/ads-policy.ts'
import { hasBody } from '../read/body.ts'
import { parseJson } from '../read/json.ts'
import { compileOperation, type ReadParameters } from '../read/parameters.ts'
import { completeProblem } from '../read/reader.ts'
import { changeAccount, type OfAccount, type RecordServices } from './account-changes.ts'
import type { ChangeEndpoint, ChangeInput } from './change-endpoint.ts'
import { showAll } from './show.ts'

/** A full batch of ordinary operations has a quarter of it. */
const MAX_BODY_BYTES = 1024 * 1024

export const operationTypes = ['Create', 'Update', 'Delete'] as const

type OperationType = (typeof operationTypes)[number]

/** The endpoints whose changes a batch can make, by the types of its operations. */
type Changes<Services> = { readonly [Type in OperationType]?: ChangeEndpoint<Services> } & { readonly Create: ChangeEndpoint<Services> }

interface BatchDeclaration<Services> {
  name: string
  route: `POST /12/batch/accounts/:account_id/${string}`
  section: string
  summary: string
  /** The most operations of a batch. */
  max: number
  changes: Changes<Services>
}

/** An operation as it came. */
type Sent = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Sent => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The operations of a body. Throws 400 for what is wrong with the request as a whole (§7). */
function readOperations(request: RawRequest, max: number): unknown[] {
  const refuse = (message: string) => invalidRequest([{ message }])
  const operations = hasBody(request) ? parseJson(request.body!, { parse: readExactJson }) : undefined
  if (!Array.isArray(operations)) throw refuse('Expected a list of operations as the request body')
  if (operations.length === 0) throw refuse('Expected at least one operation in the request body')
  if (operations.length > max) throw refuse(`Expected at most ${max} operations in a request, got ${operations.length}`)
  return operations
}

/** What is wrong with an operation before its parameters are looked at. */
function errorsOfShape(operation: unknown, types: readonly string[]): ErrorDetail[] {
  if (!isObject(operation)) return [adsError('INVALID_PARAMETER', 'Expected an object with operation_type and params as an operation')]
  const { operation_type: type, params } = operation
  const missing = (name: string) => adsError('MISSING_PARAMETER', `"${name}" is a required parameter`, name)
  const invalid = (name: string, expected: string) => adsError('INVALID_PARAMETER', `Expected ${expected} for ${name}`, name)
  return [
    ...(type === undefined ? [missing('operation_type')] : []),
    ...(type === undefined || types.includes(type as string) ? [] : [invalid('operation_type', `a value in ${types.join(', ')}`)]),
    ...(params === undefined ? [missing('params')] : []),
    ...(params === undefined || isObject(params) ? [] : [invalid('params', 'an object')]),
  ]
}

const paramsOf = (operation: unknown): Sent => (isObject(operation) && isObject(operation.params) ? operation.params : {})

/** An operation as an answer repeats it (public practice). */
const repeated = (operation: unknown, accountId: string) => ({
  params: { ...paramsOf(operation), account_id: accountId },
  ...(isObject(operation) && operation.operation_type !== undefined && { operation_type: operation.operation_type }),
})

/** An operation that is to be made, or what is wrong with it. */
interface Operation<Services> {
  errors: readonly ErrorDetail[]
  kind: Problem['kind']
  read?: ReadParameters
  input?: ChangeInput
  change?: ChangeEndpoint<Services>['recordChange']
}

const NO_ERROR = { errors: [], kind: 'invalid-request' } as const

/** Runs a step of an operation; what is wrong with it is kept, anything else is thrown. */
async function attempt<Services, T>(operation: Operation<Services>, step: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { kind, members } = operation.read ? completeProblem(error, operation.read, adsPolicy) : error
    operation.kind = kind
    operation.errors = members.errors ?? [{ message: members.detail ?? error.message }]
    return undefined
  }
}

/** The schema of one kind of operation. */
const operationSchema = (type: string, { params }: Pick<Endpoint, 'params'>): TSchema => {
  const { account_id: _, ...own } = params
  // What is not known is ignored, as it is by the endpoint for one record.
  return object({ operation_type: oneOf([type]), params: { ...object(own), additionalProperties: true } as TSchema })
}

/**
 * Declares an endpoint that makes many changes to records of one resource: all of them in one transaction, or none (§7). Each operation is
 * read and judged as its own endpoint would do it, and sees what operations before it did. All that is wrong is answered at once, by
 * operation. Names and rules of parameters stand in the endpoints of the changes alone.
 */
export function batchEndpoint<Services>({ max, changes, ...declared }: BatchDeclaration<Services>): Endpoint<Services & RecordServices> {
  const types = operationTypes.filter((type) => changes[type])
  const { resource, auth, example } = changes.Create
  const readers = new Map(types.map((type) => [type as string, lazyReader(changes[type]!)]))
  const { account_id: _, ...params } = example

  /** Reads one operation. Whatever its parameters say, the account is that of the path. */
  async function read(sent: unknown, caller: OfAccount, services: Services): Promise<Operation<Services>> {
    const operation: Operation<Services> = { ...NO_ERROR, errors: errorsOfShape(sent, types) }
    if (operation.errors.length > 0) return operation
    const type = (sent as Sent).operation_type as OperationType
    await attempt(operation, async () => {
      operation.read = readers.get(type)!({ ...paramsOf(sent), account_id: caller.accountId }, caller)
      operation.change = changes[type]!.recordChange
      const input = { params: operation.read.params, deferred: operation.read.deferred, caller }
      operation.input = input
      if (operation.change.prepare) input.params = await operation.change.prepare(input, services)
    })
    return operation
  }

  return endpoint({
    ...declared,
    description:
      `At most ${max} operations, ${types.join(', ')}; their \`params\` are those of the endpoint for one record, with the id of an existing record ` +
      'among them. All operations succeed or none: `operation_errors` then has a list of errors for each operation, in their order. ' +
      'An operation sees what those before it changed. Values may be written as JSON or, as in a query, as text.',
    auth: auth as Auth<OfAccount, Services>,
    bodyLimitBytes: MAX_BODY_BYTES,
    params: { account_id: adsId() },
    rawBody: {
      schema: listOf({ anyOf: types.map((type) => operationSchema(type, changes[type]!)) } as TSchema, { min: 1, max }),
      example: [{ operation_type: 'Create', params }],
    },
    answer: object({
      request: listOf(object({ params: anyObject(), operation_type: text() })),
      data: resource.list,
    }) as TSchema,
    async handle({ caller, request, giveWay }, services: Services & RecordServices) {
      const sent = readOperations(request, max)
      const echo = sent.map((operation) => repeated(operation, request.pathParams.account_id!))
      const operations: Operation<Services>[] = []
      for (const one of sent) {
        operations.push(await read(one, caller, services))
        await giveWay()
      }
      const assertRight = () => {
        if (operations.every(({ errors }) => errors.length === 0)) return
        const errors = operations.map(({ errors, kind }) => errors.map((error) => adsErrorOf(error, kind)))
        throw new Problem('invalid-request', { operation_errors: errors, request: echo })
      }
      if (operations.every(({ errors }) => errors.length > 0)) assertRight()
      const records = await changeAccount(caller, services, async (transaction) => {
        const changed: StoredRecord[] = []
        for (const operation of operations) {
          const { change, input, errors } = operation
          if (errors.length > 0 || !change || !input) continue
          const record = await attempt(operation, () => change.change(transaction, input, services))
          if (record) changed.push(record)
          // On SQLite other writes wait for this transaction, and it for their apps' reads.
          await giveWay()
        }
        assertRight()
        return changed
      })
      for (const [place, { change }] of operations.entries()) {
        await change?.after?.(records[place]!, services)
        await giveWay()
      }
      return { request: echo, data: await showAll(resource, records, caller.accountId, services) }
    },
  }) as unknown as Endpoint<Services & RecordServices>
}

/** Compiled with the first operation, as endpoints are: all at once would delay the start. */
function lazyReader<Services>(change: ChangeEndpoint<Services>) {
  let reader: ReturnType<typeof compileOperation> | undefined
  return (members: Sent, caller: OfAccount) => {
    reader ??= compileOperation(change as Endpoint, adsPolicy)
    return reader(members, caller)
  }
}
