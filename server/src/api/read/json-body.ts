import { readExactJson } from '../../lib/numbers.ts'
import { namesIn, requestTranslator, type Translate, xNameOf } from '../declare/dialect.ts'
import { type ErrorDetail, invalidRequest } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { isSecret } from '../declare/secret-words.ts'
import { object, type Params, type TSchema } from '../declare/words.ts'
import { hasBody } from './body.ts'
import { kindOf } from './broken-rule.ts'
import { type JsonDecoder, jsonDecoderOf } from './decode-json.ts'
import { generalErrors } from './general-errors.ts'
import { parseJson } from './json.ts'
import { errorsIn } from './validator.ts'

/** How members of JSON become those of a schema: their names, and their values. */
export interface MemberReader {
  translate: Translate
  decoder: JsonDecoder | undefined
  /** Whether it holds secrets, so that no error may quote the text. */
  hasSecrets: boolean
}

export const memberReaderOf = (schema: TSchema): MemberReader => ({
  translate: requestTranslator(schema),
  decoder: jsonDecoderOf(schema),
  hasSecrets: isSecret(schema),
})

export interface Members {
  /** By declared names. */
  values: Record<string, unknown>
  /** The spelling that a name had at any depth, by its declared name; looked up only once something is wrong. */
  spellingOf(name: string): string | undefined
}

function assertObject(value: unknown): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest([{ message: `$: ${kindOf(value)} found, object expected` }])
}

function readMembers(members: Record<string, unknown>, { translate, decoder }: MemberReader): Members {
  const translated = translate ? translate(members) : members
  let names: Map<string, string> | undefined
  return {
    values: (decoder ? decoder.decode(translated) : translated) as Record<string, unknown>,
    spellingOf(name) {
      names ??= namesIn(members)
      return names.get(xNameOf(name))
    },
  }
}

/** The members of a JSON body; none without a body. Throws `invalid-request`. */
export function readJsonBody(request: RawRequest, reader: MemberReader): Members {
  if (!hasBody(request)) return readMembers({}, reader)
  const value = parseJson(request.body!, reader.decoder?.hasLongs ? readExactJson : undefined, reader.hasSecrets)
  assertObject(value)
  return readMembers(value, reader)
}

/** What a JSON value is by declared names, and every error in it. */
export interface CheckedJson {
  values: Record<string, unknown>
  errors: ErrorDetail[]
}

/** Compiles how JSON objects of a schema are read, in either spelling. Throws `invalid-request` for one that has a member in both. */
export function jsonCheckOf(schema: TSchema): (value: unknown, bytes: number) => CheckedJson {
  const reader = memberReaderOf(schema)
  return (value, bytes) => {
    assertObject(value)
    const { values, spellingOf } = readMembers(value, reader)
    const errors = generalErrors.invalidValues(errorsIn(values, schema, bytes), {
      placeOf: () => 'body',
      sentAs: (name) => spellingOf(name) ?? name,
      spell: (name) => name,
      textOf: () => undefined,
      named: new Set(),
      unset: {},
    })
    return { values, errors }
  }
}

/**
 * Reads a JSON value of so many bytes as an endpoint with these parameters reads its body: in either spelling, with every error. Throws
 * `invalid-request`.
 */
export function readJsonMembers(params: Params, value: unknown, bytes: number): Record<string, unknown> {
  const { values, errors } = jsonCheckOf(object(params))(value, bytes)
  if (errors.length > 0) throw invalidRequest(errors)
  return values
}
