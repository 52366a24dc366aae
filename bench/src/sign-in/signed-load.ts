import { createHttpLoad, type HttpLoad } from '../http-load.ts'
import type { Sampler } from '../worker.ts'
import { userAuthorizationOf } from './fixtures.ts'

type SignedLoad = Pick<HttpLoad, 'pid' | 'cpuMicros' | 'inFlight'> & {
  /** Including the query. */
  path: string
  origin: string
  /** More than can be sent in a sample. */
  maxPerMs: number
}

/** Keeps a server busy with requests signed for a user, each with a fresh nonce and signed before the sample. */
export function createSignedLoad({ origin, path, maxPerMs, ...load }: SignedLoad): Sampler {
  const createRequest = () => ({
    ...({ origin, path, method: 'GET' } as const),
    headers: { authorization: userAuthorizationOf(origin + path) },
  })
  const prepare = (ms: number) => {
    const prepared = Array.from({ length: ms * maxPerMs }, createRequest)
    return () => prepared.pop() ?? createRequest()
  }
  return createHttpLoad({ ...load, status: 200, request: createRequest(), prepare })
}
