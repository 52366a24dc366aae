import type { Outage } from './outage.ts'
import { asUnavailable, DeletedMeanwhile } from './unavailable.ts'

export type Explain = (error: unknown) => unknown

/** Turns what a database failed with into what its callers know, and tells the operator of an outage. */
export const createExplain =
  (outage: Outage): Explain =>
  (error) => {
    const explained = asUnavailable(error)
    if (explained !== error && !(explained instanceof DeletedMeanwhile)) outage.tell(error)
    return explained
  }

type Method = (...parameters: unknown[]) => unknown

/** The same port: what its promises reject with is explained first. */
export function explainFailures<Port extends object>(port: Port, explain: Explain, untouched: readonly (keyof Port)[] = []): Port {
  const wrap =
    (method: Method): Method =>
    (...parameters) => {
      const answer = method(...parameters)
      if (!(answer instanceof Promise)) return answer
      return answer.catch((error) => {
        throw explain(error)
      })
    }
  const members = Object.entries(port).map(([name, member]) => {
    const isMethod = typeof member === 'function' && !untouched.includes(name as keyof Port)
    return [name, isMethod ? wrap(member as Method) : member]
  })
  return Object.fromEntries(members) as Port
}
