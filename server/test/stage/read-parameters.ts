import { areas } from '../../src/api/areas.ts'
import type { Dialect } from '../../src/api/declare/dialect.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import type { RawRequest } from '../../src/api/declare/raw-request.ts'
import { compileParameters } from '../../src/api/read/parameters.ts'

/** Reads requests as the endpoint's area does. */
export const parameterReader = (endpoint: Endpoint, dialect?: Dialect) =>
  compileParameters(endpoint, areas[endpoint.area].parameters, dialect)

/** The same where only the values are looked at. */
export function compileParams(endpoint: Endpoint, dialect?: Dialect) {
  const read = parameterReader(endpoint, dialect)
  return (request: RawRequest) => read(request).params
}
