/** Since when something is deprecated and when it may be gone, in ISO 8601. */
export interface Deprecated {
  since: string
  sunset: string
}

/** A moment as a structured field has it (RFC 9745): `@1774915200`. */
const fieldDate = (iso: string) => `@${Date.parse(iso) / 1000}`

/** A moment as HTTP writes it (RFC 8594): `Wed, 31 Mar 2027 00:00:00 GMT`. */
const httpDate = (iso: string) => new Date(iso).toUTCString()

/** The headers of an answer to a request that used something deprecated. `link` says where to go instead. */
export const deprecationHeaders = ({ since, sunset }: Deprecated, link: string): Record<string, string> => ({
  deprecation: fieldDate(since),
  sunset: httpDate(sunset),
  link,
})
