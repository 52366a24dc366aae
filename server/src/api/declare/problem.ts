import type { Caller } from './caller.ts'
import { type AdsCode, type Code, codes, problemOf } from './codes.ts'
import type { More, Why } from './why.ts'

/**
 * Every refusal there is. `suffix` follows the problem base URL in `type` (null: `about:blank`); `code` is how the hosts that
 * answer with numeric codes say the same.
 */
export const problemKinds = {
  // §7, the seventeen types.
  'client-disconnected': { suffix: 'client-disconnected', status: 400, title: 'Client Disconnected', code: 131 },
  'client-forbidden': { suffix: 'client-forbidden', status: 403, title: 'Client Forbidden', code: 220 },
  conflict: { suffix: 'conflict', status: 409, title: 'Conflict', code: 131 },
  'disallowed-resource': { suffix: 'disallowed-resource', status: 403, title: 'Disallowed Resource', code: 220 },
  'duplicate-rules': { suffix: 'duplicate-rules', status: 400, title: 'DuplicateRule', code: 131 },
  'invalid-request': { suffix: 'invalid-request', status: 400, title: 'Invalid Request', code: 38 },
  'invalid-rules': { suffix: 'invalid-rules', status: 400, title: 'Invalid Rule', code: 131 },
  'noncompliant-rules': { suffix: 'noncompliant-rules', status: 400, title: 'Noncompliant Rule', code: 131 },
  'not-authorized-for-field': { suffix: 'not-authorized-for-field', status: 403, title: 'Field Authorization Error', code: 220 },
  'not-authorized-for-resource': { suffix: 'not-authorized-for-resource', status: 403, title: 'Authorization Error', code: 220 },
  'operational-disconnect': { suffix: 'operational-disconnect', status: 503, title: 'Operational Disconnect', code: 130 },
  'resource-not-found': { suffix: 'resource-not-found', status: 404, title: 'Not Found Error', code: 34 },
  'resource-unavailable': { suffix: 'resource-unavailable', status: 404, title: 'Resource Unavailable Error', code: 34 },
  'rule-cap': { suffix: 'rule-cap', status: 400, title: 'Rule Limit Exceeded', code: 131 },
  'streaming-connection': { suffix: 'streaming-connection', status: 429, title: 'ConnectionException', code: 88 },
  'unsupported-authentication': { suffix: 'unsupported-authentication', status: 403, title: 'Unsupported Authentication', code: 220 },
  'usage-capped': { suffix: 'usage-capped', status: 429, title: 'Usage Capped', code: 88 },
  // A stream without a subscription: waiting, which 429 asks for, would not help (public practice).
  'streaming-rules': { suffix: 'streaming-connection', status: 409, title: 'ConnectionException', code: 131 },
  // An app that may only read (public practice).
  'oauth1-permissions': { suffix: 'oauth1-permissions', status: 403, title: 'Forbidden', code: 261 },
  // The generic problem of RFC 7807.
  unauthorized: { suffix: null, status: 401, title: 'Unauthorized', code: 32 },
  forbidden: { suffix: null, status: 403, title: 'Forbidden', code: 220 },
  'not-found': { suffix: null, status: 404, title: 'Not Found', code: 34 },
  'method-not-allowed': { suffix: null, status: 405, title: 'Method Not Allowed', code: 86 },
  'request-timeout': { suffix: null, status: 408, title: 'Request Timeout', code: 131 },
  'too-large': { suffix: null, status: 413, title: 'Content Too Large', code: 131 },
  'unsupported-media-type': { suffix: null, status: 415, title: 'Unsupported Media Type', code: 131 },
  'expectation-failed': { suffix: null, status: 417, title: 'Expectation Failed', code: 131 },
  'too-many-requests': { suffix: null, status: 429, title: 'Too Many Requests', code: 88 },
  'headers-too-large': { suffix: null, status: 431, title: 'Request Header Fields Too Large', code: 131 },
  internal: { suffix: null, status: 500, title: 'Internal Server Error', code: 131 },
  unavailable: { suffix: null, status: 503, title: 'Service Unavailable', code: 130 },
} as const satisfies Record<string, { suffix: string | null; status: number; title: string; code: Code }>

