import type { Dialect } from '../declare/dialect.ts'
import { type Endpoint, NO_CONTENT } from '../declare/endpoint.ts'
import { isOptional, object, optional, type TSchema } from '../declare/words.ts'
import type { AreaDescription, DescribedArea, Servers } from './area-description.ts'
import { respelled } from './describe-word.ts'

const RATE_HEADERS = Object.fromEntries(
  ['limit', 'remaining', 'reset'].map((name) => [
    `x-rate-limit-${name}`,
    { schema: { type: 'integer' }, description: `Rate limit of the current window: ${name}.` },
  ]),
)

function parameterOf(endpoint: Endpoint, { describe }: DescribedArea, name: string, dialect: Dialect) {
  const word = endpoint.params[name]!
  const { description, ...schema } = describe.textParameter(word) as TSchema & { description?: string; type?: string }
  const inPath = endpoint.pathNames.includes(name)
  return {
    name: inPath ? name : dialect.out(name),
    in: inPath ? 'path' : 'query',
    required: inPath || !(isOptional(word) || endpoint.isQueryRead),
    ...(description && { description }),
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
  }
}

const BODY_TYPES = { body: 'application/json', form: 'application/x-www-form-urlencoded' } as const

const MULTIPART = 'multipart/form-data'

/** The same members, of which some are the bytes of a file. */
function withParts(body: object, { parts, description }: NonNullable<Endpoint['streamed']>) {
  const { properties } = body as { properties?: object }
  const bytes = Object.fromEntries(parts.map((name) => [name, { type: 'string', format: 'binary', description }]))
  return { ...body, properties: { ...properties, ...bytes } }
}

function requestBody(endpoint: Endpoint, { parameters, describe }: DescribedArea, dialect: Dialect) {
  if (endpoint.rawBody)
    return { requestBody: { required: true, content: { [BODY_TYPES.body]: { schema: respelled(endpoint.rawBody.schema, dialect) } } } }
  const names = Object.keys(endpoint.params).filter((name) => !endpoint.pathNames.includes(name))
  if (endpoint.place === 'query' || endpoint.place === 'raw' || names.length === 0) return {}
  const wordOf = (name: string) => {
    const word = endpoint.params[name]!
    if (endpoint.place !== 'form') return word
    return isOptional(word) ? optional(describe.textParameter(word)) : describe.textParameter(word)
  }
  const schema = object(Object.fromEntries(names.map((name) => [name, wordOf(name)])))
  const required = !endpoint.isQueryRead && ((schema as { required?: string[] }).required ?? []).length > 0
  const { additionalProperties, ...open } = respelled(schema, dialect) as { additionalProperties?: boolean }
  const body = parameters.unknown === 'ignored' ? open : { ...open, additionalProperties }
  const multipart = endpoint.streamed && { [MULTIPART]: { schema: withParts(body, endpoint.streamed) } }
  return { requestBody: { required, content: { [BODY_TYPES[endpoint.place]]: { schema: body }, ...multipart } } }
}

/** How often an endpoint may be called, in words; undefined for as often as one likes. */
export type LimitOf = (endpoint: Endpoint) => string | undefined

function descriptionOf(endpoint: Endpoint, { formNote }: AreaDescription, dialect: Dialect, limitOf: LimitOf): string {
  const limit = limitOf(endpoint)
  const own = endpoint.problems.map((name) => `\`${name}\``).join(', ')
  const lines = [
    endpoint.deprecation && `Deprecated: use \`${endpoint.deprecation.successor}\`, which does the same and shares its rate limit.`,
    endpoint.description,
    endpoint.place === 'form' && formNote,
    [...endpoint.rules, ...endpoint.deferredRules].map(({ message }) => `- ${message}`).join('\n'),
    endpoint.scopes.length > 0 && `OAuth 2.0 scopes: ${endpoint.scopes.map((scope) => `\`${dialect.out(scope)}\``).join(', ')}.`,
    own && `Errors specific to this endpoint: ${own}.`,
    endpoint.isQueryRead && 'Parameters are sent as JSON, or without a body in the query.',
    limit && `${limit}.`,
    `Specification ${endpoint.section}.`,
  ]
  return lines.filter(Boolean).join('\n\n')
}

/** A form goes out with the media type of a page, as clients expect it. */
function contentOf({ answersForm, mediaType = 'application/json', answer }: Endpoint, { answerContent }: AreaDescription, schema: unknown) {
  if (answerContent) return answerContent
  if (!answersForm) return { [mediaType]: { schema } }
  const members = Object.keys((answer as { properties?: object }).properties ?? {})
  return { 'text/html': { schema: { type: 'string', description: `Form-encoded: ${members.map((name) => `${name}=…`).join('&')}` } } }
}

/** Which version every answer of its area is of, and how much is left where calls are counted. */
function headersOf(areaHeaders: Record<string, string>, isLimited: boolean) {
  const versions = Object.entries(areaHeaders).filter(([name]) => name.endsWith('version'))
  const headers = {
    ...Object.fromEntries(versions.map(([name, value]) => [name, { schema: { const: value } }])),
    ...(isLimited && RATE_HEADERS),
  }
  return Object.keys(headers).length > 0 && { headers }
}

/** Any of these will do; one of OAuth 2.0 with all of the scopes. */
function securityOf({ auth, scopes }: Endpoint, dialect: Dialect) {
  const ways = (auth.anyOf ?? [auth]).filter(({ name }) => name !== null)
  const needed = ({ scheme }: (typeof ways)[number]) => (scheme?.type === 'oauth2' ? scopes.map(dialect.out) : [])
  return ways.length > 0 && { security: ways.map((way) => ({ [way.name!]: needed(way) })) }
}

/** One operation of the OpenAPI description, and the servers that have it. */
export function operation(endpoint: Endpoint, area: DescribedArea, dialect: Dialect, servers: Servers, limitOf: LimitOf) {
  const names = endpoint.place === 'query' || endpoint.isQueryRead ? Object.keys(endpoint.params) : [...endpoint.pathNames]
  const wrapped = dialect.name === 'x' && endpoint.wrappedInX
  const schema = respelled(endpoint.answer, dialect)
  const hosts = area.describe.hostsOf?.(endpoint, servers)
  return {
    operationId: endpoint.name,
    ...(endpoint.deprecation && { deprecated: true }),
    // A summary is plain text, a description Markdown.
    summary: endpoint.summary.replaceAll('`', ''),
    description: descriptionOf(endpoint, area.describe, dialect, limitOf),
    ...securityOf(endpoint, dialect),
    ...(names.length > 0 && { parameters: names.map((name) => parameterOf(endpoint, area, name, dialect)) }),
    ...requestBody(endpoint, area, dialect),
    responses: {
      [endpoint.success]: {
        description: 'Successful response.',
        ...headersOf(area.headers, limitOf(endpoint) !== undefined),
        ...(endpoint.success !== NO_CONTENT &&
          !endpoint.answersNothing && {
            content: contentOf(
              endpoint,
              area.describe,
              wrapped ? { type: 'object', properties: { data: schema }, required: ['data'] } : schema,
            ),
          }),
      },
      default: area.describe.refusal,
    },
    ...(hosts && { servers: hosts.map((url) => ({ url })) }),
  }
}
