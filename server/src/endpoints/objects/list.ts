import { boolean, integer, objectId, text, timestamp } from '../../api/declare/words.ts'
import { dataObject } from '../../api/objects/data-object.ts'
import { refersToOne } from '../../api/objects/expansions.ts'
import { fieldsOf } from '../../api/objects/fields.ts'
import { lists } from '../../storage/content-tables.ts'

const { stored } = fieldsOf(lists)

/** A list of users (§2.9). */
export const List = dataObject({
  kind: 'list',
  plural: 'lists',
  title: 'list',
  schemaName: 'List',
  resourceType: 'list',
  table: lists,
  owner: 'owner_id',
  fields: {
    id: stored('id', objectId(), { isDefault: true }),
    name: stored('name', text({ max: 25 }), { isDefault: true }),
    created_at: stored('created_at_ms', timestamp()),
    description: stored('description', text({ max: 100 })),
    follower_count: stored('follower_count', integer({ min: 0 })),
    member_count: stored('member_count', integer({ min: 0 })),
    owner_id: stored('owner_id', objectId({ example: '101' })),
    private: stored('private', boolean()),
  },
  expansions: {
    owner_id: refersToOne('user', 'owner_id'),
  },
})
