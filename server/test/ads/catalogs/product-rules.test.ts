// Every rule of the table of §2.5, both ways, with values and messages written out from the specification.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { judgeItem } from '../../../src/endpoints/ads/catalogs/rules/judge-item.ts'
import { cup } from '../../stage/catalogs.ts'

const judge = (more: Record<string, unknown>, loopbackHttp = false) => judgeItem(cup(more), { loopbackHttp })

const letters = (count: number) => 'x'.repeat(count)
/** One code point, two UTF-16 units. */
const faces = (count: number) => '😀'.repeat(count)
const urls = (count: number) => Array.from({ length: count }, (_, index) => `https://a.example/${index}.png`).join(',')

const PRICE_FORM = 'must be a number, a space and the three capital letters of a currency, such as 12.50 USD'
const CURRENCY = 'must be in a currency of ISO 4217'
const DECIMALS = 'must not have more decimals than its currency has in ISO 4217'
const HTTPS = 'must be an absolute https URL'
const GTIN = 'must be a UPC, EAN, JAN or ISBN without separators, with a correct check digit'
const LEVELS = "must have levels separated by ' > ', none of them empty"
const WHOLE = 'must be a whole number of at least 0'
const LOWER = 'must be lower than price, in the same currency'
const INTERVAL = 'must be two ISO 8601 times with an offset, separated by /'
const HTML = 'must be plain text without HTML'
const HEX = 'must be a name and not a hex code'

/** An attribute, what is said of wrong values, values that pass, and values that do not; with other attributes of the product. */
type Row = [attribute: string, message: string, right: unknown[], wrong: unknown[], more?: Record<string, unknown>]

