import { anyObject, listOf, text } from '../../api/declare/words.ts'
import { dataObject } from '../../api/objects/data-object.ts'
import { fieldsOf } from '../../api/objects/fields.ts'
import { places } from '../../storage/content-tables.ts'

const { stored } = fieldsOf(places)

/** A place that posts are tagged with (§2.9). */
export const Place = dataObject({
  kind: 'place',
  plural: 'places',
  title: 'place',
  schemaName: 'Place',
  resourceType: 'post',
  table: places,
  fields: {
    id: stored('id', text({ example: '01a9a39529b27f36' }), { isDefault: true }),
    full_name: stored('full_name', text(), { isDefault: true }),
    contained_within: stored('contained_within', listOf(text())),
    country: stored('country', text()),
    country_code: stored('country_code', text()),
    geo: stored('geo', anyObject()),
    name: stored('name', text()),
    place_type: stored('place_type', text()),
  },
})
