import { createHttpLoad, type HttpLoad } from '../http-load.ts'
import type { Sampled } from '../party.ts'
import { userAuthorizationOf } from './stand.ts'

type SignedLoad = Pick<HttpLoad, 'pid' | 'micros' | 'inFlight'> & {
  /** With the query. */
  path: string
  origin: string
  /** More than are sent in any look. */
  mostPerMs: number
}

/** Keeps a server busy with a call that a user's token signs, each with a nonce of its own and signed before the look. */
export function createSignedLoad({ origin, path, mostPerMs, ...load }: SignedLoad): Sampled {
  const ask = () => ({
    ...({ origin, path, method: 'GET' } as const),
    headers: { authorization: userAuthorizationOf(origin + path) },
  })
  const ahead = (ms: number) => {
    const made = Array.from({ length: ms * mostPerMs }, ask)
    return () => made.pop() ?? ask()
  }
  return createHttpLoad({ ...load, status: 200, request: ask(), ahead })
}