const table: Row[] = [
  ['id', 'must be a text of at most 255 characters', ['a', letters(255), faces(255), 'SKU 1/ü'], [letters(256), 7, ['a'], { a: 1 }, true]],
  ['title', 'must be a text of at most 150 characters', [letters(150), faces(150)], [letters(151), faces(151), 5]],
  ['description', 'must be a text of at most 5000 characters', [letters(5000), faces(5000)], [letters(5001), faces(5001)]],
  [
    'description',
    HTML,
    ['1 < 2 and 3 > 2', 'a <b', 'AT&T'],
    ['<b>bold</b>', 'a<br/>b', '<a href="x">', '</p >', '<!-- x -->', '<!DOCTYPE html>'],
  ],
  [
    'availability',
    'must be one of in stock, available for order, preorder, out of stock, discontinued',
    ['in stock', 'available for order', 'preorder', 'out of stock', 'discontinued'],
    ['In Stock', 'in_stock', 'sold', 1],
  ],
  ['condition', 'must be one of new, used, refurbished', ['new', 'used', 'refurbished'], ['New', 'old']],
  [
    'price',
    PRICE_FORM,
    ['1 USD', '0 USD', '1.5 USD', '1.50 USD', '999999999999999 JPY'],
    [
      '1',
      'USD',
      '1USD',
      '1  USD',
      '1,50 EUR',
      '1. USD',
      '.5 USD',
      '-1 USD',
      '+1 USD',
      '1e3 USD',
      '1 usd',
      '$1',
      '1 US',
      '1 USDX',
      ' 1 USD',
      '1 USD ',
      '1.2.3 USD',
    ],
  ],
  ['price', 'must be a text of at most 1000 characters', [], [12.5, 12]],
  ['price', CURRENCY, ['1 EUR', '1 XCG', '1 VES', '1 SLE', '1 ZWG'], ['1 XYZ', '1 DEM', '1 FRF', '1 XXX', '1 AAA']],
  [
    'price',
    DECIMALS,
    [
      '1.23 USD',
      '100 JPY',
      '1.234 KWD',
      '1.234 IQD',
      '1.2345 CLF',
      '1.23 HUF',
      '1.23 AFN',
      '1.23 MGA',
      '1 KRW',
      '5 ISK',
      '1.234 BHD',
      '1.2345 UYW',
    ],
    ['1.234 USD', '100.5 JPY', '100.0 JPY', '1.2345 KWD', '1.23456 CLF', '1.234 HUF', '1.234 MGA', '1.5 KRW', '1.5 ISK', '1.5 CLP'],
  ],
  [
    'link',
    HTTPS,
    ['https://a.example', 'https://a.example:8443/x?y=1#z', 'HTTPS://A.EXAMPLE/', 'https://münchen.example/ä'],
    [
      'http://a.example',
      'ftp://a.example',
      'a.example',
      '//a.example',
      'https://',
      'https:// a',
      'https://a b',
      'https://user@a.example',
      'javascript:alert(1)',
      'http://127.0.0.1/x',
    ],
  ],
  ['link', HTTPS, ['https://a.example?x', 'https://a.example#x'], ['https://?x', 'https://#x', `https://${'?'.repeat(1990)} `]],
  ['link', 'must be a text of at most 2000 characters', [`https://a.example/${letters(1982)}`], [`https://a.example/${letters(1983)}`]],
  ['mobile_link', HTTPS, ['https://m.a.example/x'], ['http://m.a.example']],
  ['image_link', HTTPS, ['https://a.example/x.png'], ['http://a.example/x.png', 'http://127.0.0.1:8080/x.png']],
  ['additional_image_link', 'must have at most 10 URLs', [urls(1), urls(10), 'https://a.example/1, https://a.example/2'], [urls(11)]],
  [
    'additional_image_link',
    'must be absolute https URLs separated by commas',
    [urls(2)],
    [`${urls(1)},http://a.example/x`, `${urls(1)},`, 'https://a.example/1;https://a example/2'],
  ],
  [
    'gtin',
    GTIN,
    // UPC-A, UPC-E, EAN-13, JAN, EAN-8, GTIN-14 and ISBN of 10 and 13.
    [
      '036000291452',
      '06543217',
      '01234505',
      '04252614',
      '01234133',
      '01234543',
      '01234565',
      '4006381333931',
      '4901234567894',
      '96385074',
      '10012345678902',
      '0306406152',
      '080442957X',
      '9780306406157',
    ],
    [
      '036000291453',
      '4006381333932',
      '96385075',
      '06543218',
      '26543217',
      '10012345678903',
      '0306406153',
      '0804429570',
      '9780306406158',
      '123',
      '1234567',
      '978-0-306-40615',
      '00036000291453',
      'X306406152',
    ],
  ],
  [
    'google_product_category',
    'must be a text of at most 1000 characters',
    ['Home & Garden > Cups', '632', letters(1000)],
    [632, letters(1001)],
  ],
  [
    'product_type',
    LEVELS,
    ['Home', 'Home > Cups', 'A > B > C', 'Cups & more'],
    ['Home >', '> Cups', 'Home >  > Cups', ' > ', 'Home > > Cups'],
  ],
  ['inventory', WHOLE, [0, 1, 9_007_199_254_740_991], [-1, 1.5, '1', true, 9_007_199_254_740_992], { availability: 'preorder' }],
  ['inventory', 'must be at least 1 when availability is in stock', [1, 100], [0], { availability: 'in stock' }],
  ['inventory', 'must be at least 1 when availability is in stock', [0], [], { availability: 'out of stock' }],
  ['sale_price', PRICE_FORM, ['10 USD'], ['10', 'cheap', '10 usd']],
  ['sale_price', CURRENCY, [], ['10 XYZ']],
  ['sale_price', DECIMALS, [], ['10.123 USD']],
  [
    'sale_price',
    LOWER,
    ['12.49 USD', '0 USD', '12.4 USD'],
    ['12.50 USD', '12.5 USD', '13 USD', '9 EUR', '100 JPY'],
    { price: '12.50 USD' },
  ],
  [
    'sale_price_effective_date',
    INTERVAL,
    [
      '2026-03-01T12:00:00Z/2026-03-02T12:00:00Z',
      '2026-03-01T12:00:00.000Z/2026-03-01T12:00:00.001Z',
      '2026-03-01T12:00+0100/2026-03-01T12:00-08:00',
      '2026-03-01T12:00:00+01/2026-03-01T12:00:00-08',
    ],
    [
      '2026-03-01T12:00:00Z',
      '2026-03-01/2026-03-02',
      '2026-03-01T12:00:00/2026-03-02T12:00:00',
      '2026-02-30T12:00:00Z/2026-03-02T12:00:00Z',
      '2026-03-01T12:00:00Z - 2026-03-02T12:00:00Z',
      '2026-03-01T12:00:00Z/2026-03-02T12:00:00Z/2026-03-03T12:00:00Z',
      '2026-03-01T25:00:00Z/2026-03-02T12:00:00Z',
    ],
    { sale_price: '10 USD' },
  ],
  [
    'sale_price_effective_date',
    'must begin before it ends',
    ['2026-03-01T12:00:00+02:00/2026-03-01T11:00:00Z'],
    [
      '2026-03-02T12:00:00Z/2026-03-01T12:00:00Z',
      '2026-03-01T12:00:00Z/2026-03-01T12:00:00Z',
      '2026-03-01T12:00:00Z/2026-03-01T12:00:00+02:00',
    ],
    { sale_price: '10 USD' },
  ],
  ['item_group_id', 'must be a text of at most 255 characters', ['cups', letters(255)], [letters(256), 5]],
  ['gender', 'must be one of female, male, unisex', ['female', 'male', 'unisex'], ['Female', 'other', 1]],
  [
    'color',
    HEX,
    ['red', 'navy blue', 'Red/White', 'grey', 'RAL 3020', '#1 red', 'Beaded', 'Facade blue'],
    ['#ff0000', '#FFF', 'red #ff0000', 'ff0000', 'FFFFFF', '0xff0000', 'red/00ff00', 'aabbcc'],
  ],
  ['size', 'must be a text of at most 1000 characters', ['XL', 'large', '42'], [42, letters(1001)]],
  [
    'age_group',
    'must be one of adult, all ages, teen, kids, toddler, infant, newborn',
    ['adult', 'all ages', 'teen', 'kids', 'toddler', 'infant', 'newborn'],
    ['Adult', 'baby'],
  ],
  ...[0, 1, 2, 3, 4].map(
    (number): Row => [`custom_label_${number}`, 'must be a text of at most 1000 characters', ['Sale', letters(1000)], [letters(1001), 1]],
  ),
  ['brand', 'must be a text of at most 1000 characters', ['Cups'], [1]],
  ['mpn', 'must be a text of at most 1000 characters', ['M-1'], [1]],
]

