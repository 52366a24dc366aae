import { type Html, html } from '../answer/html.ts'
import type { Parameter, Schema } from './described-api.ts'
import { nameOfReference, OBJECTS_PATH } from './names.ts'
import { inline } from './prose.ts'

const linkTo = (reference: string) => {
  const name = nameOfReference(reference)
  return html`<a href="${OBJECTS_PATH}#${name}">${name}</a>`
}

const shown = (value: unknown) => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`

const joined = (pieces: readonly Html[], between: string) => html`${pieces.map((piece, place) => html`${place > 0 && between}${piece}`)}`

/** What kind of value a schema allows, in a few words. */
function typeOf(schema: Schema): Html {
  const { $ref, type, format, items, anyOf } = schema
  if ($ref) return linkTo($ref)
  if ('const' in schema) return shown(schema.const)
  if (anyOf) return joined(anyOf.map(typeOf), ' or ')
  if (items) return html`list of ${typeOf(items)}`
  const words = [type ?? 'any value'].flat().join(' or ')
  return html`${words}${format && ` (${format})`}`
}

const range = (least: number | undefined, most: number | undefined, unit: string) => {
  if (least !== undefined && most !== undefined) return least === most ? `exactly ${least}${unit}` : `${least} to ${most}${unit}`
  if (most !== undefined) return `at most ${most}${unit}`
  return least !== undefined && least > 0 ? `at least ${least}${unit}` : undefined
}

/** How many values of a list are named at once; the others are folded away. */
const NAMED_AT_ONCE = 12

function valuesOf(values: readonly unknown[]): Html {
  const list = joined(values.map(shown), ', ')
  if (values.length <= NAMED_AT_ONCE) return html`<p>One of ${list}.</p>`
  return html`<details><summary>One of ${values.length} values</summary><p>${list}</p></details>`
}

/** The limits of a value: its range, length, form, values and default. */
function limitsOf(schema: Schema): Html {
  const of = schema.items && schema.enum === undefined ? { ...schema.items, ...schema } : schema
  const ranges = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' values'),
  ].filter((one) => one !== undefined)
  const says = [
    ...ranges.map((one) => html`${one}`),
    ...(of.pattern === undefined || schema.format ? [] : [html`form <code>${of.pattern}</code>`]),
    ...(schema.default === undefined ? [] : [html`default ${shown(schema.default)}`]),
    ...(schema.examples?.length ? [html`for example ${shown(schema.examples[0])}`] : []),
  ]
  return html`${says.length > 0 && html`<p class="limits">${joined(says, '; ')}</p>`}${of.enum && valuesOf(of.enum)}`
}

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