export type ProblemName = keyof typeof problemKinds

/** How the advertising hosts name a problem that has no code of its own; `INVALID` where they have none. */
const adsNames: Partial<Record<ProblemName, string>> = {
  'invalid-request': 'INVALID_PARAMETER',
  unauthorized: 'UNAUTHORIZED_ACCESS',
  forbidden: 'ACTION_NOT_ALLOWED',
  'not-found': 'ROUTE_NOT_FOUND',
  'method-not-allowed': 'METHOD_NOT_ALLOWED',
  'request-timeout': 'CANCELLED_REQUEST',
  'too-large': 'REQUEST_TOO_LARGE',
  'unsupported-media-type': 'UNSUPPORTED_MEDIA_TYPE',
  'too-many-requests': 'TOO_MANY_REQUESTS',
  internal: 'INTERNAL_ERROR',
  unavailable: 'SERVICE_UNAVAILABLE',
}

/** One error of a request: what is wrong, and by parameter the values that it is about. */
export interface ErrorDetail {
  message: string
  parameters?: Record<string, string[]>
  /** How the advertising hosts call it; a number where clients know the error by one. */
  code?: AdsCode | Code
  /** The field that is wrong beside the others of the record. */
  attribute?: string
}

/** The members of a problem whose values are names, which dialects spell. */
export const NAMED_MEMBERS: readonly string[] = ['resource_type', 'field', 'parameter']

/** Members of a problem besides `type`, `title` and `status`; `detail` defaults to the title. */
interface ProblemMembers {
  detail?: string
  errors?: ErrorDetail[]
  [member: string]: unknown
}

/** An expected refusal. Thrown anywhere, it goes straight to the answer; anything else that is thrown is a bug and answers 500. */
export class Problem extends Error {
  readonly kind: ProblemName
  readonly members: ProblemMembers
  /** Set when the answer is a numeric error on whichever host; the advertising hosts have few of them (§7). */
  readonly code: Code | undefined
  readonly headers: Record<string, string>
  /** Who was refused, where that is known: the call is counted for them. */
  caller?: Caller
  /** Why, in words that the answer does not have; for explanations in development. */
  why?: Why
  /** The request cannot be read, which is told apart from a wrong parameter where errors have numeric codes. */
  isMalformed = false
  /** The parameters that were understood, where the answer repeats them. */
  echo?: Record<string, unknown>

  constructor(kind: ProblemName, members: ProblemMembers = {}, options: { code?: Code; headers?: Record<string, string> } = {}) {
    super(members.errors?.[0]?.message ?? members.detail ?? problemKinds[kind].title)
    this.kind = kind
    this.members = members
    this.code = options.code
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return this.code === undefined ? problemKinds[this.kind].status : codes[this.code].status
  }
}

/** A problem with the reason that its answer does not tell. Neither may hold a secret. */
export function because(problem: Problem, reason: string, more?: More): Problem {
  problem.why = more ? { reason, more } : { reason }
  return problem
}

const codedKinds: Record<number, ProblemName> = { 401: 'unauthorized', 403: 'forbidden', 404: 'not-found', 429: 'too-many-requests' }

/** A refusal that carries a numeric code, whichever host answers it. */
export const coded = (code: Code, headers: Record<string, string> = {}) =>
  new Problem(codedKinds[codes[code].status] ?? 'invalid-request', { detail: codes[code].message }, { code, headers })

const INVALID_REQUEST = 'One or more parameters to your request was invalid.'

/** More are not answered. */
export const MAX_ERRORS = 100

/** 400 `invalid-request` with every error found (§7), the first hundred of them. */
export const invalidRequest = (errors: readonly ErrorDetail[]) =>
  new Problem('invalid-request', { detail: INVALID_REQUEST, errors: errors.slice(0, MAX_ERRORS) })

