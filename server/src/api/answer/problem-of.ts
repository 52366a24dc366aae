import type { Logger } from 'pino'
import { Problem } from '../declare/problem.ts'

/** What a client is asked to wait while the database is away. */
const RETRY_AFTER_SECONDS = '1'

/** What is answered to an error of an endpoint. A bug is logged, and shown as nothing but a bug. */
export function problemOf(error: unknown, log: Logger, endpoint: string): Problem {
  if (error instanceof Problem) return error
  if ((error as { unavailable?: boolean }).unavailable)
    return new Problem('unavailable', { detail: (error as Error).message }, { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
  log.error({ err: error, endpoint }, 'unhandled error in an endpoint')
  return new Problem('internal')
}
