import { Problem, type ProblemName } from './problem.ts'

/** The errors of the token endpoint (RFC 6749, section 5.2), and the status of each. */
const kinds = {
  invalid_request: 'invalid-request',
  invalid_client: 'unauthorized',
  unauthorized_client: 'unauthorized',
  unsupported_grant_type: 'invalid-request',
  invalid_scope: 'invalid-request',
} as const satisfies Record<string, ProblemName>

export type OAuth2Error = keyof typeof kinds

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
