import type { Schema } from './described-api.ts'

const byType: Record<string, unknown> = { string: 'text', integer: 1, number: 1, boolean: true }

/** A value that a schema allows: its own example, or else the plainest one. */
export function exampleOf(schema: Schema): unknown {
  const { examples, enum: values, anyOf, items, properties, required = [] } = schema
  if (examples?.length) return examples[0]
  if ('const' in schema) return schema.const
  if (schema.default !== undefined) return schema.default
  if (values) return values.find((value) => value !== null)
  if (anyOf) return exampleOf(anyOf[0]!)
  if (items) return [exampleOf(items)]
  if (properties) return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]))
  const type = [schema.type].flat().find((one) => one !== 'null')
  return type === 'object' ? {} : (byType[type ?? 'string'] ?? 'text')
}
