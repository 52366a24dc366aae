import { named, nameOfWord, type Params, type TSchema } from '../../api/declare/words.ts'

interface Parts {
  properties?: Params
  items?: TSchema
  anyOf?: TSchema[]
  additionalProperties?: TSchema | false
}

const opened = new WeakMap<TSchema, TSchema>()

function open(schema: TSchema): TSchema {
  const { additionalProperties: values, ...rest } = schema as TSchema & Parts
  const { properties, items, anyOf } = rest
  const parts: Parts = {
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, openSchema(one)])) }),
    ...(items && { items: openSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(openSchema) }),
    ...(values && { additionalProperties: openSchema(values) }),
  }
  const open = { ...rest, ...parts } as TSchema
  const name = nameOfWord(schema)
  return name === undefined ? open : named(`Event${name}`, open)
}

/**
 * The same schema for what producers send: at every depth it allows members that are not declared. One with a name gets another: `EventPost`
 * beside `Post`.
 */
export function openSchema(schema: TSchema): TSchema {
  const known = opened.get(schema) ?? open(schema)
  // One that is opened stays as it is.
  opened.set(schema, known).set(known, known)
  return known
}
