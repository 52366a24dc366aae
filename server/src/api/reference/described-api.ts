/** The OpenAPI description, as far as the reference reads it. */
export interface DescribedApi {
  info: { title: string; description?: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, SecurityScheme> }
}

export interface SecurityScheme {
  type: string
  scheme?: string
  description?: string
  flows?: Record<string, { scopes: Record<string, string> }>
}

export interface Operation {
  operationId: string
  summary: string
  description: string
  deprecated?: boolean
  tags: string[]
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, { description: string; content?: Record<string, Content> }>
  servers?: { url: string }[]
}

export interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
}

export interface Content {
  schema?: Schema
  example?: unknown
}

/** JSON Schema, and what of it the description uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
}

/** An operation and where it is. */
export interface Located {
  method: string
  path: string
  operation: Operation
}

/** The operations of a group, in the order of the description. */
export const operationsOf = ({ paths }: DescribedApi, group: string): Located[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags: names }]) => names.includes(group))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
