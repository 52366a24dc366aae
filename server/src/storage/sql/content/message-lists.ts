import type { ItemList } from '../../content.ts'
import type { Source } from './item-source.ts'

type MessageList = Extract<ItemList, { of: 'messages' }>

const conversations = `select source as conversation_id from relations where relation = 'dm_participant' and target = $1`

/** Where the events are read that a participant, `$1`, sees of conversations. */
export function messageSource({ userId, conversationId, types }: MessageList): Source {
  const isOfType = `e.event_type in (${types.map((type) => `'${type}'`).join()})`
  const isDeleted = `exists (select 1 from relations as d where d.relation = 'dm_deleted' and d.source = $1 and d.target = cast(e.id as text))`
  const isSeen = `${isOfType} and not ${isDeleted}`
  const read = { from: 'dm_events as e', key: 'e.id', position: 'e.id', time: 'e.created_at_ms' }
  if (conversationId === undefined)
    return { ...read, groups: conversations, where: `e.conversation_id = g.conversation_id and ${isSeen}`, values: [userId] }
  const isMine = `exists (select 1 from relations as p where p.relation = 'dm_participant' and p.source = $2 and p.target = $1)`
  return { ...read, where: `e.conversation_id = $2 and ${isMine} and ${isSeen}`, values: [userId, conversationId] }
}
