import { API_REVISION } from '../declare/areas.ts'
import type { Dialect } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { isOptional, object, optional, type TSchema } from '../declare/words.ts'
import { asText, respelled } from './describe-word.ts'
import { refusalSchemas } from './refusal-schemas.ts'

const RATE_HEADERS = Object.fromEntries(
  ['limit', 'remaining', 'reset'].map((name) => [
    `x-rate-limit-${name}`,
    { schema: { type: 'integer' }, description: `Of the current window: ${name}.` },
  ]),
)

function parameterOf(endpoint: Endpoint, name: string, dialect: Dialect) {
  const word = endpoint.params[name]!
  const { description, ...schema } = asText(endpoint, word) as TSchema & { description?: string; type?: string }
  const inPath = endpoint.pathNames.includes(name)
  return {
    name: inPath ? name : dialect.out(name),
    in: inPath ? 'path' : 'query',
    required: inPath || !isOptional(word),
    ...(description && { description }),
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
  }
}

const BODY_TYPES = { body: 'application/json', form: 'application/x-www-form-urlencoded' } as const

function requestBody(endpoint: Endpoint, dialect: Dialect) {
  const names = Object.keys(endpoint.params).filter((name) => !endpoint.pathNames.includes(name))
  if (endpoint.place === 'query' || names.length === 0) return {}
  const wordOf = (name: string) => {
    const word = endpoint.params[name]!
    if (endpoint.place !== 'form') return word
    return isOptional(word) ? optional(asText(endpoint, word)) : asText(endpoint, word)
  }
  const schema = object(Object.fromEntries(names.map((name) => [name, wordOf(name)])))
  const required = ((schema as { required?: string[] }).required ?? []).length > 0
  const { additionalProperties, ...open } = respelled(schema, dialect) as { additionalProperties?: boolean }
  const body = endpoint.area.unknownParameters === 'ignored' ? open : { ...open, additionalProperties }
  return { requestBody: { required, content: { [BODY_TYPES[endpoint.place]]: { schema: body } } } }
}

/** How often an endpoint may be called, in words; undefined for as often as one likes. */
export type LimitOf = (endpoint: Endpoint) => string | undefined

function describe(endpoint: Endpoint, limitOf: LimitOf): string {
  const limit = limitOf(endpoint)
  const own = endpoint.problems.map((name) => `\`${name}\``).join(', ')
  const lines = [
    endpoint.description,
    endpoint.area.problems === 'ads' && endpoint.place === 'form' && 'Parameters stand in the query or in a form.',
    [...endpoint.rules, ...endpoint.wholeRules].map(({ says }) => `- ${says}`).join('\n'),
    own && `Refusals of its own: ${own}.`,
    limit && `${limit}.`,
    `Specification ${endpoint.section}.`,
  ]
  return lines.filter(Boolean).join('\n\n')
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const PAGE = { 'text/html': { schema: { type: 'string' } } }

const json = (schema: object) => ({ 'application/json': { schema } })

/** On every host a token that was revoked, or never was, is refused with a numeric error (§7). */
const refusals = {
  codes: { description: 'Numeric errors.', content: json(reference('Errors')) },
  'problem+json': {
    description: 'A problem (RFC 7807); a numeric error where a user token is not one.',
    content: { 'application/problem+json': { schema: reference('Problem') }, ...json(reference('Errors')) },
  },
  page: { description: 'A page that says why.', content: PAGE },
  ads: {
    description: 'Errors of the advertising API; a numeric error where the user token is not one.',
    content: json({ anyOf: [reference('AdsErrors'), reference('Errors')] }),
  },
}

/** A form goes out with the media type of a page, as clients expect it. */
function contentOf({ area, answersForm, answer }: Endpoint, schema: unknown) {
  if (area.problems === 'page') return PAGE
  if (!answersForm) return { 'application/json': { schema } }
  const members = Object.keys((answer as { properties?: object }).properties ?? {})
  return { 'text/html': { schema: { type: 'string', description: `A form: ${members.map((name) => `${name}=…`).join('&')}` } } }
}

/** Which version every answer of its area is of, and how much is left where calls are counted. */
function headersOf({ area }: Endpoint, isLimited: boolean) {
  const versions = Object.entries(area.headers).filter(([name]) => name.endsWith('version'))
  const headers = {
    ...Object.fromEntries(versions.map(([name, value]) => [name, { schema: { const: value } }])),
    ...(isLimited && RATE_HEADERS),
  }
  return Object.keys(headers).length > 0 && { headers }
}

function operation(endpoint: Endpoint, dialect: Dialect, limitOf: LimitOf) {
  const names = endpoint.place === 'query' ? Object.keys(endpoint.params) : [...endpoint.pathNames]
  const wrapped = dialect.name === 'x' && endpoint.wrappedInX
  const schema = respelled(endpoint.answer, dialect)
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    description: describe(endpoint, limitOf),
    tags: [
      endpoint.path
        .split('/')
        .slice(1, 3)
        .filter((step) => !/^\d+(\.\d+)?$/.test(step) && !step.startsWith(':'))[0] ?? endpoint.area.name,
    ],
    ...(endpoint.auth.name !== null && { security: [{ [endpoint.auth.name]: [] }] }),
    ...(names.length > 0 && { parameters: names.map((name) => parameterOf(endpoint, name, dialect)) }),
    ...requestBody(endpoint, dialect),
    responses: {
      [endpoint.success]: {
        description: 'Success.',
        ...headersOf(endpoint, limitOf(endpoint) !== undefined),
        content: contentOf(endpoint, wrapped ? { type: 'object', properties: { data: schema }, required: ['data'] } : schema),
      },
      default: refusals[endpoint.area.problems],
    },
  }
}

/** The origins of the hosts that are described. */
export interface Servers {
  base_url: string
  ads_base_url: string
  ads_sandbox_base_url: string
}

/** Where an endpoint is, if not on the general host. */
function serversOf({ area, sandboxOnly }: Endpoint, servers: Servers) {
  if (area.name !== 'ads') return {}
  const hosts = [...(sandboxOnly ? [] : [servers.ads_base_url]), servers.ads_sandbox_base_url]
  return { servers: hosts.map((url) => ({ url })) }
}

/** The OpenAPI 3.1 description of a map of endpoints: printed from the same declarations that serve them. */
export function openApi(endpoints: readonly Endpoint[], dialect: Dialect, servers: Servers, limitOf: LimitOf) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = dialect.path(endpoint.path).replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: { ...operation(endpoint, dialect, limitOf), ...serversOf(endpoint, servers) },
    }
  }
  const schemes = endpoints.flatMap(({ auth }) => (auth.name === null ? [] : [[auth.name, auth.scheme]]))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version: API_REVISION,
      summary: "The developers' gate to a short-post service.",
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: servers.base_url }],
    paths,
    components: {
      schemas: refusalSchemas,
      securitySchemes: Object.fromEntries(schemes),
    },
  }
}
