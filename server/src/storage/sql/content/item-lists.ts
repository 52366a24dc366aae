import type { ItemList, PageOf } from '../../content.ts'
import type { Relation } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'
import { isAmong } from './columns.ts'
import type { Source } from './item-source.ts'
import { messageSource } from './message-lists.ts'
import type { ReadStatement } from './post-lists.ts'
import { authorIsSeen, listIsSeen, viewerIn } from './seen-by.ts'

type Sources = { [Of in ItemList['of']]: (list: Extract<ItemList, { of: Of }>, flavour: Flavour) => Source }

const listRelations: readonly Relation[] = ['list_member', 'list_follower', 'list_pin']

/** What a viewer may know of the ends of a relation: lists that are not private, and users who like a post. */
function endIsSeen(relation: Relation, end: 'source' | 'target'): Source['isSeen'] {
  const isList = listRelations.includes(relation) && end === (relation === 'list_member' ? 'source' : 'target')
  if (isList) return (viewer) => listIsSeen(end, viewer)
  return relation === 'like' && end === 'source' ? (viewer) => authorIsSeen(end, viewer) : undefined
}

const sources: Sources = {
  targets: ({ relation, source }) => ({
    from: 'relations',
    where: `relation = '${relation}' and source = $1`,
    key: 'target',
    position: 'position',
    values: [source],
    isSeen: endIsSeen(relation, 'target'),
  }),
  sources: ({ relation, target }) => ({
    from: 'relations',
    where: `relation = '${relation}' and target = $1`,
    key: 'source',
    position: 'position',
    values: [target],
    isSeen: endIsSeen(relation, 'source'),
  }),
  reposters: ({ postId }) => ({
    from: 'posts',
    where: 'reposted_id = $1',
    key: 'author_id',
    position: 'id',
    values: [BigInt(postId)],
    isSeen: (viewer) => authorIsSeen('author_id', viewer),
  }),
  lists: ({ ownerId }) => ({
    from: 'lists',
    where: 'owner_id = $1',
    key: 'id',
    position: 'id',
    values: [ownerId],
    isSeen: (viewer) => `(not private or owner_id = ${viewer})`,
  }),
  spaces(list, flavour) {
    const [column, among] = 'states' in list ? ['state', list.states] : ['creator_id', list.creatorIds]
    const [isOne, parameter] = isAmong(flavour, column, '$1', among, false)
    return { from: 'spaces', where: `state <> 'ended' and ${isOne}`, key: 'id', position: 'created_at_ms', values: [parameter] }
  },
  messages: messageSource,
  scheduled({ accountId, userId, states }, flavour) {
    const [isOne, parameter] = isAmong(flavour, 'status', '$3', states, false)
    const where = `account_id = $1 and user_id = $2 and ${isOne}`
    return { from: 'scheduled_posts', where, key: 'id', position: 'position', values: [accountId, userId, parameter] }
  },
}

/** The statement that reads the items of a page; in ascending order where the page goes back. */
export function itemsStatement(list: ItemList, page: PageOf, flavour: Flavour): ReadStatement {
  const sourceOf = sources[list.of] as (list: ItemList, flavour: Flavour) => Source
  const { from, where, key, position, time, groups, isSeen, values: given } = sourceOf(list, flavour)
  const { limit, olderThan, newerThan, fromMs, nextToNewer, seenBy } = page
  const values = [...given]
  const add = (value: unknown) => `$${values.push(value)}`
  const conditions = [
    where,
    ...(olderThan === undefined ? [] : [`${position} < ${add(BigInt(olderThan))}`]),
    ...(newerThan === undefined ? [] : [`${position} > ${add(BigInt(newerThan))}`]),
    ...(fromMs === undefined || time === undefined ? [] : [`${time} >= ${add(fromMs)}`]),
    ...(seenBy && isSeen ? [isSeen(add(viewerIn(seenBy)))] : []),
  ]
  const order = nextToNewer ? 'asc' : 'desc'
  const most = add(limit)
  const items = `from ${from} where ${conditions.join(' and ')} order by ${position} ${order} limit ${most}`
  if (groups === undefined) return { text: `select cast(${key} as text), cast(${position} as text) ${items}`, values }
  const each =
    flavour.name === 'postgres'
      ? `cross join lateral (select ${key} as value ${items}) as item`
      : `, json_each((select json_group_array(value) from (select ${key} as value ${items}))) as item`
  return {
    text: `select cast(item.value as text), cast(item.value as text) from (${groups}) as g ${each} order by item.value ${order} limit ${most}`,
    values,
  }
}
