import { READS_USERS } from '../users/user-kinds.ts'
import { relationEndpoints } from './relation-endpoints.ts'
import { anotherUser } from './relation-target.ts'

export const {
  create: blockUser,
  remove: unblockUser,
  list: listBlocking,
} = relationEndpoints({
  relation: 'block',
  target: anotherUser,
  verb: 'block',
  done: 'blocking',
  path: 'blocking',
  isPrivate: true,
  scopes: { write: ['block.write', ...READS_USERS], read: ['block.read', ...READS_USERS] },
  removal: { user: 'source_user_id' },
  create: {
    name: 'blockUser',
    summary: 'Block a user.',
    description:
      'Neither follows the other any longer. A blocked user does not see posts of the user, and cannot reply to, quote or like them. `block.block` is published for the user, and nothing of the follows that end.',
  },
  remove: { name: 'unblockUser', summary: 'Unblock a user.' },
  list: {
    name: 'listBlocking',
    rateLimit: 15,
    page: { max: 1000, usual: 100 },
    summary: 'List the users whom the authenticated user blocks, the latest first.',
  },
  ends: ({ source, target }) => [
    { relation: 'follow', source, target },
    { relation: 'follow', source: target, target: source },
  ],
})
