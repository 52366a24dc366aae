import { integer, nullable, oneOf, type TSchema, text } from '../../../../api/declare/words.ts'
import { isRealMoment } from '../../../../lib/time.ts'
import { hasDecimalsOfCurrency, isCurrency, parsePrice } from './price.ts'
import { isHttpsUrl, MAX_IMAGES, MAX_URL, splitUrls } from './web-links.ts'

const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)$/

/** Milliseconds since 1970 of an ISO 8601 time with an offset; undefined if it is none. */
function momentMs(text: string): number | undefined {
  const [, time, offset] = MOMENT.exec(text) ?? []
  if (time === undefined) return undefined
  const plain = time + offset!.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`)
  return isRealMoment(plain) ? Date.parse(plain) : undefined
}

/** Two times separated by `/`; undefined if the text has another form. */
function parseInterval(text: string): { startMs: number; endMs: number } | undefined {
  const [start, end, ...more] = text.split('/').map(momentMs)
  return start === undefined || end === undefined || more.length > 0 ? undefined : { startMs: start, endMs: end }
}

/** The check digit of a GTIN, by weights of 3 and 1 from the right (GS1). */
function hasGtinCheck(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

/** The check digit of an ISBN-10, by weights of 10 to 1, where X is ten (ISO 2108 before 2007). */
function hasIsbn10Check(digits: string): boolean {
  const values = [...digits].map((digit) => (digit === 'X' ? 10 : Number(digit)))
  return values.reduce((total, value, place) => total + value * (10 - place), 0) % 11 === 0
}

/** The UPC-A that 8 digits of a UPC-E stand for (GS1): the seventh says where the zeros were left out. */
function upcAOf(digits: string): string {
  const [system, a, b, c, d, e, last, check] = [...digits] as [string, string, string, string, string, string, string, string]
  const left = {
    0: `${a}${b}${last}0000${c}${d}${e}`,
    1: `${a}${b}${last}0000${c}${d}${e}`,
    2: `${a}${b}${last}0000${c}${d}${e}`,
    3: `${a}${b}${c}00000${d}${e}`,
    4: `${a}${b}${c}${d}00000${e}`,
  }[last]
  return system + (left ?? `${a}${b}${c}${d}${e}0000${last}`) + check
}

const isUpcE = (text: string): boolean => /^[01]\d{7}$/.test(text) && hasGtinCheck(upcAOf(text))

/** Whether a text is a UPC, EAN, JAN or ISBN: 8, 12, 13 or 14 digits, or an ISBN of 10, with a correct check digit. */
function isGtin(text: string): boolean {
  if (/^\d{9}[\dX]$/.test(text)) return hasIsbn10Check(text)
  return /^(\d{8}|\d{12,14})$/.test(text) && (hasGtinCheck(text) || isUpcE(text))
}

/** A product as it is judged, by attribute. Only values of the right type are there; unset ones are missing. */
export type ProductItem = Readonly<Record<string, string | number | undefined>>

export interface RuleContext {
  /** Images on loopback may be http (development). */
  loopbackHttp: boolean
}

/** A rule of an attribute. It is checked if the attribute is set and has the right type. */
interface ItemRule {
  message: string
  holds(value: string, item: ProductItem, context: RuleContext): boolean
  /** Accepted with this message as a warning. */
  isWarning?: boolean
}

/** An attribute of a product (§2.5). */
interface Attribute {
  word: TSchema
  isRequired: boolean
  /** What a value of another type, length or set is told. */
  mustBe: string
  rules: readonly ItemRule[]
}

interface Options {
  required?: boolean
  /** What only a person can judge, for the description. */
  note?: string
  rules?: readonly ItemRule[]
}

/** The specification has no limit for these. A database index has. */
const MAX_ID = 255
const MAX_TEXT = 1000

const described = (note: string | undefined, rules: readonly ItemRule[] = []) => {
  const description = [note, ...rules.map(({ message }) => `It ${message}.`)].filter(Boolean).join(' ')
  return description === '' ? {} : { description }
}

/** Text of at most `max` characters, counted as code points. */
const ofText = (max: number, { required = false, note, rules = [] }: Options = {}): Attribute => ({
  word: text({ max, ...described(note, rules) }),
  isRequired: required,
  mustBe: `must be a text of at most ${max} characters`,
  rules,
})

const ofEnum = (values: readonly string[], { required = false }: Options = {}): Attribute => ({
  word: oneOf(values),
  isRequired: required,
  mustBe: `must be one of ${values.join(', ')}`,
  rules: [],
})

const money: ItemRule[] = [
  {
    message: 'must be a number, a space and the three capital letters of a currency, such as 12.50 USD',
    holds: (value) => parsePrice(value) !== undefined,
  },
  { message: 'must be in a currency of ISO 4217', holds: (value) => isCurrency(parsePrice(value)?.currency ?? 'USD') },
  {
    message: 'must not have more decimals than its currency has in ISO 4217',
    holds(value) {
      const price = parsePrice(value)
      return !price || !isCurrency(price.currency) || hasDecimalsOfCurrency(price)
    },
  },
]

const httpsUrl: ItemRule = { message: 'must be an absolute https URL', holds: (value) => isHttpsUrl(value) }

const imageUrl: ItemRule = { message: httpsUrl.message, holds: (value, _, { loopbackHttp }) => isHttpsUrl(value, loopbackHttp) }

/** A sentence with a lower-than sign is no HTML. */
const HTML = /<\/?[a-z][^<>]*>|<!--|<!doctype/i

/** `#ff0000`, `0xff0000`, or six hexadecimal digits by themselves, which may be a word, such as `Beaded`, unless one is decimal or each comes twice. */
const HEX_CODE =
  /#[0-9a-f]{3,8}\b|\b0x[0-9a-f]{3,8}\b|(?:^|[^0-9a-z])(?=[a-f]*[0-9]|([a-f])\1([a-f])\2([a-f])\3)[0-9a-f]{6}(?:$|[^0-9a-z])/i

const IMAGE = 'JPG, GIF, WEBP or PNG, at least 500x500 pixels, at most 5 MB. What is wrong with an image is a warning once it was fetched.'

const isBelow = (sale: string, price: unknown) => {
  const [one, other] = [parsePrice(sale), typeof price === 'string' ? parsePrice(price) : undefined]
  return !one || !other || (one.currency === other.currency && one.amount < other.amount)
}

/** What identifies a product besides its id: one of these is required. */
export const IDENTIFIERS = ['brand', 'gtin', 'mpn'] as const
export const NO_IDENTIFIER = 'brand, gtin or mpn is required'

/**
 * The attributes of a product, in the order of answers (§2.5). From this table come validation, the description of the request and the
 * schema of answers. `item_group_key` and `product_key` are not here: the service makes them.
 */
export const attributes: Readonly<Record<string, Attribute>> = {
  id: ofText(MAX_ID, { required: true, note: 'The SKU, if possible.' }),
  title: ofText(150, { required: true, note: 'It should match the title of the landing page.' }),
  description: ofText(5000, {
    required: true,
    rules: [{ message: 'must be plain text without HTML', holds: (value) => !HTML.test(value) }],
  }),
  availability: ofEnum(['in stock', 'available for order', 'preorder', 'out of stock', 'discontinued'], { required: true }),
  condition: ofEnum(['new', 'used', 'refurbished'], { required: true }),
  price: ofText(MAX_TEXT, { required: true, rules: money }),
  link: ofText(MAX_URL, { required: true, note: 'The landing page of the product.', rules: [httpsUrl] }),
  image_link: ofText(MAX_URL, { required: true, note: IMAGE, rules: [imageUrl] }),
  brand: ofText(MAX_TEXT, { note: 'Required when neither gtin nor mpn is available.' }),
  gtin: ofText(MAX_TEXT, {
    note: 'Required when neither brand nor mpn is available.',
    rules: [{ message: 'must be a UPC, EAN, JAN or ISBN without separators, with a correct check digit', holds: isGtin }],
  }),
  mpn: ofText(MAX_TEXT, { note: 'Required when neither brand nor gtin is available.' }),
  mobile_link: ofText(MAX_URL, { rules: [httpsUrl] }),
  additional_image_link: ofText((MAX_URL + 1) * MAX_IMAGES, {
    note: 'Separated by commas, with the same specifications as image_link.',
    rules: [
      { message: `must have at most ${MAX_IMAGES} URLs`, holds: (value) => splitUrls(value).length <= MAX_IMAGES },
      {
        message: 'must be absolute https URLs separated by commas',
        holds: (value, _, { loopbackHttp }) => splitUrls(value).every((url) => isHttpsUrl(url, loopbackHttp)),
      },
    ],
  }),
  google_product_category: ofText(MAX_TEXT, { note: 'A path or an id in a public product taxonomy.' }),
  product_type: ofText(MAX_TEXT, {
    note: 'A taxonomy of your own.',
    rules: [
      {
        message: "must have levels separated by ' > ', none of them empty",
        holds: (value) => value.split(' > ').every((level) => level.trim() !== '' && !/^>|>$/.test(level.trim())),
      },
    ],
  }),
  inventory: {
    word: integer({ min: 0, description: 'At least 1 when availability is `in stock`.' }),
    isRequired: false,
    mustBe: 'must be a whole number of at least 0',
    rules: [
      {
        message: 'must be at least 1 when availability is in stock',
        holds: (_, { inventory, availability }) => availability !== 'in stock' || (inventory as number) >= 1,
      },
    ],
  },
  sale_price: ofText(MAX_TEXT, {
    rules: [...money, { message: 'must be lower than price, in the same currency', holds: (value, { price }) => isBelow(value, price) }],
  }),
  sale_price_effective_date: ofText(MAX_TEXT, {
    rules: [
      {
        message: 'must be two ISO 8601 times with an offset, separated by /',
        holds: (value) => parseInterval(value) !== undefined,
      },
      {
        message: 'must begin before it ends',
        holds(value) {
          const interval = parseInterval(value)
          return !interval || interval.startMs < interval.endMs
        },
      },
      { message: 'has no effect without sale_price', holds: (_, item) => item.sale_price !== undefined, isWarning: true },
    ],
  }),
  item_group_id: ofText(MAX_ID, {
    note: 'Groups variants by size, color, age_group or gender. Required when the product has variants.',
  }),
  gender: ofEnum(['female', 'male', 'unisex']),
  color: ofText(MAX_TEXT, { rules: [{ message: 'must be a name and not a hex code', holds: (value) => !HEX_CODE.test(value) }] }),
  size: ofText(MAX_TEXT, { note: 'A word, an abbreviation or a number.' }),
  age_group: ofEnum(['adult', 'all ages', 'teen', 'kids', 'toddler', 'infant', 'newborn']),
  ...Object.fromEntries([0, 1, 2, 3, 4].map((number) => [`custom_label_${number}`, ofText(MAX_TEXT)])),
}

/** An attribute in answers: null where unset. */
export const answered = ({ word, isRequired }: Attribute): TSchema => (isRequired ? word : nullable(word))
