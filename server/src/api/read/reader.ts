import { endOfTurn } from '../../lib/clock.ts'
import type { GiveWay } from '../../lib/fair-turns.ts'
import type { Caller } from '../declare/auth.ts'
import type { Dialect } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { LARGE_BODY_BYTES } from '../declare/host-limits.ts'
import { type ErrorDetail, invalidRequest, type Problem } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import type { Naming } from '../declare/rules.ts'
import { memberFrame, slicesOf } from './cut-list.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import { compileParameters, createDeferredErrors, type ReadParameters } from './parameters.ts'

/** So much of a body is read without letting others pass; the item that it ends in is read with it. */
const SLICE_BYTES = 128 * 1024

type Read = (request: RawRequest, caller?: Caller) => Record<string, unknown>

/**
 * Reads the parameters of large bodies, and lets everybody else pass again and again: a body is cut into small ones with some of the items
 * of `slicedList` each, and `read` reads each of these as it would read any body. What is not such a body, or would be refused, is left:
 * `read` says what is wrong with it as a whole. Undefined for an endpoint without a `slicedList`.
 */
export function compileReadInSlices({ slicedList, params }: Endpoint, read: Read, largeBytes = LARGE_BODY_BYTES, sliceBytes = SLICE_BYTES) {
  if (slicedList === undefined) return undefined
  const frame = memberFrame(slicedList)
  const { maxItems = Number.POSITIVE_INFINITY } = params[slicedList] as { maxItems?: number }

  const readSlices = async (request: RawRequest, whole: Buffer, caller: Caller | undefined, giveWay: GiveWay) => {
    const items: unknown[] = []
    let values: Record<string, unknown> = {}
    for (const body of slicesOf(whole, frame, sliceBytes)) {
      values = read({ ...request, body }, caller)
      const some = values[slicedList] as unknown[]
      if (some.length === 0 || items.length + some.length > maxItems) throw new Error('nothing between two commas, or too many items')
      for (const item of some) items.push(item)
      await giveWay()
    }
    return { ...values, [slicedList]: items }
  }

  return {
    isFor: ({ body }: RawRequest) => body !== null && body.length > largeBytes,
    /** Undefined when it is to be read as a whole. */
    read: (request: RawRequest, caller?: Caller, giveWay: GiveWay = endOfTurn) =>
      readSlices(request, request.body!, caller, giveWay).catch(() => undefined),
  }
}

/** What came in slices has no error and, being JSON, is not repeated. */
const fromSlices = (params: Record<string, unknown>): ReadParameters => ({
  params,
  deferred: createDeferredErrors(),
  echo: () => ({}),
  sentAs: (name) => name,
})

/** Compiles how an endpoint's parameters are read; large bodies in slices, so that other requests are answered meanwhile. */
export function compileReader(endpoint: Endpoint, policy: ParameterPolicy, dialect: Dialect) {
  const read = compileParameters(endpoint, policy, dialect)
  const inSlices = compileReadInSlices(endpoint, (request, caller) => read(request, caller).params)
  if (!inSlices) return read
  return (request: RawRequest, caller?: Caller, giveWay?: GiveWay): ReadParameters | Promise<ReadParameters> =>
    inSlices.isFor(request)
      ? inSlices.read(request, caller, giveWay).then((params) => (params ? fromSlices(params) : read(request, caller)))
      : read(request, caller)
}

const asSent = ({ parameters, attribute, ...error }: ErrorDetail, sentAs: Naming): ErrorDetail => ({
  ...error,
  ...(parameters && { parameters: Object.fromEntries(Object.entries(parameters).map(([name, values]) => [sentAs(name), values])) }),
  ...(attribute !== undefined && { attribute: sentAs(attribute) }),
})

/**
 * What a handler threw, as it is answered: errors that were deferred come before anything else, and where the area repeats parameters, the problem
 * has them, and names parameters as they were sent.
 */
export function completeProblem(problem: Problem, { deferred, echo, sentAs }: ReadParameters, { echoes }: ParameterPolicy): Problem {
  const { errors, wereThrown } = deferred
  const complete = errors.length === 0 || wereThrown ? problem : invalidRequest(errors)
  if (!echoes) return complete
  complete.echo ??= echo()
  complete.members.errors = complete.members.errors?.map((error) => asSent(error, sentAs))
  return complete
}
