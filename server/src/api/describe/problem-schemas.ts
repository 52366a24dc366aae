import type { Dialect } from '../declare/dialect.ts'
import { problemKinds, webhookReasons } from '../declare/problem.ts'

const text = { type: 'string' }

const filled = { type: 'string', minLength: 1 }

const detailOfRequest = {
  type: 'object',
  required: ['message'],
  properties: { message: text, parameters: { type: 'object', additionalProperties: { type: 'array', items: text } } },
}

const disconnectTypes = [
  ...['OperationalDisconnect', 'UpstreamOperationalDisconnect', 'ForceDisconnect', 'UpstreamUncleanDisconnect', 'SlowReader'],
  ...['InternalError', 'ClientApplicationStateDegraded', 'InvalidRules'],
]

/** The members that a type of problem has besides those of every problem. */
interface OwnMembers {
  required?: readonly string[]
  properties?: Readonly<Record<string, object>>
}

/** The types of problems of §7, each with its own members. */
function ownMembers(dialect: Dialect): Readonly<Record<string, OwnMembers>> {
  const resource_type = { enum: ['user', 'post', 'media', 'list', 'space'].map(dialect.out) }
  const resource = { resource_id: text, resource_type, section: { enum: ['data', 'includes'] } }
  const asked = { parameter: filled, value: text }
  return {
    'client-disconnected': {},
    'client-forbidden': {
      properties: {
        reason: { enum: ['official-client-forbidden', 'client-not-enrolled'] },
        registration_url: { type: 'string', format: 'uri', description: 'Where an app is enrolled.' },
      },
    },
    conflict: {},
    'disallowed-resource': { required: ['resource_id', 'resource_type', 'section'], properties: { ...resource, ...asked } },
    'duplicate-rules': { properties: { id: text, value: text } },
    'invalid-request': {
      properties: {
        errors: {
          type: 'array',
          minItems: 1,
          description: `Every error in the request. The message of a webhook error begins with one of ${webhookReasons.join(', ')}.`,
          items: detailOfRequest,
        },
      },
    },
    'invalid-rules': {},
    'noncompliant-rules': {},
    'not-authorized-for-field': {
      required: ['field', 'resource_type', 'section'],
      properties: { field: text, ...resource, ...asked },
    },
    'not-authorized-for-resource': {
      required: ['value', 'resource_id', 'resource_type', 'section', 'parameter'],
      properties: { ...resource, ...asked },
    },
    'operational-disconnect': { properties: { disconnect_type: { enum: disconnectTypes } } },
    'resource-not-found': { required: ['parameter', 'resource_id', 'resource_type', 'value'], properties: { ...resource, ...asked } },
    'resource-unavailable': { required: ['parameter', 'resource_id', 'resource_type'], properties: { ...resource, ...asked } },
    'rule-cap': {},
    'streaming-connection': {
      properties: {
        connection_issue: { enum: ['TooManyConnections', 'ProvisioningSubscription', 'RuleConfigurationIssue', 'RulesInvalidIssue'] },
      },
    },
    'unsupported-authentication': {},
    'usage-capped': { properties: { period: { enum: ['Daily', 'Monthly'] }, scope: { enum: ['Account', 'Product'] } } },
  }
}

/** `resource-not-found` → `ResourceNotFoundProblem`. */
const schemaNameOf = (suffix: string) =>
  `${suffix
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Problem`

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** A problem with the members of every type, and each type with its own (§7), by the names under which the OpenAPI description has them. */
export function problemSchemas(dialect: Dialect): Record<string, object> {
  const types = Object.entries(ownMembers(dialect))
  const suffixes = Object.values(problemKinds).flatMap(({ suffix }) => suffix ?? [])
  const Problem = {
    type: 'object',
    required: ['type', 'title'],
    properties: {
      type: {
        type: 'string',
        description: `\`about:blank\`, or the problem base URL and one of: ${[...new Set(suffixes)].join(', ')}.`,
      },
      title: text,
      detail: text,
      status: { type: 'integer' },
    },
  }
  const typed = types.map(([suffix, { required = [], properties = {} }]) => [
    schemaNameOf(suffix),
    {
      allOf: [
        refTo('Problem'),
        {
          type: 'object',
          ...(required.length > 0 && { required }),
          properties: { type: { type: 'string', pattern: `/${suffix}$` }, ...properties },
        },
      ],
    },
  ])
  const names = types.map(([suffix]) => refTo(schemaNameOf(suffix)))
  return { Problem, ...Object.fromEntries(typed), AnyProblem: { anyOf: [...names, refTo('Problem')] } }
}
