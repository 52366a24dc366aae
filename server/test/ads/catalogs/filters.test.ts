import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compileFilters, filterMistake } from '../../../src/endpoints/ads/catalogs/filters/matches.ts'

type Row = [attribute: string, operator: string, value: string, matching: (string | number | null)[], others: (string | number | null)[]]

const table: Row[] = [
  ['price', 'GREATER_THAN', '10', ['10.01 USD', '11 EUR', '100 JPY'], ['10 USD', '10.00 USD', '9.99 USD', null]],
  ['price', 'GREATER_THAN', '10 USD', ['10.01 USD'], ['11 EUR', '10 USD', null]],
  ['price', 'LESS_THAN', '10.5', ['10.49 USD', '9 EUR'], ['10.50 USD', '10.5 USD', '11 USD', null]],
  ['price', 'EQUAL_TO', '10.5', ['10.50 USD', '10.5 EUR'], ['10.51 USD', '105 USD', null]],
  ['price', 'EQUAL_TO', '10.5 USD', ['10.50 USD'], ['10.5 EUR']],
  ['price', 'MATCH', '10.50 usd', ['10.50 USD'], ['10.5 USD']],
  ['price', 'CONTAINS', 'usd', ['10.50 USD'], ['10.50 EUR', null]],
  ['sale_price', 'LESS_THAN', '9007199254740993', ['9007199254740992 JPY'], ['9007199254740993 JPY', null]],
  ['inventory', 'GREATER_THAN', '2.5', [3], [2, 0, null]],
  ['inventory', 'EQUAL_TO', '3', [3], [33, 0, null]],
  ['inventory', 'LESS_THAN', '-1', [], [0, 1, null]],
  ['product_type', 'EQUAL_TO', 'Home > Cups', ['Home > Cups'], ['home > cups', 'Home > Cups > Red', null]],
  ['product_type', 'MATCH', 'home > CUPS', ['Home > Cups'], ['Home > Cups > Red', null]],
  ['product_type', 'CONTAINS', 'CUP', ['Home > Cups', 'cup'], ['Home', null]],
  ['product_type', 'NOT_CONTAINS', 'CUP', ['Home', null], ['Home > Cups']],
  ['google_product_category', 'MATCH', 'STRASSE', ['straße', 'Strasse'], ['Stras']],
  ['custom_label_0', 'GREATER_THAN', '2', ['10', '2.1'], ['2', 'many', null]],
  ['custom_label_4', 'EQUAL_TO', '10', ['10'], ['10.0', '010']],
]

suite('filters of product sets', () => {
  for (const [attribute, operator, value, matching, others] of table)
    test(`${attribute} ${operator} ${value}`, () => {
      const filters = [{ attribute, operator, value }]
      assert.equal(filterMistake(filters[0]!), undefined)
      const matches = compileFilters(filters)
      for (const one of matching) assert.equal(matches({ [attribute]: one }), true, String(one))
      for (const one of others) assert.equal(matches({ [attribute]: one }), false, String(one))
    })

  test('a product must match all filters', () => {
    const matches = compileFilters([
      { attribute: 'price', operator: 'GREATER_THAN', value: '10' },
      { attribute: 'price', operator: 'LESS_THAN', value: '20' },
      { attribute: 'product_type', operator: 'CONTAINS', value: 'cup' },
    ])
    assert.equal(matches({ price: '15 USD', product_type: 'Cups' }), true)
    assert.equal(matches({ price: '25 USD', product_type: 'Cups' }), false)
    assert.equal(matches({ price: '15 USD', product_type: 'Plates' }), false)
  })

  test('a value that is no number is a mistake of an operator that compares numbers', () => {
    const says = (attribute: string, operator: string, value: string) => filterMistake({ attribute, operator, value })
    const price = 'must be a number such as 12.50, or a price such as 12.50 USD for GREATER_THAN of price'
    for (const value of ['cheap', '10 usd', '10USD', '1,5']) assert.equal(says('price', 'GREATER_THAN', value), price)
    assert.equal(says('inventory', 'EQUAL_TO', '10 USD'), 'must be a number such as 12.5 for EQUAL_TO of inventory')
    assert.equal(says('product_type', 'LESS_THAN', 'a'), 'must be a number such as 12.5 for LESS_THAN of product_type')
    assert.equal(says('product_type', 'EQUAL_TO', 'a'), undefined)
    assert.equal(says('price', 'CONTAINS', 'usd'), undefined)
  })
})
