import { text } from '../../api/declare/words.ts'
import { dataObject } from '../../api/objects/data-object.ts'
import { fieldsOf } from '../../api/objects/fields.ts'
import { topics } from '../../storage/content-tables.ts'

const { stored } = fieldsOf(topics)

/** A topic of spaces (§2.9). */
export const Topic = dataObject({
  kind: 'topic',
  plural: 'topics',
  title: 'topic',
  schemaName: 'Topic',
  resourceType: 'space',
  table: topics,
  fields: {
    id: stored('id', text(), { isDefault: true }),
    name: stored('name', text(), { isDefault: true }),
    description: stored('description', text()),
  },
})
