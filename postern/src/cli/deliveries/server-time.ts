import { Failure } from '../failure.ts'
import type { Server } from '../server.ts'

const NOT_FOUND = 404

/** The time of the server's clock, which tests move. Production has no clock that moves: it has the time of this machine. */
export async function serverTimeMs(server: Server): Promise<number> {
  try {
    const { data } = await server.operator('POST', '/operator/clock', { json: { step: '0s' } })
    return Date.parse(data.now)
  } catch (error) {
    if (error instanceof Failure && error.answer?.status === NOT_FOUND) return Date.now()
    throw error
  }
}
