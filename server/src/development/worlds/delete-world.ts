import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, object } from '../../api/declare/words.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { AppStore } from '../../storage/apps.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { UserStore } from '../../storage/users.ts'
import type { WorldStore } from '../../storage/worlds.ts'
import { noSuchWorld, worldId } from './world-words.ts'

interface Services {
  worlds: WorldStore
  apps: AppStore
  users: UserStore
  eventLog: EventLog
  now: () => number
}

export const deleteWorld = endpoint({
  name: 'deleteWorld',
  route: 'DELETE /operator/worlds/:world_id',
  section: '§6',
  summary: 'Delete a world with all that its app and users made.',
  description:
    'Development only. The app, the users, advertising accounts that only they are members of, all content, messages and events. Of an event that is still being delivered to another app the log keeps the rows.',
  auth: operator,
  params: { world_id: worldId },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { world_id } }, { worlds, apps, users, eventLog, now }: Services) {
    const world = await worlds.find(world_id)
    if (!world) throw noSuchWorld(world_id)
    await worlds.remove(world_id, world, async () => {
      for (const webhookId of (await apps.remove(world_id)) ?? []) await eventLog.cancel(webhookId, now(), 'webhook deleted')
      for (const userId of world.userIds) await users.remove(userId)
    })
    await eventLog.trim(now() + DAY_MS, { userIds: world.userIds })
    return { data: { deleted: true } }
  },
})
