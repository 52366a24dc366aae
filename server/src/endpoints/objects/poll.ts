import { integer, listOf, object, oneOf, text, timestamp } from '../../api/declare/words.ts'
import { dataObject } from '../../api/objects/data-object.ts'
import { fieldsOf } from '../../api/objects/fields.ts'
import { polls } from '../../storage/content-tables.ts'

const { stored, computed } = fieldsOf(polls)

/** An option of a poll. */
const option = object({ position: integer({ min: 1 }), label: text({ max: 25 }), votes: integer({ min: 0 }) })

/** The poll of a post (§2.9). */
export const Poll = dataObject({
  kind: 'poll',
  plural: 'polls',
  title: 'poll',
  schemaName: 'Poll',
  resourceType: 'post',
  table: polls,
  fields: {
    id: stored('id', text({ example: '1199786642468413448' }), { isDefault: true }),
    options: stored('options', listOf(option), { isDefault: true }),
    duration_minutes: stored('duration_minutes', integer({ min: 5, max: 10_080 })),
    end_datetime: stored('end_ms', timestamp()),
    voting_status: computed(['end_ms'], oneOf(['open', 'closed']), ([endMs], { nowMs }) => ((endMs as number) > nowMs ? 'open' : 'closed')),
  },
})
