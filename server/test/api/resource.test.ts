import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adsId } from '../../src/api/declare/ads-words.ts'
import { integer, listOf, nullable, text } from '../../src/api/declare/words.ts'
import { resource } from '../../src/api/records/resource.ts'

const named = { title: 'Clip', name: 'clips', notFound: 'NOT_FOUND' } as const
const Parent = resource({ ...named, title: 'Parent', name: 'parents', fields: { name: text({ max: 20 }) } })

suite('a resource that cannot be is refused where it is declared', () => {
  test('its key is one field of text', () => {
    const declare = (key: object) => () => resource({ ...named, key: key as never, fields: {} })
    for (const key of [{}, { size: integer({ min: 0, max: 9 }) }, { one: adsId(), two: adsId() }])
      assert.throws(declare(key), { message: 'Clip needs one key, of text' })
    assert.throws(() => resource({ ...named, fields: { id: adsId() } }), { message: 'Clip: the key id is one of its fields too' })
  })

  test('the key of its parent is a field that is never null', () => {
    const declare = (fields: object, by: string) => () =>
      resource({ ...named, fields: fields as { parent_id: typeof key }, childOf: { parent: Parent, by: by as 'parent_id' } })
    const key = adsId()
    declare({ parent_id: key }, 'parent_id')()
    for (const by of ['parent_id', 'other_id'])
      assert.throws(declare({ parent_id: nullable(key) }, by), {
        message: `Clip: every record has its parent, so ${by} is a field that is never null`,
      })
  })

  test('a filter compares a field that it can compare', () => {
    const fields = { size: integer({ min: 0, max: 9 }), tags: listOf(text({ max: 20 })) }
    const declare = (filter: object) => () => resource({ ...named, fields, filters: { of: filter as never } })
    declare({ equals: 'size' })()
    for (const filter of [{ anyOf: 'size' }, { equals: 'tags' }, { equals: 'other' }])
      assert.throws(declare(filter), { message: `Clip: the filter of cannot compare the field ${Object.values(filter)[0]}` })
  })

  test('a search reads fields of text', () => {
    const fields = { name: text({ max: 20 }), size: integer({ min: 0, max: 9 }) }
    const declare = (search: object) => () => resource({ ...named, fields, search: search as never })
    declare({ prefixOf: 'name', max: 20 })()
    for (const search of [{ prefixOf: 'size' }, { termsOf: ['name', 'size'] }])
      assert.throws(declare({ ...search, max: 20 }), { message: 'Clip: the field size cannot be searched' })
  })
})
