import { problemKinds, webhookReasons } from '../declare/problem.ts'

const problemSchema = {
  type: 'object',
  required: ['type', 'title'],
  properties: {
    type: {
      type: 'string',
      description: `\`about:blank\`, or the problem base URL and one of: ${Object.values(problemKinds)
        .flatMap(({ suffix }) => suffix ?? [])
        .join(', ')}.`,
    },
    title: { type: 'string' },
    detail: { type: 'string' },
    status: { type: 'integer' },
    reason: { enum: ['official-client-forbidden', 'client-not-enrolled'], description: 'For `client-forbidden`.' },
    registration_url: { type: 'string', format: 'uri', description: 'For `client-forbidden`: where an app is enrolled.' },
    period: { enum: ['Daily', 'Monthly'], description: 'For `usage-capped`.' },
    scope: { enum: ['Account', 'Product'], description: 'For `usage-capped`.' },
    errors: {
      type: 'array',
      description: `For \`invalid-request\`: every error in the request. The message of a webhook error begins with one of ${webhookReasons.join(', ')}.`,
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          message: { type: 'string' },
          parameters: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
  },
}

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

/** The shapes of refusals (§7), by the names under which the OpenAPI description has them. */
export const refusalSchemas = {
  Problem: problemSchema,
  Errors: errorsSchema,
  OAuth2Error: oauth2ErrorSchema,
  AdsErrors: adsErrorsSchema,
  AdsOperationErrors: adsOperationErrorsSchema,
}
