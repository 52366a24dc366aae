import type { Code } from './codes.ts'
import { coded, invalidRequest, Problem, unsupportedAuthentication } from './problem.ts'

/** How an area refuses a request that a user or an app must sign. */
export interface RefusedSignature {
  /** The signature is refused with this code. */
  withCode(code: Code, headers: Record<string, string>): Problem
  /** The credentials are of another scheme, `bearer` or `basic`. The headers are for a 401. */
  otherScheme(scheme: string, headers: Record<string, string>): Problem
  /** The parameters cannot be decoded; undefined where that is a signature that is refused like any other. */
  undecodable?(why: string): Problem
}

/** In the words of public practice. */
const NOT_AUTHENTICATED = 'This request is not properly authenticated'

/** On `/2/` every endpoint that takes the signature of a user takes an OAuth 2.0 access token of the user too. */
const USER_CONTEXTS = 'OAuth 1.0a User Context, OAuth 2.0 User Context'

const undecodable = (why: string) => invalidRequest([{ message: why }])

const otherSchemeCode = (scheme: string) => coded(scheme === 'bearer' ? 220 : 215)

export const signatureProblems: RefusedSignature = {
  withCode: (_, headers) => new Problem('unauthorized', {}, { headers }),
  otherScheme: (scheme) => unsupportedAuthentication(scheme === 'bearer' ? 'OAuth 2.0 Application-Only' : 'Basic', USER_CONTEXTS),
  undecodable,
}

export const signatureCodes: RefusedSignature = { withCode: coded, otherScheme: otherSchemeCode }

export const signaturePages: RefusedSignature = { withCode: coded, otherScheme: otherSchemeCode, undecodable }

export const adsSignatureErrors: RefusedSignature = {
  withCode: (_, headers) => new Problem('unauthorized', { detail: NOT_AUTHENTICATED }, { headers }),
  otherScheme: (_, headers) => new Problem('unauthorized', { detail: NOT_AUTHENTICATED }, { headers }),
  undecodable,
}
