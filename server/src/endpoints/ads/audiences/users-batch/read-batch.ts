import { createHash } from 'node:crypto'
import type { AdsCode } from '../../../../api/declare/codes.ts'
import { type DialectName, dialects } from '../../../../api/declare/dialect.ts'
import { malformedRequest, Problem } from '../../../../api/declare/problem.ts'
import { listFrame, slicesOf } from '../../../../api/read/cut-list.ts'
import { parseJson } from '../../../../api/read/json.ts'
import { createPacker, IDENTIFIER_BYTES, type IdentifierKind, identifierKinds } from '../../../../storage/memberships/packed-batch.ts'
import { type BatchKind, type BatchRules, batchRules, MAX_IDENTIFIERS, MAX_IDENTIFIERS_OF_USER, MAX_OPERATIONS } from './batch-rules.ts'
import { expected, invalid, missing, type OperationError, readTimes } from './operation-times.ts'

const HASH_BYTES = IDENTIFIER_BYTES - 1
const HEX_DIGITS = HASH_BYTES * 2

/** What is hashed, in its normal form (§4.6, public practice). */
const hashedForms = {
  email: 'the email address, trimmed and in lower case',
  device_id: 'the device id: an IDFA in lower case with dashes, an Android id in lower case without',
  handle: 'the handle without @, trimmed and in lower case',
  service_id: 'the user id in digits',
  phone_number: 'the phone number in digits, with the country code',
} as const satisfies Partial<Record<IdentifierKind, string>>

type HashedKind = keyof typeof hashedForms

const isHashed = (kind: IdentifierKind): kind is HashedKind => kind in hashedForms

/** Both spellings of the dialects are read. */
const spellings: Record<string, IdentifierKind> = {
  ...Object.fromEntries(Object.keys(identifierKinds).map((kind) => [kind, kind as IdentifierKind])),
  twitter_id: 'service_id',
}

/** The kind of identifier that a key of a user names, of those that an endpoint takes. */
const kindOf = (key: string, taken: readonly IdentifierKind[]): IdentifierKind | undefined => {
  const kind = Object.hasOwn(spellings, key) ? spellings[key] : undefined
  return kind && taken.includes(kind) ? kind : undefined
}

/** What a value of a kind must be, for a message. */
const expectationOf = (kind: IdentifierKind): string =>
  isHashed(kind) ? `the SHA-256 of ${hashedForms[kind]}, as ${HEX_DIGITS} hex digits` : 'a text that is not empty'

/** Writes the 32 bytes of an identifier: a hash as it came, in either case; the hash of what comes as it is. False for what is neither. */
function writeIdentifier(kind: IdentifierKind, value: unknown, bytes: Buffer, at: number): boolean {
  if (typeof value !== 'string') return false
  if (isHashed(kind)) return value.length === HEX_DIGITS && bytes.write(value, at, 'hex') === HASH_BYTES
  if (value === '') return false
  createHash('sha256').update(value).digest().copy(bytes, at)
  return true
}

type Members = Record<string, unknown>
type Packer = ReturnType<typeof createPacker>

/** An operation as an answer repeats it: as it was sent, without its users. */
export interface RepeatedOperation {
  operation_type?: unknown
  params: Members
}

/** What a batch is read by. */
export interface BatchTerms {
  kind: BatchKind
  dialect: DialectName
  nowMs: number
}

/** A batch without errors, packed, or what is wrong: with the request, or with operations. */
export type ReadBatch = { operations: RepeatedOperation[] } & (
  | { packed: ArrayBuffer; users: number }
  | { requestErrors: { code: AdsCode; message: string }[] }
  | { operationErrors: OperationError[][] }
)

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value)

const operationTypes: readonly unknown[] = ['Update', 'Delete']

/** How a batch is read. */
interface Reading {
  rules: BatchRules
  /** The keys of a user, as messages name them. */
  keys: string
  packer: Packer
  nowMs: number
}

/** Reads the identifiers of one key of a user. Returns the first error. Throws a Problem for too many in the request. */
function readIdentifiers(key: string, values: unknown, place: string, { rules, keys, packer }: Reading): OperationError | undefined {
  const kind = kindOf(key, rules.kinds)
  if (!kind) return invalid(key, `A user has no ${JSON.stringify(key.slice(0, 100))}: expected one of ${keys} at ${place}`)
  if (values === null) return undefined
  if (!Array.isArray(values)) return invalid(key, `Expected a list of texts for ${place}.${key}`)
  for (const [index, value] of values.entries()) {
    if (packer.identifiersOfUser() === MAX_IDENTIFIERS_OF_USER)
      return invalid(key, `A user has at most ${MAX_IDENTIFIERS_OF_USER} identifiers in an operation: ${place}.${key}.${index} is one more`)
    if (packer.identifiers() === MAX_IDENTIFIERS)
      throw malformedRequest([{ message: `Expected at most ${MAX_IDENTIFIERS} identifiers in a request` }])
    const { bytes, at } = packer.offsetFor(identifierKinds[kind])
    if (!writeIdentifier(kind, value, bytes, at)) return invalid(key, `Expected ${expectationOf(kind)}, for ${place}.${key}.${index}`)
    packer.keep()
  }
  return undefined
}

