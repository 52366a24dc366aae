import { endOfTurn } from '../lib/clock.ts'
import { areas } from './areas.ts'
import { API_REVISION } from './declare/area-names.ts'
import type { Dialect } from './declare/dialect.ts'
import type { Endpoint } from './declare/endpoint.ts'
import type { TSchema } from './declare/words.ts'
import type { Servers } from './describe/area-description.ts'
import { definitionOf, namedIn } from './describe/describe-word.ts'
import { EVENTS_GROUP, type Group, groupOf } from './describe/groups.ts'
import { type LimitOf, operation } from './describe/operation.ts'
import { problemSchemas } from './describe/problem-schemas.ts'
import { type DescribedEvent, webhook } from './describe/webhook.ts'

/** A list of errors of a form, and what else stands beside it. */
const errorsOf = (members: object, beside: object = {}) => ({
  type: 'object',
  required: ['errors', ...Object.keys(beside)],
  properties: { errors: { type: 'array', items: { type: 'object', required: ['code', 'message'], properties: members } }, ...beside },
})

const message = { type: 'string' }

const errorsSchema = errorsOf({ code: { type: 'integer', format: 'int32' }, message, label: { type: 'string' } })

const oauth2ErrorSchema = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}

const adsErrorMembers = { code: { type: 'string' }, message, parameter: { type: 'string' }, attribute: { type: 'string' } }

const adsErrorsSchema = errorsOf(adsErrorMembers, { request: { type: 'object', properties: { params: { type: 'object' } } } })

const adsOperationErrorsSchema = {
  type: 'object',
  required: ['operation_errors', 'request'],
  properties: {
    operation_errors: {
      type: 'array',
      description: 'The errors of each operation of a batch, in their order; none for an operation that is right.',
      items: errorsOf(adsErrorMembers).properties.errors,
    },
    request: {},
  },
}

/** The shapes of other refusals (§7), by the names under which the OpenAPI description has them. */
const refusalSchemas = {
  Errors: errorsSchema,
  OAuth2Error: oauth2ErrorSchema,
  AdsErrors: adsErrorsSchema,
  AdsOperationErrors: adsOperationErrorsSchema,
}

/** The schemas that answers and events refer to by name. */
function sharedSchemas(endpoints: readonly Endpoint[], events: readonly DescribedEvent[], dialect: Dialect): Record<string, unknown> {
  const found = new Map<string, TSchema>()
  for (const { answer } of endpoints) namedIn(answer, found)
  for (const { body } of events) namedIn(body, found)
  return Object.fromEntries(
    [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, schema]) => [name, definitionOf(schema, dialect)]),
  )
}

/** A security scheme; its scopes are spelled in the dialect. */
function schemeIn(dialect: Dialect, scheme: Record<string, unknown> = {}): Record<string, unknown> {
  if (scheme.type !== 'oauth2') return scheme
  const flows = Object.entries(scheme.flows as Record<string, { scopes: Record<string, string> }>)
  const spelled = flows.map(([name, flow]) => {
    const scopes = Object.entries(flow.scopes).map(([scope, says]) => [dialect.out(scope), says])
    return [name, { ...flow, scopes: Object.fromEntries(scopes) }]
  })
  return { ...scheme, flows: Object.fromEntries(spelled) }
}

export interface Described {
  endpoints: readonly Endpoint[]
  /** What callbacks receive. */
  events: readonly DescribedEvent[]
  /** What to know before the first call, in Markdown. */
  introduction?: string
  groups?: readonly Group[]
}

/** The groups that have endpoints, and the events. */
export const tagsOf = ({ endpoints, groups = [], events }: Described) => [
  ...groups
    .filter((group) => endpoints.some(({ path }) => groupOf(groups, path) === group))
    .map(({ name, says }) => ({ name, description: says })),
  ...(events.length > 0
    ? [{ name: EVENTS_GROUP, description: 'What callbacks and streams receive: one signed request or one line for each event.' }]
    : []),
]

/** The OpenAPI 3.1 description of a map of endpoints, and of events: printed from the same declarations that serve them. */
export function openApi(described: Described, dialect: Dialect, servers: Servers, limitOf: LimitOf): OpenApi {
  const steps = describeInSteps(described, dialect, servers, limitOf)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** The same for a server: calls are served between the steps. */
export async function openApiInTurns(described: Described, dialect: Dialect, servers: Servers, limitOf: LimitOf): Promise<OpenApi> {
  const steps = describeInSteps(described, dialect, servers, limitOf)
  for (;;) {
    await endOfTurn()
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** So many endpoints are described in a step. */
const ENDPOINTS_OF_A_STEP = 25

type OpenApi = ReturnType<typeof describeInSteps> extends Generator<void, infer Api> ? Api : never

function* describeInSteps(described: Described, dialect: Dialect, servers: Servers, limitOf: LimitOf) {
  const { endpoints, events, introduction, groups = [] } = described
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [place, endpoint] of endpoints.entries()) {
    if (place % ENDPOINTS_OF_A_STEP === 0) yield
    const path = dialect.path(endpoint.path).replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: {
        ...operation(endpoint, areas[endpoint.area], dialect, servers, limitOf),
        tags: [groupOf(groups, endpoint.path)?.name ?? endpoint.area],
      },
    }
  }
  yield
  const webhooks = Object.fromEntries(events.map((event) => [event.name, webhook(event, dialect)]))
  yield
  const schemas = { ...problemSchemas(dialect), ...refusalSchemas, ...sharedSchemas(endpoints, events, dialect) }
  yield
  const ways = endpoints.flatMap(({ auth }) => auth.anyOf ?? [auth])
  const schemes = ways.flatMap(({ name, scheme }) => (name === null ? [] : [[name, schemeIn(dialect, scheme)]]))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version: API_REVISION,
      summary: 'Webhooks, sign-in and advertising API of a short-post service.',
      ...(introduction && { description: introduction }),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: servers.base_url }],
    tags: tagsOf(described),
    paths,
    webhooks,
    components: {
      schemas,
      securitySchemes: Object.fromEntries(schemes),
    },
  }
}
