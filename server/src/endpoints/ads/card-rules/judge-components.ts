import type { ErrorObject } from 'ajv'
import { adsError, type ErrorDetail } from '../../../api/declare/problem.ts'
import { isOptional, type Params, type TSchema, text } from '../../../api/declare/words.ts'
import { expected, shownValue } from '../../../api/read/ads-policy.ts'
import { errorsIn } from '../../../api/read/validator.ts'
import { typeOfKey } from '../media/media-key.ts'
import type { Component } from './card-types.ts'
import { type ComponentType, combinations, componentMembers, componentTypes, destinationRules, slideBounds } from './component-table.ts'

type Members = Record<string, unknown>

/** Components as they are stored, or what is wrong with them. */
interface Judged<T> {
  value: T
  errors: ErrorDetail[]
}

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (at: string, wanted: string, value: unknown) =>
  adsError('INVALID_PARAMETER', `Expected ${wanted}, got ${shownValue(value)} for ${at}`, at)

const missing = (at: string) => adsError('MISSING_PARAMETER', `"${at}" is a required parameter`, at)

const notASeq = (at: string, of: string) => adsError('INVALID_PARAMETER', `${at} is not a valid Seq: expected a list of ${of}`, at)

const propertiesOf = (word: TSchema | undefined) => (word as { properties?: Params } | undefined)?.properties

/** The members that are declared, without those that are null: clients send whole objects back, which have more. */
function declaredMembers(given: Members, declared: Params): Members {
  const kept = Object.entries(given).filter(([name, value]) => Object.hasOwn(declared, name) && value !== null)
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const inside = propertiesOf(declared[name])
      return [name, inside && isObject(value) ? declaredMembers(value, inside) : value]
    }),
  )
}

/** The schema of members, of which undeclared ones are gone already. */
const schemaOf = (members: Params) =>
  ({
    type: 'object',
    properties: members,
    required: Object.keys(members).filter((name) => !isOptional(members[name]!)),
  }) as TSchema

const schemas = Object.fromEntries(componentTypes.map((type) => [type, schemaOf({ type: text(), ...componentMembers[type] })]))

/** The path of an error: `.destination.url`, `.media_keys[1]`. */
const pathOf = ({ instancePath, keyword, params }: ErrorObject) =>
  [...instancePath.split('/').slice(1), ...(keyword === 'required' ? [params.missingProperty as string] : [])]
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('')

/** The first error of each value; of an object of the wrong type only that. */
function memberErrors(component: Members, type: ComponentType, at: string): ErrorDetail[] {
  const byPath = new Map<string, ErrorObject>()
  for (const error of errorsIn(component, schemas[type]!)) if (!byPath.has(pathOf(error))) byPath.set(pathOf(error), error)
  const wrongTypes = [...byPath.keys()].filter((path) => path.endsWith('.type')).map((path) => path.slice(0, -'type'.length))
  const isTold = (path: string) => path.endsWith('.type') || !wrongTypes.some((object) => path.startsWith(object))
  const told = [...byPath].filter(([path]) => isTold(path))
  return told.map(([path, error]) => (error.keyword === 'required' ? missing(at + path) : invalid(at + path, expected(error), error.data)))
}

/** The rules of an app destination that no schema says. */
function destinationErrors({ destination }: Members, at: string): ErrorDetail[] {
  if (!isObject(destination) || destination.type !== 'APP') return []
  const { appIds, deepLinks } = destinationRules
  if (!appIds.some((name) => name in destination)) {
    const names = appIds.map((name) => `${at}.destination.${name}`)
    return [adsError('MISSING_PARAMETER', `at least one of ${names.join(', ')} is required`, names[0])]
  }
  return Object.entries(deepLinks).flatMap(([link, id]) => {
    const [linkAt, idAt] = [link, id].map((name) => `${at}.destination.${name}`)
    const isLost = link in destination && !(id in destination)
    return isLost ? [adsError('INCLUSIVE_PARAMETERS', `${idAt} is required when ${linkAt} is set`, idAt)] : []
  })
}

const mediaError = (key: string, at: string) => {
  const type = typeOfKey(key)
  if (type === 'IMAGE' || type === 'VIDEO') return []
  return [adsError('INVALID_MEDIA', `${at} must be an image or a video, and ${key} is ${type === 'GIF' ? 'a GIF' : 'neither'}`, at)]
}

/** A card shows images and videos alone. */
function mediaErrors({ media_key, media_keys }: Members, at: string): ErrorDetail[] {
  if (typeof media_key === 'string') return mediaError(media_key, `${at}.media_key`)
  return Array.isArray(media_keys) ? media_keys.flatMap((key, index) => mediaError(key, `${at}.media_keys[${index}]`)) : []
}

function judgeComponent(given: unknown, at: string): Judged<Component | undefined> {
  if (!isObject(given)) return { value: undefined, errors: [invalid(at, 'an object', given)] }
  const { type } = given
  if (type === undefined || type === null) return { value: undefined, errors: [missing(`${at}.type`)] }
  const known = componentTypes.find((one) => one === type)
  if (!known) return { value: undefined, errors: [invalid(`${at}.type`, `a value in ${componentTypes.join(', ')}`, type)] }
  const value = declaredMembers(given, { type: text(), ...componentMembers[known] }) as Component
  const wrong = memberErrors(value, known, at)
  const errors = wrong.length > 0 ? wrong : [...destinationErrors(value, at), ...mediaErrors(value, at)]
  return { value: errors.length > 0 ? value : withUpperCase(value), errors }
}

/** Country codes are stored in capitals. */
function withUpperCase(component: Component): Component {
  const { destination } = component
  if (!isObject(destination) || typeof destination.country_code !== 'string') return component
  return { ...component, destination: { ...destination, country_code: destination.country_code.toUpperCase() } }
}

/** Whether components are one of media and one action. */
function combinationErrors(components: readonly Component[], at: string, form: keyof typeof combinations): ErrorDetail[] {
  const { media, action } = combinations[form]
  const count = (types: readonly string[]) => components.filter(({ type }) => types.includes(type)).length
  if (components.length === 2 && count(media) === 1 && count(action) === 1) return []
  const message = `${at} must be one component of ${media.join(' or ')} and one of ${action.join(' or ')}`
  return [adsError('INVALID_CARD_COMPONENTS_COMBINATION', message, at)]
}

function judgeList(given: unknown, at: string, form: keyof typeof combinations): Judged<Component[]> {
  if (!Array.isArray(given)) return { value: [], errors: [notASeq(at, 'components')] }
  const judged = given.map((one, index) => judgeComponent(one, `${at}[${index}]`))
  const value = judged.flatMap((one) => one.value ?? [])
  const isTyped = value.length === given.length
  return { value, errors: [...judged.flatMap(({ errors }) => errors), ...(isTyped ? combinationErrors(value, at, form) : [])] }
}

/** The components of a card, in the order in which they are shown. */
export const judgeComponents = (given: unknown): Judged<Component[]> => judgeList(given, 'components', 'components')

/** The slides of a card with a destination for each. */
export function judgeSlides(given: unknown): Judged<Component[][]> {
  if (!Array.isArray(given)) return { value: [], errors: [notASeq('slides', 'slides, each a list of components')] }
  const { min, max } = slideBounds
  if (given.length < min || given.length > max)
    return { value: [], errors: [invalid('slides', `a list of between ${min} and ${max} values`, given)] }
  const judged = given.map((slide, index) => judgeList(slide, `slides[${index}]`, 'slide'))
  return { value: judged.map(({ value }) => value), errors: judged.flatMap(({ errors }) => errors) }
}
