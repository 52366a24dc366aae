import type { ItemList, PageOf } from '../../content.ts'
import type { ReadStatement } from './post-lists.ts'

interface Source {
  from: string
  where: string
  key: string
  position: string
  owner: unknown
}

const sources: { [Of in ItemList['of']]: (list: Extract<ItemList, { of: Of }>) => Source } = {
  targets: ({ relation, source }) => ({
    ...{ from: 'relations', where: `relation = '${relation}' and source = $1`, key: 'target', position: 'position', owner: source },
  }),
  sources: ({ relation, target }) => ({
    ...{ from: 'relations', where: `relation = '${relation}' and target = $1`, key: 'source', position: 'position', owner: target },
  }),
  reposters: ({ postId }) => ({ from: 'posts', where: 'reposted_id = $1', key: 'author_id', position: 'id', owner: BigInt(postId) }),
  lists: ({ ownerId }) => ({ from: 'lists', where: 'owner_id = $1', key: 'id', position: 'id', owner: ownerId }),
  messages: ({ conversationId }) => ({
    ...{ from: 'dm_events', where: 'conversation_id = $1', key: 'id', position: 'id', owner: conversationId },
  }),
  'messages-of': ({ userId }) => ({
    from: 'dm_events',
    where: `conversation_id in (select source from relations where relation = 'dm_participant' and target = $1)`,
    key: 'id',
    position: 'id',
    owner: userId,
  }),
}

/** The statement that reads the items of a page; in ascending order where the page goes back. */
export function itemsStatement(list: ItemList, { limit, olderThan, newerThan, nextToNewer }: PageOf): ReadStatement {
  const { from, where, key, position, owner } = (sources[list.of] as (list: ItemList) => Source)(list)
  const values = [owner, limit]
  const bound = (sign: '<' | '>', digits: string) => ` and ${position} ${sign} $${values.push(BigInt(digits))}`
  const bounds = (olderThan === undefined ? '' : bound('<', olderThan)) + (newerThan === undefined ? '' : bound('>', newerThan))
  return {
    text: `select cast(${key} as text), cast(${position} as text) from ${from} where ${where}${bounds}
      order by ${position} ${nextToNewer ? 'asc' : 'desc'} limit $2`,
    values,
  }
}
