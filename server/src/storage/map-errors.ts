import type { Outage } from './outage.ts'
import { asUnavailable, DeletedMeanwhile } from './unavailable.ts'

export type MapError = (error: unknown) => unknown

/** Maps errors of a database to `Unavailable` where they mean an outage, and reports the outage to the operator. */
export const createErrorMapper =
  (outage: Outage): MapError =>
  (error) => {
    const mapped = asUnavailable(error)
    if (mapped !== error && !(mapped instanceof DeletedMeanwhile)) outage.report(error)
    return mapped
  }

type Method = (...parameters: unknown[]) => unknown

/** Wraps a port, so that errors with which its methods' promises reject are mapped; except for the methods in `notMapped`. */
export function mapErrors<Port extends object>(port: Port, mapError: MapError, notMapped: readonly (keyof Port)[] = []): Port {
  const wrap =
    (method: Method): Method =>
    (...parameters) => {
      const result = method(...parameters)
      if (!(result instanceof Promise)) return result
      return result.catch((error) => {
        throw mapError(error)
      })
    }
  const members = Object.entries(port).map(([name, member]) => {
    const isMethod = typeof member === 'function' && !notMapped.includes(name as keyof Port)
    return [name, isMethod ? wrap(member as Method) : member]
  })
  return Object.fromEntries(members) as Port
}
