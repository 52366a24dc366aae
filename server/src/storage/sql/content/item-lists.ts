import type { ItemList, PageOf } from '../../content.ts'
import type { Relation } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'
import { isAmong } from './columns.ts'
import { authorIsSeen, listIsSeen, type ReadStatement, viewerIn } from './post-lists.ts'

/** Where the items of a list are read. */
interface Source {
  from: string
  where: string
  key: string
  position: string
  /** The parameters of `where` and `groups`, `$1` and on. */
  values: readonly unknown[]
  /** The column with the time of an item. */
  time?: string
  /** A condition of the items that a viewer may know of. */
  isSeen?(viewer: string): string
  /** A query of the groups, `g`, that `where` is about: of each no more items are read than a page has. */
  groups?: string
}

type MessageList = Extract<ItemList, { of: 'messages' }>

const conversations = `select source as conversation_id from relations where relation = 'dm_participant' and target = $1`

/** Where the events are read that a participant, `$1`, sees of conversations. */
function messageSource({ userId, conversationId, types }: MessageList): Source {
  const isOfType = `e.event_type in (${types.map((type) => `'${type}'`).join()})`
  const isDeleted = `exists (select 1 from relations as d where d.relation = 'dm_deleted' and d.source = $1 and d.target = cast(e.id as text))`
  const isSeen = `${isOfType} and not ${isDeleted}`
  const read = { from: 'dm_events as e', key: 'e.id', position: 'e.id', time: 'e.created_at_ms' }
  if (conversationId === undefined)
    return { ...read, groups: conversations, where: `e.conversation_id = g.conversation_id and ${isSeen}`, values: [userId] }
  const isMine = `exists (select 1 from relations as p where p.relation = 'dm_participant' and p.source = $2 and p.target = $1)`
  return { ...read, where: `e.conversation_id = $2 and ${isMine} and ${isSeen}`, values: [userId, conversationId] }
}

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
