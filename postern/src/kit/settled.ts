import { checkNames } from './check-names.ts'
import type { OperatorApi } from './operator-api.ts'

export interface SettledOptions {
  /** How long to wait, in milliseconds; at most 60,000. Default: 15,000. */
  timeoutMs?: number
}

/** Resolves once nothing is under way. @throws with what is, if it does not settle in time. */
export type Settled = (options?: SettledOptions) => Promise<void>

const TIMEOUT_MS = 15_000
const MOST_MS = 60_000

interface Answer {
  data: { settled: boolean; under_way: { what: string }[] }
}

export const createSettled =
  (api: OperatorApi): Settled =>
  async (options = {}) => {
    checkNames('settled', options, ['timeoutMs'] satisfies (keyof SettledOptions)[])
    const { timeoutMs = TIMEOUT_MS } = options
    if (!(timeoutMs >= 0 && timeoutMs <= MOST_MS))
      throw new RangeError(`timeoutMs is a number of milliseconds from 0 to ${MOST_MS}, and not ${timeoutMs}`)
    const { data } = await api.call<Answer>('POST', '/operator/settle', { timeout: `${Math.ceil(timeoutMs)}ms` })
    if (data.settled) return
    throw new Error(`not settled within ${timeoutMs} ms: ${data.under_way.map(({ what }) => what).join('; ')}`)
  }
