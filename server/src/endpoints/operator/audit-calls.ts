import type { Logger } from 'pino'
import type { ClientOriginOf } from '../../access/client-origin.ts'
import type { OperatorCaller } from '../../access/operator.ts'
import { areas } from '../../api/areas.ts'
import type { Caller } from '../../api/declare/auth.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import { pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import type { AuditLog } from '../../storage/audit-log.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'

const MAX_DETAIL_LENGTH = 500

const FORBIDDEN = 403

/** Of a call whose token is missing, wrong or of another role, or was refused after too many wrong ones. */
const REFUSED_STATUSES = [401, FORBIDDEN, 429]

/** The event log has what was published; only a refusal of a token that may not publish is nowhere else. */
const isInEventLog = (action: string, status: number) => action === 'publishEvents' && status !== FORBIDDEN

export interface AuditOptions {
  audit: AuditLog
  originOf: ClientOriginOf
  now: () => number
  logger: Logger
}

/** The path of a call with the declared parameters of its query. An undeclared one may be a secret that belongs in the body. */
function targetOf({ place, params }: Endpoint, { target, query }: RawRequest): string {
  const declared = place === 'query' ? Object.keys(params) : []
  const kept = query.split('&').filter((pair) => declared.includes(pair.split('=', 1)[0]!))
  return [pathOf(target), kept.join('&')].filter(Boolean).join('?').slice(0, MAX_DETAIL_LENGTH)
}

/**
 * Called for every answered call. Logs operator calls, refused ones as warnings with the client's address, and adds them to the audit log, with the name of the token. The audit log has no calls
 * without a valid token, because strangers would push entries out, and no calls that publish, except those of a token that may not. Bodies are in neither,
 * because they may hold secrets.
 */
export function createCallAudit({ audit, originOf, now, logger }: AuditOptions) {
  const log = (line: object, request: RawRequest, isRefused: boolean) =>
    isRefused ? logger.warn({ ...line, address: originOf(request).address }, 'operator call') : logger.info(line, 'operator call')

  return (endpoint: Endpoint, request: RawRequest, status: number, caller?: Caller) => {
    if (!areas[endpoint.area].isAudited) return
    const operator = (caller as OperatorCaller | undefined)?.operator
    const { name: action } = endpoint
    log({ endpoint: action, status, ...(operator && { token_name: operator.name }) }, request, REFUSED_STATUSES.includes(status))
    if (!operator || isInEventLog(action, status)) return
    const detail = targetOf(endpoint, request)
    audit
      .append({ atMs: now(), action, status, detail, tokenName: operator.name })
      .catch((error) => logUnlessUnavailable(logger, error, 'could not write to the audit log'))
  }
}
