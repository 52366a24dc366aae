import { type Html, html } from '../answer/html.ts'
import type { Schema } from './described-api.ts'
import { nameOfReference, OBJECTS_PATH } from './names.ts'

const linkTo = (reference: string) => {
  const name = nameOfReference(reference)
  return html`<a href="${OBJECTS_PATH}#${name}">${name}</a>`
}

const shown = (value: unknown) => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`

const joined = (pieces: readonly Html[], between: string) => html`${pieces.map((piece, place) => html`${place > 0 && between}${piece}`)}`

/** What kind of value a schema allows, in a few words. */
export function typeOf(schema: Schema): Html {
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
export function limitsOf(schema: Schema): Html {
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
