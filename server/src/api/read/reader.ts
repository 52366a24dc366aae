import type { Caller } from '../declare/auth.ts'
import type { Dialect } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { type ErrorDetail, invalidRequest, type Problem } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import type { Naming } from '../declare/rules.ts'
import { createDeferredErrors } from './create-deferred-errors.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import { compileParameters, type ReadParameters } from './parameters.ts'
import { compileReadInSlices } from './read-in-slices.ts'

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
  return (request: RawRequest, caller?: Caller): ReadParameters | Promise<ReadParameters> =>
    inSlices.isFor(request)
      ? inSlices.read(request, caller).then((params) => (params ? fromSlices(params) : read(request, caller)))
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
