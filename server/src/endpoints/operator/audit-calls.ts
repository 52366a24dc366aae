import type { Logger } from 'pino'
import type { OperatorCaller } from '../../access/operator.ts'
import { areas } from '../../api/areas.ts'
import type { Caller } from '../../api/declare/auth.ts'
import type { AuditNote, Endpoint } from '../../api/declare/endpoint.ts'
import { pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import type { AuditLog } from '../../storage/audit-log.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'

const MAX_DETAIL_LENGTH = 500

const MAX_ID_LENGTH = 100

const FORBIDDEN = 403

/** Of a call whose token is missing, wrong or of another role, or was refused after too many wrong ones. */
const REFUSED_STATUSES = [401, FORBIDDEN, 429]

/** The event log has what was published; only a refusal of a token that may not publish is nowhere else. */
const isInEventLog = (action: string, status: number) => ['publishEvents', 'triggerEvent'].includes(action) && status !== FORBIDDEN

/** Dashboards read every few seconds; their calls would push out those that change something. */
const onlyReads = ({ method }: Endpoint) => method === 'GET'

export interface AuditOptions {
  audit: AuditLog
  now: () => number
  logger: Logger
  /** The client's address. */
  addressOf: (request: RawRequest) => string
}

/** The path of a call with the declared parameters of its query. An undeclared one may be a secret that belongs in the body. */
function targetOf({ place, params }: Endpoint, { target, query }: RawRequest): string {
  const declared = place === 'query' ? Object.keys(params) : []
  const kept = query.split('&').filter((pair) => declared.includes(pair.split('=', 1)[0]!))
  return [pathOf(target), kept.join('&')].filter(Boolean).join('?').slice(0, MAX_DETAIL_LENGTH)
}

/** The id in the path, or the declared one in the query. */
function idOf(name: 'app_id' | 'user_id', { place, params }: Endpoint, { query, pathParams }: RawRequest): string | null {
  const inQuery = place === 'query' && name in params ? new URLSearchParams(query).get(name) : null
  return (pathParams[name] ?? inQuery)?.slice(0, MAX_ID_LENGTH) ?? null
}

/**
 * Called for every call before its answer is sent, which waits for the entry: what was answered is in the audit log. Logs operator calls, refused ones as warnings, and adds them to the audit log, with the name of the token
 * and the client's address. The audit log has no calls without a valid token, because strangers would push entries out, no reads, and no
 * calls that publish, except those of a token that may not. Bodies are in neither, because they may hold secrets.
 */
export function createCallAudit({ audit, now, logger, addressOf }: AuditOptions) {
  return (endpoint: Endpoint, request: RawRequest, status: number, caller?: Caller, note: AuditNote = {}): Promise<void> | undefined => {
    if (!areas[endpoint.area].isAudited) return undefined
    const operator = (caller as OperatorCaller | undefined)?.operator
    const { name: action } = endpoint
    const address = addressOf(request)
    const level = REFUSED_STATUSES.includes(status) ? 'warn' : 'info'
    logger[level]({ endpoint: action, status, address, ...(operator && { token_name: operator.name }) }, 'operator call')
    if (!operator || onlyReads(endpoint) || isInEventLog(action, status)) return undefined
    const detail = targetOf(endpoint, request)
    return audit
      .append({
        atMs: now(),
        action,
        status,
        detail,
        tokenName: operator.name,
        address,
        appId: note.appId ?? idOf('app_id', endpoint, request) ?? caller?.app?.id ?? null,
        userId: note.userId ?? idOf('user_id', endpoint, request),
        changes: note.changes ?? [],
      })
      .catch((error) => logUnlessUnavailable(logger, error, 'could not write to the audit log'))
  }
}
