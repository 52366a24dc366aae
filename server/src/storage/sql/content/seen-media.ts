import type { Content } from '../../content.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { isAmong } from './columns.ts'
import { authorIsSeen, viewerIn } from './seen-by.ts'

const isBlocked = `exists (select 1 from relations as b where b.relation = 'block' and b.source = p.author_id and b.target = $2)`

/** A post that carries the media and that the viewer, `$2`, sees: the same rule as `visibility.ts` has for the post itself. */
const post = `select 1 from relations as c join posts as p on p.id = cast(c.target as bigint)
  where c.relation = 'media_post' and c.source = m.media_key and p.restriction is null and ${authorIsSeen('p.author_id', '$2')} and not ${isBlocked}`

const conversation = `select 1 from relations as c join relations as d on d.relation = 'dm_participant' and d.source = c.target and d.target = $2
  where c.relation = 'media_conversation' and c.source = m.media_key`

/** The viewer is one of those whom the upload named. Ids have no character that JSON or a pattern would need to escape. */
const isAdditionalOwner = `m.more like '%"additional_owners":%"' || cast($2 as text) || '"%'`

/** Reads which media a viewer sees. */
export const createSeenMediaReader =
  ({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['seenMedia'] =>
  async (mediaKeys, seenBy) => {
    const [isAsked, keys] = isAmong(flavour, 'm.media_key', '$1', mediaKeys, false)
    const isSeen = `m.owner_id = $2 or (${isAdditionalOwner}) or exists (${post}) or exists (${conversation})`
    const rows = await readRows(`select m.media_key from media as m where ${isAsked} and (${isSeen})`, [keys, viewerIn(seenBy)])
    return rows.map(([key]) => key as string)
  }

/** Reads which media posts carry. */
export const createPostedMediaReader =
  ({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['postedMedia'] =>
  async (mediaKeys) => {
    if (mediaKeys.length === 0) return []
    const [isAsked, keys] = isAmong(flavour, 'm.media_key', '$1', mediaKeys, false)
    const isPosted = `exists (select 1 from relations as c where c.relation = 'media_post' and c.source = m.media_key)`
    const rows = await readRows(`select m.media_key from media as m where ${isAsked} and ${isPosted}`, [keys])
    return rows.map(([key]) => key as string)
  }