/** The same for text that no parameters can be read from: hosts with numeric codes tell the two apart. */
export const malformedRequest = (errors: readonly ErrorDetail[]) => Object.assign(invalidRequest(errors), { isMalformed: true })

/** An error with a code of the advertising hosts. `INVALID` names an attribute of the record, any other code a parameter. */
export function adsError(code: AdsCode, message: string, field?: string): ErrorDetail {
  if (field === undefined) return { message, code }
  return { message, code, ...(code === 'INVALID' ? { attribute: field } : { parameters: { [field]: [] } }) }
}

/** An error as the advertising hosts write it (public practice). */
export function adsErrorOf({ message, code, parameters, attribute }: ErrorDetail, kind: ProblemName) {
  const parameter = Object.keys(parameters ?? {})[0]
  return {
    code: code ?? adsNames[kind] ?? 'INVALID',
    message,
    ...(parameter !== undefined && { parameter }),
    ...(attribute !== undefined && { attribute }),
  }
}

/** A refusal with a code of the advertising hosts; `field` is what it is about, if anything. */
export const adsProblem = (code: AdsCode, message: string, field?: string) =>
  new Problem(problemOf(code), { detail: message, errors: [adsError(code, message, field)] })

/** The same for an account that does not exist, for one of others and for one that was deleted: nothing of the request is repeated. */
export const accountNotFound = (accountId: string) =>
  Object.assign(adsProblem('ACCOUNT_NOT_FOUND', `Account ${accountId} was not found`), { echo: {} })

/** 403 for credentials of a kind that an endpoint does not take; in the words of public practice, two spaces among them. */
export const unsupportedAuthentication = (sent: string, supported: string) =>
  new Problem('unsupported-authentication', {
    detail: `Authenticating with ${sent} is forbidden for this endpoint.  Supported authentication types are [${supported}].`,
  })

/** 403 for an action that the caller may not take; `detail` says why. */
export const forbidden = (detail: string) => new Problem('forbidden', { detail })

/** 405 with the verbs that a path does have, and where to go with this one, as a sentence. */
export const methodNotAllowed = (method: string, allow: string, where = '') =>
  new Problem(
    'method-not-allowed',
    { detail: `${method} is not allowed here; allowed: ${allow}.${where && ` ${where}`}` },
    { headers: { allow } },
  )

/** Why a webhook call was refused (§7). */
export const webhookReasons = [
  'CrcValidationFailed',
  'UrlValidationFailed',
  'DuplicateUrlFailed',
  'WebhookLimitExceeded',
  'WebhookIdInvalid',
] as const

export type WebhookReason = (typeof webhookReasons)[number]

/** 400 `invalid-request` whose message is `<Reason>: <what exactly>`. */
export const webhookProblem = (reason: WebhookReason, what: string) => invalidRequest([{ message: `${reason}: ${what}` }])

/** The errors of the token endpoint (RFC 6749, section 5.2), and the status of each. */
const kinds = {
  invalid_request: 'invalid-request',
  invalid_client: 'unauthorized',
  unauthorized_client: 'unauthorized',
  unsupported_grant_type: 'invalid-request',
  invalid_scope: 'invalid-request',
} as const satisfies Record<string, ProblemName>

type OAuth2Error = keyof typeof kinds

/** What else is answered at these endpoints, by the status. */
const errorsByStatus: Record<number, string> = {
  401: 'invalid_client',
  403: 'access_denied',
  429: 'temporarily_unavailable',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

export const oauth2Problem = (error: OAuth2Error, description: string, headers: Record<string, string> = {}): Problem =>
  new Problem(kinds[error], { detail: description, oauth2Error: error }, { headers })

/** The `error` of a problem, whoever threw it. */
export const oauth2ErrorOf = ({ members, status }: Problem): string =>
  (members.oauth2Error as OAuth2Error | undefined) ?? errorsByStatus[status] ?? 'invalid_request'
