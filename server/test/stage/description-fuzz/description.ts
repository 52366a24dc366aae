/** A schema of the description, as far as the fuzz reads it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  format?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

interface DescribedOperation {
  operationId: string
  parameters?: Parameter[]
  security?: Record<string, string[]>[]
  servers?: { url: string }[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
}

export interface Description {
  servers: { url: string }[]
  paths: Record<string, Record<string, unknown>>
  components: { schemas?: Record<string, Schema> }
}

/** An operation as the description has it: nothing here comes from the declarations. */
export interface Operation {
  id: string
  method: string
  path: string
  parameters: readonly Parameter[]
  /** Ways to sign in, of which one is enough. */
  security: readonly string[]
  /** The origins that serve it. */
  origins: readonly string[]
  bodies: readonly { contentType: string; schema: Schema }[]
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export function operationsOf({ paths, servers }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method): Operation => {
      const described = item[method] as DescribedOperation
      const shared = (item.parameters ?? []) as Parameter[]
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        parameters: [...shared, ...(described.parameters ?? [])],
        security: (described.security ?? []).flatMap((way) => Object.keys(way)),
        origins: (described.servers ?? servers).map(({ url }) => url),
        bodies: Object.entries(described.requestBody?.content ?? {}).map(([contentType, { schema = {} }]) => ({ contentType, schema })),
      }
    }),
  )
}

/** A schema without a reference. */
export const resolved = ({ components }: Description, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (components.schemas?.[schema.$ref.split('/').at(-1)!] ?? {})
