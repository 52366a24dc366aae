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

/** Told of the promise of each call; returns it unchanged. */
export type Track = <T>(work: Promise<T>) => Promise<T>

export interface MapOptions<Port> {
  /** Methods whose promises are returned as they are. */
  notMapped?: readonly (keyof Port)[]
  track?: Track
}

/** Wraps a port, so that errors with which its methods' promises reject are mapped. */
export function mapErrors<Port extends object>(
  port: Port,
  mapError: MapError,
  { notMapped = [], track = (work) => work }: MapOptions<Port> = {},
): Port {
  const wrap =
    (method: Method, isMapped: boolean): Method =>
    (...parameters) => {
      const result = method(...parameters)
      if (!(result instanceof Promise)) return result
      if (!isMapped) return track(result)
      return track(
        result.catch((error) => {
          throw mapError(error)
        }),
      )
    }
  const members = Object.entries(port).map(([name, member]) => {
    const isMapped = !notMapped.includes(name as keyof Port)
    return [name, typeof member === 'function' ? wrap(member as Method, isMapped) : member]
  })
  return Object.fromEntries(members) as Port
}
