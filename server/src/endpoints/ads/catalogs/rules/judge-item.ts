import { badTextIn } from '../../../../api/read/json.ts'
import { errorsIn } from '../../../../api/read/validator.ts'
import type { ProductAttributes } from '../../../../storage/catalogs.ts'
import { attributes, IDENTIFIERS, NO_IDENTIFIER, type ProductItem, type RuleContext } from './attributes.ts'

/** An item of a request, judged by itself. */
export interface Judged {
  /** Every attribute; null where unset or wrong. */
  attributes: ProductAttributes
  errors: string[]
  warnings: string[]
  /** The keys that were sent; they must be those of the product and of its group. */
  productKey: string | undefined
  itemGroupKey: string | undefined
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== ''

/** Attributes that the service makes. */
const GENERATED = ['product_key', 'item_group_key'] as const

const MAX_NAMED = 5
const MAX_NAME = 40

/** Values of the declared type, and what is told of the others. */
function readValues(sent: Readonly<Record<string, unknown>>) {
  const item: Record<string, string | number> = {}
  const errors: string[] = []
  for (const [name, { word, isRequired, mustBe }] of Object.entries(attributes)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (!isSet(value)) {
      if (isRequired) errors.push(`${name} is required`)
      continue
    }
    const bad = badTextIn(value)
    if (bad !== undefined) errors.push(`${name} contains ${bad}`)
    else if (errorsIn(value, word).length > 0) errors.push(`${name} ${mustBe}`)
    else item[name] = value as string | number
  }
  return { item, errors }
}

/** The first broken rule of each attribute; one of a warning does not hide an error. */
function brokenRules(item: ProductItem, context: RuleContext) {
  const errors: string[] = []
  const warnings: string[] = []
  for (const [name, { rules }] of Object.entries(attributes)) {
    const value = item[name]
    if (value === undefined) continue
    const broken = rules.filter(({ holds }) => !holds(value as string, item, context))
    const error = broken.find(({ isWarning }) => !isWarning)
    if (error) errors.push(`${name} ${error.message}`)
    for (const { message } of broken.filter(({ isWarning }) => isWarning)) warnings.push(`${name} ${message}`)
  }
  return { errors, warnings }
}

/** A key of the service that was sent. */
function keyIn(sent: Readonly<Record<string, unknown>>, name: (typeof GENERATED)[number], errors: string[]): string | undefined {
  const value = sent[name]
  if (!isSet(value)) return undefined
  if (typeof value === 'string' && badTextIn(value) === undefined) return value
  errors.push(`${name} must be a text`)
  return undefined
}

/** A typing error in a name would lose its value silently. */
function unknownNames(sent: object): string[] {
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(attributes, name) && !GENERATED.includes(name as 'product_key'))
  if (unknown.length === 0) return []
  const named = unknown.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME).toWellFormed())
  return [`ignored unknown attributes: ${named.join(', ')}${unknown.length > MAX_NAMED ? ' and others' : ''}`]
}

/**
 * Judges an item by the rules of §2.5: errors refuse it, warnings do not. An empty text and null unset an attribute. Rules that need the
 * catalog are not checked here.
 */
export function judgeItem(sent: Readonly<Record<string, unknown>>, context: RuleContext): Judged {
  const { item, errors } = readValues(sent)
  const broken = brokenRules(item, context)
  errors.push(...broken.errors)
  if (!IDENTIFIERS.some((name) => isSet(sent[name]))) errors.push(NO_IDENTIFIER)
  const productKey = keyIn(sent, 'product_key', errors)
  const itemGroupKey = keyIn(sent, 'item_group_key', errors)
  const all = Object.fromEntries(Object.keys(attributes).map((name) => [name, item[name] ?? null]))
  return { attributes: all, errors, warnings: [...broken.warnings, ...unknownNames(sent)], productKey, itemGroupKey }
}
