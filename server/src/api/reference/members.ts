import { type Html, html } from '../answer/html.ts'
import type { Parameter, Schema } from './described-api.ts'
import { inline } from './prose.ts'
import { limitsOf, typeOf } from './schema-words.ts'

/** Deeper members are folded away. */
const OPEN_DEPTH = 1

interface Row {
  name: string
  required: boolean
  description?: string | undefined
  schema: Schema
}

/** The object in a schema: itself, the items of a list, or the values of a map. */
function objectIn(schema: Schema): Schema | undefined {
  if (schema.properties) return schema
  if (schema.items) return objectIn(schema.items)
  if (typeof schema.additionalProperties === 'object') return objectIn(schema.additionalProperties)
  return undefined
}

function inner(schema: Schema, depth: number): Html | false {
  const alternatives = (schema.anyOf ?? schema.items?.anyOf ?? []).filter((one) => objectIn(one))
  const bodies = objectIn(schema) ? [schema] : alternatives
  if (bodies.length === 0) return false
  const lists = html`${bodies.map((one) => members(one, depth + 1))}`
  return depth < OPEN_DEPTH ? lists : html`<details><summary>Members</summary>${lists}</details>`
}

const row = ({ name, required, description, schema }: Row, depth: number): Html =>
  html`<div><dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${required && html` <span class="required">required</span>`}</dt>
<dd>${description && html`<p>${inline(description)}</p>`}${limitsOf(schema)}${inner(schema, depth)}</dd></div>`

/** The members of an object, each with its type, limits and meaning. */
export function members(schema: Schema, depth = 0): Html {
  const { properties = {}, required = [], additionalProperties: values } = objectIn(schema) ?? {}
  const rows = Object.entries(properties).map(([name, one]) => ({
    name,
    required: required.includes(name),
    description: one.description,
    schema: one,
  }))
  const others = typeof values === 'object' ? [{ name: '…', required: false, description: 'Any other name.', schema: values }] : []
  return html`<dl>${[...rows, ...others].map((one) => row(one, depth))}</dl>`
}

/** A schema of any kind: its members, or else what it is. */
export function body(schema: Schema): Html {
  if (objectIn(schema)) return members(schema)
  const alternatives = schema.anyOf ?? []
  if (alternatives.some((one) => objectIn(one)))
    return html`${alternatives.map((one, place) => html`${place > 0 && html`<p>Or:</p>`}${body(one)}`)}`
  return html`<p>${typeOf(schema)}</p>${limitsOf(schema)}`
}

/** The parameters in the path or in the query. */
export const parameterRows = (parameters: readonly Parameter[]): Html => html`<dl>${parameters.map((one) => row(one, 0))}</dl>`