/** Reads the users of an operation; of each key the first error. */
function readUsers(users: unknown, reading: Reading): OperationError[] {
  const { packer, keys } = reading
  if (users === undefined || users === null) return [missing('users', 'params.users')]
  if (!Array.isArray(users) || users.length === 0) return [invalid('users', 'Expected a list of at least one user for params.users')]
  const errors = new Map<string, OperationError>()
  const note = (error: OperationError | undefined) => {
    if (error && !errors.has(error.parameter) && errors.size < 10) errors.set(error.parameter, error)
  }
  for (const [index, user] of users.entries()) {
    const place = `params.users.${index}`
    if (!isObject(user)) {
      note(invalid('users', `Expected an object for ${place}`))
      continue
    }
    packer.beginUser()
    let isWrong = false
    for (const key in user) {
      const error = readIdentifiers(key, user[key], place, reading)
      note(error)
      isWrong ||= error !== undefined
    }
    if (!isWrong && packer.identifiersOfUser() === 0) note(invalid('users', `Expected at least one identifier for ${place}: ${keys}`))
  }
  return [...errors.values()]
}

/** What an answer repeats besides what operations have usually: more than this would hold up the event loop, which writes it. */
const MOST_REPEATED = 16 * 1024
/** So much of each operation counts for nothing: its type and its end. */
const USUALLY_REPEATED = 128

/** Counts what an answer repeats. Throws a Problem for too much. */
function createRepeater() {
  const operations: RepeatedOperation[] = []
  let left = MOST_REPEATED
  return {
    operations,
    add(operation: unknown) {
      const repeated = repeatedOf(operation)
      left -= Math.max(0, JSON.stringify(repeated).length - USUALLY_REPEATED)
      if (left < 0)
        throw malformedRequest([{ message: `Expected at most ${MOST_REPEATED} characters besides users and times in a request` }])
      operations.push(repeated)
    },
  }
}

/** An operation without its users, who may be people's addresses. */
function repeatedOf(operation: unknown): RepeatedOperation {
  if (!isObject(operation)) return { params: {} }
  const { operation_type, params } = operation
  const { users: _, ...rest } = isObject(params) ? params : {}
  return { params: rest, ...(operation_type !== undefined && { operation_type }) }
}

/** Reads an operation into the packer, and returns its errors. */
function readOperation(operation: unknown, reading: Reading): OperationError[] {
  if (!isObject(operation)) return [invalid('operation_type', 'Expected an object with operation_type and params')]
  const { operation_type = null, params = null } = operation
  const typeErrors = operation_type === null ? [missing('operation_type')] : []
  if (operation_type !== null && !operationTypes.includes(operation_type))
    typeErrors.push(expected('operation_type', 'a value in Update, Delete', operation_type))
  if (!isObject(params)) return [...typeErrors, params === null ? missing('params') : invalid('params', 'Expected an object for params')]
  const isDeleted = operation_type === 'Delete'
  const { effective, expires, errors } = readTimes(params, isDeleted, reading.rules, reading.nowMs)
  reading.packer.beginOperation(isDeleted, effective, expires)
  return [...typeErrors, ...errors, ...readUsers(params.users, reading)]
}

/** No body that is taken has more: an operation is three of them, a user with an identifier itself and a list of each kind. */
const MOST_CONTAINERS = 3 * MAX_OPERATIONS + MAX_IDENTIFIERS * (1 + Object.keys(spellings).length)

const tooManyOperations = malformedRequest([{ message: `Expected at most ${MAX_OPERATIONS} operations in a request` }])

/** The operations of a body. Throws a Problem for a body that has none. */
function operationsIn(body: Buffer): unknown[] {
  const operations = parseJson(body, { hasSecrets: true, mostValues: Infinity, mostContainers: MOST_CONTAINERS })
  if (!Array.isArray(operations)) throw malformedRequest([{ message: 'Expected a list of operations as the request body' }])
  if (operations.length === 0) throw malformedRequest([{ message: 'Expected at least one operation in the request body' }])
  if (operations.length > MAX_OPERATIONS) throw tooManyOperations
  return operations
}

/** So much of a body is parsed at a time, so that its parsed form is never in memory as a whole. */
const SLICE_BYTES = 64 * 1024

/** The operations of a body, some at a time. Throws for a body that is no list, or has too many or none between two commas. */
function* operationsInSlices(body: Buffer): Generator<unknown[]> {
  let count = 0
  for (const slice of slicesOf(body, listFrame, SLICE_BYTES)) {
    const operations = operationsIn(slice)
    count += operations.length
    if (count > MAX_OPERATIONS) throw tooManyOperations
    yield operations
  }
}

function readOperations(parts: Iterable<unknown[]>, { kind, dialect, nowMs }: BatchTerms): ReadBatch {
  const repeater = createRepeater()
  const packer = createPacker()
  const rules = batchRules[kind]
  const reading = { rules, keys: rules.kinds.map(dialects[dialect].out).join(', '), packer, nowMs }
  const errors: OperationError[][] = []
  for (const operations of parts) {
    for (const operation of operations) {
      if (rules.isRepeated) repeater.add(operation)
      errors.push(readOperation(operation, reading))
    }
  }
  if (errors.some((found) => found.length > 0)) return { operations: repeater.operations, operationErrors: errors }
  return { operations: repeater.operations, packed: packer.finish(), users: packer.users() }
}

/** A body that is refused in slices is read as a whole, for an error that says what is wrong with it as a whole. */
function readParts(body: Buffer, terms: BatchTerms): ReadBatch {
  try {
    return readOperations(operationsInSlices(body), terms)
  } catch (error) {
    if (error === tooManyOperations) throw error
    return readOperations([operationsIn(body)], terms)
  }
}

/** Reads a batch of users (§4.6): every operation is checked, and the batch is packed if none has an error. */
export function readBatch(body: Uint8Array, terms: BatchTerms): ReadBatch {
  try {
    return readParts(Buffer.from(body.buffer, body.byteOffset, body.byteLength), terms)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const requestErrors = (error.members.errors ?? []).map(({ message }) => ({ code: 'INVALID_PARAMETER' as const, message }))
    return { operations: [], requestErrors }
  }
}
