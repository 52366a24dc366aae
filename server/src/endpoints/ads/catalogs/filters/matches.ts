import { foldCase, searchFor } from '../../../../lib/text.ts'
import type { ProductAttributes, ProductFilter } from '../../../../storage/catalogs.ts'
import { parseDecimal, parsePrice } from '../rules/price.ts'

/** Attributes that filters compare (§2.5). */
export const filterAttributes = [
  ...['price', 'product_type', 'google_product_category', 'sale_price', 'inventory'],
  ...[0, 1, 2, 3, 4].map((number) => `custom_label_${number}`),
]

/** Attributes with a number, which `EQUAL_TO` compares too. */
const NUMERIC: readonly string[] = ['price', 'sale_price', 'inventory']
const PRICES: readonly string[] = ['price', 'sale_price']

/** A number, of a price with its currency. */
interface Amount {
  amount: bigint
  currency?: string
}

function amountOf(text: string, mayHaveCurrency: boolean): Amount | undefined {
  const amount = parseDecimal(text)
  if (amount !== undefined) return { amount }
  return mayHaveCurrency ? parsePrice(text) : undefined
}

type Matches = (attributes: ProductAttributes) => boolean

/** What the filters of many sets ask of the same product: each text is folded once, each number parsed once. */
class ComparedProduct {
  readonly #attributes: ProductAttributes
  readonly #folded = new Map<string, string>()
  readonly #amounts = new Map<string, Amount | undefined>()

  constructor(attributes: ProductAttributes) {
    this.#attributes = attributes
  }

  text(name: string): string | undefined {
    const value = this.#attributes[name]
    return value === null || value === undefined ? undefined : String(value)
  }

  folded(name: string): string | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const folded = this.#folded.get(name) ?? foldCase(text)
    this.#folded.set(name, folded)
    return folded
  }

  amount(name: string): Amount | undefined {
    if (!this.#amounts.has(name)) this.#amounts.set(name, amountOf(this.text(name) ?? '', PRICES.includes(name)))
    return this.#amounts.get(name)
  }
}

const compared = new WeakMap<ProductAttributes, ComparedProduct>()

/** The attributes of a product must not change any more. */
function comparedProduct(attributes: ProductAttributes): ComparedProduct {
  const known = compared.get(attributes) ?? new ComparedProduct(attributes)
  compared.set(attributes, known)
  return known
}

/** Operators by what they compare. */
const comparisons = {
  GREATER_THAN: (one: bigint, other: bigint) => one > other,
  LESS_THAN: (one: bigint, other: bigint) => one < other,
  EQUAL_TO: (one: bigint, other: bigint) => one === other,
}

const texts: Record<string, (attribute: string, filter: string) => (product: ComparedProduct) => boolean> = {
  EQUAL_TO: (attribute, filter) => (product) => product.text(attribute) === filter,
  MATCH(attribute, filter) {
    const folded = foldCase(filter)
    return (product) => product.folded(attribute) === folded
  },
  CONTAINS(attribute, filter) {
    const isIn = searchFor(foldCase(filter))
    return (product) => {
      const folded = product.folded(attribute)
      return folded !== undefined && isIn(folded)
    }
  },
}

/** The operators, in the order of the specification. */
export const filterOperators = ['GREATER_THAN', 'EQUAL_TO', 'LESS_THAN', 'MATCH', 'NOT_CONTAINS', 'CONTAINS'] as const

const isNumeric = ({ attribute, operator }: ProductFilter) =>
  operator === 'GREATER_THAN' || operator === 'LESS_THAN' || (operator === 'EQUAL_TO' && NUMERIC.includes(attribute))

/** Compares numbers. A value of another currency, or that is no number, does not match. */
function compileNumeric({ attribute, operator, value }: ProductFilter): Matches {
  const mayHaveCurrency = PRICES.includes(attribute)
  const wanted = amountOf(value, mayHaveCurrency)!
  const compare = comparisons[operator as keyof typeof comparisons]
  return (attributes) => {
    const amount = comparedProduct(attributes).amount(attribute)
    if (!amount || (wanted.currency !== undefined && wanted.currency !== amount.currency)) return false
    return compare(amount.amount, wanted.amount)
  }
}

/** Compares texts. A product without the attribute matches `NOT_CONTAINS` alone. */
function compileText({ attribute, operator, value }: ProductFilter): Matches {
  const isNegated = operator === 'NOT_CONTAINS'
  const compare = texts[isNegated ? 'CONTAINS' : operator]!(attribute, value)
  return (attributes) => compare(comparedProduct(attributes)) !== isNegated
}

/** Compiles the filters of a set: a product must match all of them. */
export function compileFilters(filters: readonly ProductFilter[]): Matches {
  const compiled = filters.map((filter) => (isNumeric(filter) ? compileNumeric : compileText)(filter))
  return (attributes) => compiled.every((matches) => matches(attributes))
}

/** Why a filter has no meaning; undefined if it has. */
export function filterMistake(filter: ProductFilter): string | undefined {
  if (!isNumeric(filter)) return undefined
  const mayHaveCurrency = PRICES.includes(filter.attribute)
  if (amountOf(filter.value, mayHaveCurrency)) return undefined
  const form = mayHaveCurrency ? 'a number such as 12.50, or a price such as 12.50 USD' : 'a number such as 12.5'
  return `must be ${form} for ${filter.operator} of ${filter.attribute}`
}
