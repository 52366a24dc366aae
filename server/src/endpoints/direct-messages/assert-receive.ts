import { forbidden } from '../../api/declare/problem.ts'
import type { Content, RelationPair } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { unknownObject } from '../objects/not-found.ts'
import { User } from '../objects/user.ts'

const CLOSED = 'You cannot send messages to a user who does not follow you and does not receive messages from everyone.'

/** Why a user does not receive the messages of another; undefined if the user does. */
function refusal(senderId: string, userId: string, receivesAll: boolean, pairs: readonly RelationPair[]): string | undefined {
  const has = (relation: string, source: string, target: string) =>
    pairs.some((pair) => pair.relation === relation && pair.source === source && pair.target === target)
  if (has('block', userId, senderId)) return 'You cannot send messages to this user.'
  if (has('block', senderId, userId)) return 'You cannot send messages to a user whom you block.'
  return receivesAll || has('follow', userId, senderId) ? undefined : CLOSED
}

/** Throws 404 for a recipient who does not exist, and 403 for one who does not receive messages of the sender. */
export async function assertReceive(
  content: Pick<Content, 'rows' | 'relationsOf'>,
  senderId: string,
  recipients: readonly string[],
  parameter: string,
): Promise<void> {
  const others = recipients.filter((id) => id !== senderId)
  const [rows, pairs] = await Promise.all([
    content.rows(users, ['id', 'disabled', 'receives_dms'], others),
    content.relationsOf(senderId, others, ['block', 'follow']),
  ])
  const found = new Map(rows.map(([id, disabled, receives]) => [id as string, { disabled, receives: Boolean(receives) }]))
  for (const id of others) {
    const user = found.get(id)
    if (!user) throw unknownObject({ object: User, value: id, parameter })
    if (user.disabled) throw forbidden('You cannot send messages to a suspended user.')
    const refused = refusal(senderId, id, user.receives, pairs)
    if (refused !== undefined) throw forbidden(refused)
  }
}
