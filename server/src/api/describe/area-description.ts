import type { Endpoint } from '../declare/endpoint.ts'
import type { TSchema } from '../declare/words.ts'
import { plainSchema, textSchema } from './describe-word.ts'

/** The origins of the hosts that are described. */
export interface Servers {
  base_url: string
  ads_base_url: string
  ads_sandbox_base_url: string
}

/** What the OpenAPI description says of an area, where areas differ. */
export interface AreaDescription {
  /** The schema of a parameter that comes as text. */
  textParameter(word: TSchema): TSchema
  /** Said of every endpoint whose parameters come in a form. */
  formNote?: string
  /** The media type of an answer that is no JSON. */
  answerContent?: object
  /** Every answer that is not a success. */
  refusal: object
  /** The origins that serve an endpoint, where the general host is not among them. */
  hostsOf?(endpoint: Endpoint, servers: Servers): readonly string[]
}

/** What of an area's row its description is printed from. */
export interface DescribedArea {
  headers: Record<string, string>
  parameters: { unknown: 'refused' | 'ignored' }
  describe: AreaDescription
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const json = (schema: object) => ({ 'application/json': { schema } })

const PAGE = { 'text/html': { schema: { type: 'string' } } }

/** On every host a token that was revoked, or never was, is refused with a numeric error (§7). */
export const describedProblems: AreaDescription = {
  textParameter: plainSchema,
  refusal: {
    description: 'A problem (RFC 7807); a numeric error for an invalid user token.',
    content: { 'application/problem+json': { schema: reference('AnyProblem') }, ...json(reference('Errors')) },
  },
}

export const describedCodes: AreaDescription = {
  textParameter: plainSchema,
  refusal: { description: 'Errors with numeric codes.', content: json(reference('Errors')) },
}

export const describedOAuth2: AreaDescription = {
  textParameter: plainSchema,
  formNote: 'Parameters are sent as a form or as JSON, not in the query.',
  refusal: { description: 'An error of OAuth 2.0 (RFC 6749, section 5.2).', content: json(reference('OAuth2Error')) },
}

export const describedPages: AreaDescription = {
  textParameter: plainSchema,
  answerContent: PAGE,
  refusal: { description: 'An HTML error page.', content: PAGE },
}

export const describedAds: AreaDescription = {
  textParameter: textSchema,
  formNote: 'Parameters are sent in the query or as a form.',
  refusal: {
    description: 'Errors of the advertising API; a numeric error for an invalid user token.',
    content: json({ anyOf: [reference('AdsErrors'), reference('AdsOperationErrors'), reference('Errors')] }),
  },
  hostsOf: ({ sandboxOnly }, { ads_base_url, ads_sandbox_base_url }) => [...(sandboxOnly ? [] : [ads_base_url]), ads_sandbox_base_url],
}
