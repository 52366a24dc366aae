import { xNameOf } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { notNull, type TSchema } from '../declare/words.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import type { SentText } from './url-encoded.ts'

/** A parameter that stands in the query, a form or a JSON body. */
export interface DeclaredParameter {
  name: string
  word: TSchema
  /** Whether an empty value unsets it. */
  isUnsettable: boolean
}

/** By both of their spellings. */
export type DeclaredParameters = ReadonlyMap<string, DeclaredParameter>

/** The parameters of a request but those of its path, by declared names. */
export interface SentParameters {
  values: Record<string, unknown>
  /** Those that an empty value unsets. */
  unset: Record<string, null>
  /** The text parameters as they came, undeclared ones too; but not those of the credentials. */
  texts: readonly SentText[]
  /** The name that a parameter was sent under; undefined when it was not sent. */
  spellingOf(name: string): string | undefined
  errors: ErrorDetail[]
}

/** Reads parameters from where their endpoint takes them. Throws a Problem for a body that cannot be read at all. */
export type ReadSent = (request: RawRequest) => SentParameters

/** The parameters of an endpoint that do not stand in its path. */
export function declaredParameters({ params, pathNames }: Endpoint, { emptyUnsets }: ParameterPolicy): DeclaredParameters {
  const declared = new Map<string, DeclaredParameter>()
  for (const [name, own] of Object.entries(params)) {
    if (pathNames.includes(name)) continue
    const { word, nullable } = emptyUnsets ? notNull(own) : { word: own, nullable: false }
    const parameter = { name, word, isUnsettable: nullable }
    declared.set(name, parameter).set(xNameOf(name), parameter)
  }
  return declared
}
