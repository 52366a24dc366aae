import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, object, objectId } from '../../api/declare/words.ts'
import type { MessageServices } from './new-message.ts'
import { assertSeen } from './seen-event.ts'

export const deleteMessage = endpoint({
  name: 'deleteMessage',
  route: 'DELETE /2/dm_events/:event_id',
  section: '§2.9',
  summary: 'Delete an event for the authenticated user; other participants keep it.',
  auth: userWith('read_write_dm'),
  scopes: ['dm.read', 'dm.write'],
  rateLimit: 300,
  params: { event_id: objectId() },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { event_id: value }, caller: { user } }, { content, ids, now }: MessageServices) {
    await assertSeen(content, value, user.id, now())
    await content.change((transaction) => transaction.relate({ relation: 'dm_deleted', source: user.id, target: value }, ids.next()))
    return { data: { deleted: true } }
  },
})
