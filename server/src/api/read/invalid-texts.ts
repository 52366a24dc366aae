import type { ErrorObject } from 'ajv'
import { mustBeOf, quotesPattern } from '../declare/codec.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import type { Naming } from '../declare/rules.ts'
import { HIDDEN_VALUE, isSecret } from '../declare/secret-words.ts'
import type { TSchema } from '../declare/words.ts'
import { broken, shown, unknownName, withName } from './broken-rule.ts'
import type { InvalidValues } from './parameter-policy.ts'

/** The steps to a value: its parameter, and of an item of a list its place. */
const stepsOf = ({ instancePath }: ErrorObject) => instancePath.split('/').slice(1)

const parameterOf = (error: ErrorObject): string => (error.keyword === 'required' ? error.params.missingProperty : stepsOf(error)[0]!)

const isItem = (error: ErrorObject) => stepsOf(error).length > 1

/** What is wrong with a text, as the end of a sentence in the words of public practice. */
function wrongText(error: ErrorObject, spell: Naming): string {
  const { keyword, params } = error
  const isName = (error.parentSchema as Record<string, unknown>)['x-dialect'] === 'value'
  const { minimum, maximum, type } = error.parentSchema as TSchema & { minimum?: number; maximum?: number; type?: string }
  const isRange = ['minimum', 'maximum', 'type'].includes(keyword)
  if (isRange && minimum !== undefined && maximum !== undefined) return `is not between ${minimum} and ${maximum}`
  const unknown = unknownName(error)
  if (unknown !== undefined) return unknown
  if (keyword === 'enum') return `is not one of [${params.allowedValues.map((value: string) => (isName ? spell(value) : value)).join(',')}]`
  if (keyword === 'type') return type === 'boolean' ? 'is not one of [true,false]' : 'is not valid'
  if (keyword !== 'pattern') return broken(error)
  const word = error.parentSchema as TSchema
  if (isItem(error) && !quotesPattern(word)) return 'is not valid'
  const mustBe = quotesPattern(word) ? undefined : mustBeOf(word)
  return mustBe === undefined ? `does not match ${params.pattern}` : `must be ${mustBe}`
}

/** One error for a parameter, whatever is wrong with it: with all its values that break the same rule, and the whole text as it was sent. */
function invalidText(errors: readonly [ErrorObject, ...ErrorObject[]], { placeOf, sentAs, spell, textOf }: InvalidValues): ErrorDetail {
  const [first] = errors
  const name = sentAs(parameterOf(first))
  // Public practice calls a placeholder of the path a query parameter too.
  const place = placeOf(first) === 'form' ? 'form' : 'query'
  const sent = first.keyword === 'required' ? undefined : textOf(name)
  const text = sent && isSecret(first.parentSchema as TSchema) ? HIDDEN_VALUE : sent
  if (!text) return withName(name, text, `The \`${name}\` ${place} parameter can not be empty`)
  const items = errors.filter((error) => isItem(error) && error.keyword === first.keyword)
  const wrong = isItem(first) ? items.map(({ data }) => shown(data)).join(',') : text
  return withName(name, text, `The \`${name}\` ${place} parameter value [${shown(wrong)}] ${wrongText(first, spell)}`)
}

/** The errors of parameters that came as text, one for each parameter (public practice). */
export const invalidTexts = (errors: readonly ErrorObject[], context: InvalidValues): ErrorDetail[] =>
  [...Map.groupBy(errors, parameterOf).values()].map((found) => invalidText(found as [ErrorObject, ...ErrorObject[]], context))
