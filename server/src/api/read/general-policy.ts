import type { ErrorObject } from 'ajv'
import { didYouMean } from '../../lib/nearest.ts'
import { mustBeOf } from '../declare/codec.ts'
import { type ErrorDetail, invalidRequest, MAX_ERRORS } from '../declare/problem.ts'
import { sentenceOf } from '../declare/rules.ts'
import { HIDDEN_VALUE, isSecret } from '../declare/secret-words.ts'
import type { TSchema } from '../declare/words.ts'
import { CONTENT_TYPES, formText } from './body.ts'
import { broken, shown, unknownName, withName } from './broken-rule.ts'
import { strictText } from './decode-text.ts'
import { invalidTexts } from './invalid-texts.ts'
import type { InvalidValues, ParameterErrors, ParameterPolicy } from './parameter-policy.ts'

const unescapePointer = (pointer: string) => pointer.replaceAll('~1', '/').replaceAll('~0', '~')

/** The path of an error: `['filter', 'user_id']`. */
const stepsOf = (error: ErrorObject) => error.instancePath.split('/').slice(1).map(unescapePointer)

const missingMember = (name: string) => withName(name, undefined, `$.${name}: is missing but it is required`)

/** The value that broke a rule, unless it is a secret. */
const shownValue = ({ data, parentSchema }: ErrorObject): unknown => (isSecret(parentSchema as TSchema) ? HIDDEN_VALUE : data)

/** An error of the validator in a JSON body, with the member as it was sent, and the rule that it breaks. */
function invalidMember(error: ErrorObject, { sentAs, spell }: Pick<InvalidValues, 'sentAs' | 'spell'>): ErrorDetail {
  const steps = stepsOf(error).map(sentAs)
  if (error.keyword === 'required') return missingMember([...steps, sentAs(error.params.missingProperty)].join('.'))
  if (error.keyword === 'additionalProperties') {
    const name = [...steps, error.params.additionalProperty].join('.')
    const known = Object.keys(error.parentSchema?.properties ?? {}).map(spell)
    const meant = didYouMean(error.params.additionalProperty, known)
    const what = 'is not defined in the schema and the schema does not allow additional properties'
    return withName(name, undefined, `$.${name}: ${what}${meant && `.${meant}`}`)
  }
  const name = steps.join('.')
  const unknown = unknownName(error)
  if (unknown !== undefined) return withName(name, error.data, `$.${name}: ${shown(error.data)} ${unknown}`)
  const mustBe = error.keyword === 'pattern' ? mustBeOf(error.parentSchema as TSchema) : undefined
  return withName(name, shownValue(error), mustBe === undefined ? `$.${name}: ${broken(error)}` : `${name} must be ${mustBe}`)
}

/** Errors as the general API words them (§7, public practice). */
export const generalErrors: ParameterErrors = {
  twoSpellings: (one, other, place) => ({
    message: `Duplicate parameters are not allowed: the \`${one.name}\` ${place} parameter and the \`${other.name}\` ${place} parameter`,
    parameters: { [one.name]: [one.value], [other.name]: [other.value] },
  }),
  brokenRule: (rule, sentAs) => ({
    message: `${sentenceOf(rule, (name) => `\`${sentAs(name)}\``)}.`,
    parameters: { [sentAs(rule.parameters[0]!)]: [] },
  }),
  invalidValues(errors, context) {
    const [inBody, inText] = [true, false].map((wanted) => errors.filter((error) => (context.placeOf(error) === 'body') === wanted))
    // A large body can have a hundred thousand, and words for each take longer than the check.
    return [...invalidTexts(inText!, context), ...inBody!.slice(0, MAX_ERRORS).map((error) => invalidMember(error, context))]
  },
}

/** Parameters where nothing but what is declared may be sent. */
export const jsonPolicy: ParameterPolicy = {
  unknown: 'refused',
  malformedText: 'refused',
  emptyUnsets: false,
  echoes: false,
  textOf: (request, place) => ({ source: place === 'form' ? formText(request) : request.query, place }),
  decodeText: strictText,
  wrongMediaType: (place) =>
    place === 'body' ? invalidRequest([{ message: `Requests with bodies must have content-type of ${CONTENT_TYPES.body}.` }]) : undefined,
  errors: generalErrors,
}

/** The same where parameters that are not declared are passed over. */
export const formPolicy: ParameterPolicy = { ...jsonPolicy, unknown: 'ignored' }

/** The same where parameters come in the body, as a form or as JSON, and never in the query, which is logged (RFC 6749, section 2.3.1). */
export const formOrJsonPolicy: ParameterPolicy = {
  ...formPolicy,
  formOrJson: true,
  textOf: (request) => ({ source: formText({ ...request, query: '' }), place: 'form' }),
}
