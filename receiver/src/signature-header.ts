/** The headers a signature may come in, lower case: the specification's (§4.2), and that of dialect `x`. */
export const SIGNATURE_HEADERS = ['x-service-webhooks-signature', 'x-twitter-webhooks-signature'] as const

/** The signature of a request, undefined if it has none. */
export function signatureHeader(header: (name: string) => unknown): unknown {
  for (const name of SIGNATURE_HEADERS) {
    const value = header(name)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}
