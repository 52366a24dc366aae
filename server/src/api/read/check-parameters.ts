import type { ErrorObject } from 'ajv'
import type { Caller } from '../declare/auth.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import type { Naming, Rule } from '../declare/rules.ts'
import { isOptional, notNull, object, optional, type Params, type TSchema } from '../declare/words.ts'
import type { SentParameters } from './declared-parameters.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import type { Place } from './url-encoded.ts'
import { errorsIn } from './validator.ts'

type Values = Record<string, unknown>

/** What of a request is checked, and what messages need of it. */
interface Checked {
  path: Values
  sent: SentParameters
  sentAs: Naming
  textOf: (spelling: string) => string | undefined
  caller: Caller | undefined
}

export interface CheckResult {
  /** All values, by declared names, wrong ones too. */
  values: Values
  /** Errors of single values. */
  invalid: readonly ErrorDetail[]
  /** Rules between values of which none is wrong by itself. */
  broken: readonly ErrorDetail[]
  /** The parameters that cannot be read or are not valid, as they were sent. */
  wrong: ReadonlySet<string>
}

/** The parameters that errors are about, as they were sent. */
export const parameterNames = (errors: readonly ErrorDetail[]): Set<string> =>
  new Set(errors.flatMap(({ parameters = {} }) => Object.keys(parameters)))

/** The schema of the values. Where an empty value unsets a parameter, null is none of its values. */
function makeSchema(params: Params, emptyUnsets: boolean): TSchema {
  if (!emptyUnsets) return object(params)
  const withoutNull = (declared: TSchema) => {
    const { word } = notNull(declared)
    return isOptional(declared) ? optional(word) : word
  }
  return object(Object.fromEntries(Object.entries(params).map(([name, word]) => [name, withoutNull(word)])))
}

/** Schemas by whether an empty value unsets. */
const schemas = [new WeakMap<Params, TSchema>(), new WeakMap<Params, TSchema>()] as const

/** One schema for all servers of a process: the validator keeps what it has compiled by schema. */
function schemaOf(params: Params, emptyUnsets: boolean): TSchema {
  const known = schemas[emptyUnsets ? 1 : 0]
  const schema = known.get(params) ?? makeSchema(params, emptyUnsets)
  known.set(params, schema)
  return schema
}

const NONE: ReadonlySet<string> = new Set()

function isEmpty(values: object): boolean {
  for (const _ in values) return false
  return true
}

/** Compiles how parameters are checked: each by its word, and all of them by the rules between them. */
export function compileChecks({ params, pathNames, place, rules }: Endpoint, { errors, emptyUnsets }: ParameterPolicy, spell: Naming) {
  const schema = schemaOf(params, emptyUnsets)
  const placeInRequest = place === 'raw' ? 'query' : place
  const placeOf = ({ instancePath }: ErrorObject): Place => (pathNames.includes(instancePath.split('/')[1] ?? '') ? 'path' : placeInRequest)
  return ({ path, sent, sentAs, textOf, caller }: Checked): CheckResult => {
    const { unset, errors: unread } = sent
    const present = Object.assign(sent.values, path)
    const found = errorsIn(present, schema)
    const invalid =
      found.length === 0 ? [] : errors.invalidValues(found, { placeOf, sentAs, spell, textOf, named: parameterNames(unread), unset })
    const wrong = unread.length + invalid.length === 0 ? NONE : parameterNames([...unread, ...invalid])
    const isWrong = (name: string) => wrong.has(sentAs(name))
    const values = isEmpty(unset) ? present : { ...present, ...unset }
    const isBroken = ({ parameters, holds }: Rule) => !(wrong.size > 0 && parameters.some(isWrong)) && !holds(values, caller)
    const broken = rules.filter(isBroken).map((rule) => errors.brokenRule(rule, sentAs))
    return { values, invalid, broken, wrong }
  }
}