suite('the rules of products', () => {
  for (const [attribute, message, right, wrong, more = {}] of table)
    test(`${attribute} ${message}${Object.keys(more).length > 0 ? ` (${JSON.stringify(more)})` : ''}`, () => {
      for (const value of right) {
        const { errors, attributes } = judge({ ...more, [attribute]: value })
        assert.deepEqual(errors, [], `${attribute}=${value}`)
        assert.equal(attributes[attribute], value)
      }
      for (const value of wrong)
        assert.deepEqual(
          judge({ ...more, [attribute]: value }).errors,
          [`${attribute} ${message}`],
          `${attribute}=${JSON.stringify(value)}`,
        )
    })

  for (const name of ['id', 'title', 'description', 'availability', 'condition', 'price', 'link', 'image_link'])
    test(`${name} is required`, () => {
      for (const unset of [undefined, null, '']) assert.deepEqual(judge({ [name]: unset }).errors, [`${name} is required`])
    })

  test('brand, gtin or mpn is required: any one of them will do', () => {
    for (const one of [{ brand: 'Cups' }, { gtin: '4006381333931' }, { mpn: 'M-1' }])
      assert.deepEqual(judge({ brand: null, ...one }).errors, [])
    for (const unset of [undefined, null, '']) assert.deepEqual(judge({ brand: unset }).errors, ['brand, gtin or mpn is required'])
  })

  test('every other attribute is optional: null and an empty text unset it', () => {
    const optional = [
      ...['brand', 'gtin', 'mpn', 'mobile_link', 'additional_image_link', 'google_product_category', 'product_type', 'inventory'],
      ...['sale_price', 'sale_price_effective_date', 'item_group_id', 'gender', 'color', 'size', 'age_group'],
      ...[0, 1, 2, 3, 4].map((number) => `custom_label_${number}`),
    ]
    for (const name of optional)
      for (const unset of [null, '']) {
        const { errors, attributes } = judge({ brand: 'Cups', mpn: 'M-1', [name]: unset })
        assert.deepEqual([errors, attributes[name]], [[], null], name)
      }
  })

  test('all errors of an item are named at once', () => {
    assert.deepEqual(judge({ title: '', price: 'free', color: '#fff', inventory: 0 }).errors, [
      'title is required',
      `price ${PRICE_FORM}`,
      'inventory must be at least 1 when availability is in stock',
      `color ${HEX}`,
    ])
  })

  test('an effective date without a sale price, and an unknown attribute, are warnings', () => {
    const date = { sale_price_effective_date: '2026-03-01T12:00:00Z/2026-03-02T12:00:00Z' }
    const { errors, warnings } = judge({ ...date, colour: 'red' })
    assert.deepEqual(
      [errors, warnings],
      [[], ['sale_price_effective_date has no effect without sale_price', 'ignored unknown attributes: colour']],
    )
    assert.deepEqual(judge({ ...date, sale_price: '10 USD' }).warnings, [])
  })

  test('in development images on loopback may be http', () => {
    const image = 'http://127.0.0.1:8080/x.png'
    assert.deepEqual(judge({ image_link: image, additional_image_link: image }, true).errors, [])
    assert.deepEqual(judge({ image_link: 'http://192.168.0.1/x.png' }, true).errors, [`image_link ${HTTPS}`])
    assert.deepEqual(judge({ link: image }, true).errors, [`link ${HTTPS}`])
  })
})
