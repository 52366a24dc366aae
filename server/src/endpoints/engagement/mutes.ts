import { READS_USERS } from '../users/user-kinds.ts'
import { relationEndpoints } from './relation-endpoints.ts'
import { anotherUser } from './relation-target.ts'

export const {
  create: muteUser,
  remove: unmuteUser,
  list: listMuting,
} = relationEndpoints({
  relation: 'mute',
  target: anotherUser,
  verb: 'mute',
  done: 'muting',
  path: 'muting',
  isPrivate: true,
  scopes: { write: ['mute.write', ...READS_USERS], read: ['mute.read', ...READS_USERS] },
  removal: { user: 'source_user_id' },
  create: { name: 'muteUser', summary: 'Mute a user.' },
  remove: { name: 'unmuteUser', summary: 'Unmute a user.' },
  list: {
    name: 'listMuting',
    rateLimit: 15,
    page: { max: 1000, usual: 100 },
    summary: 'List the users whom the authenticated user mutes, the latest first.',
  },
})
