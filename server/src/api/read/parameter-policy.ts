import type { ErrorObject } from 'ajv'
import type { ErrorDetail, Problem } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import type { Naming, Rule } from '../declare/rules.ts'
import type { TSchema } from '../declare/words.ts'
import type { Place, SentText, UrlEncodedPlace } from './url-encoded.ts'

/** What the message of an invalid value is written with. */
export interface InvalidValues {
  placeOf(error: ErrorObject): Place
  sentAs: Naming
  /** A declared name as the dialect writes it. */
  spell: Naming
  /** The text of a parameter as it came, by the name that it was sent under; undefined in a JSON body. */
  textOf(spelling: string): string | undefined
  /** Parameters that have an error already, as they were sent. */
  named: ReadonlySet<string>
  /** Parameters that an empty value or null unsets. */
  unset: object
}

/** How an area words the errors of parameters. */
export interface ParameterErrors {
  twoSpellings(one: SentText, other: SentText, place: UrlEncodedPlace): ErrorDetail
  brokenRule(rule: Rule, sentAs: Naming): ErrorDetail
  /** The errors of the validator. */
  invalidValues(errors: readonly ErrorObject[], context: InvalidValues): ErrorDetail[]
}

/** How an area reads the parameters of a request, where areas differ. */
export interface ParameterPolicy {
  /** What happens to parameters that are not declared. */
  unknown: 'refused' | 'ignored'
  /** `name=value&…` text that cannot be decoded: the only error that is named, or one among all others. */
  malformedText: 'refused' | 'named'
  /** Whether an empty text, or null in JSON, unsets a parameter that may be null. */
  emptyUnsets: boolean
  /** Whether answers and problems repeat the parameters that were sent. */
  echoes: boolean
  /** The text parameters of a request, and what messages call their place. */
  textOf(request: RawRequest, place: 'query' | 'form'): { source: string; place: UrlEncodedPlace }
  /** Whether parameters of a form may come as JSON instead. */
  formOrJson?: boolean
  /** Makes of text the value of a word; the text itself where it is none, so that the validator says what is wrong. */
  decodeText(word: TSchema, text: string): unknown
  /** The problem of a body of another media type than the endpoint takes; undefined where it is passed over. */
  wrongMediaType(place: 'form' | 'body'): Problem | undefined
  /** The problem of a path parameter that is not valid; without, it is an error among all others. */
  invalidPath?(name: string): Problem
  errors: ParameterErrors
}
