import type { Logger } from 'pino'
import { areas } from '../../api/areas.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import type { RawRequest } from '../../api/declare/raw-request.ts'
import type { AuditLog } from '../../storage/audit-log.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'

const LONGEST_DETAIL = 500

export interface AuditOptions {
  audit: AuditLog
  now: () => number
  operatorToken: string | undefined
  logger: Logger
}

/** What calls without the token are answered: strangers make them, and would push entries out. They are counted by address. */
const NOT_AUTHENTICATED: readonly number[] = [401, 429]

/**
 * Told of every call once it is answered: those of operators are logged and recorded. Not recorded are calls without the token, and the
 * publishing of events, of which the event log is the record.
 */
export function createCallAudit({ audit, now, operatorToken, logger }: AuditOptions) {
  return (endpoint: Endpoint, request: RawRequest, status: number) => {
    if (!areas[endpoint.area].isAudited) return
    logger.info({ endpoint: endpoint.name, status }, 'operator call')
    if (endpoint.name === 'publishEvents' || NOT_AUTHENTICATED.includes(status) || operatorToken === undefined) return
    audit
      .append({ atMs: now(), action: endpoint.name, status, detail: request.target.slice(0, LONGEST_DETAIL) })
      .catch((error) => logUnlessUnavailable(logger, error, 'could not write to the audit log'))
  }
}
