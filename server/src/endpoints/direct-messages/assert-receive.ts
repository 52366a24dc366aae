import { forbidden, type Problem } from '../../api/declare/problem.ts'
import type { Content, RelationPair } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { unknownObject } from '../objects/not-found.ts'
import { User } from '../objects/user.ts'

const CLOSED = 'You cannot send messages to a user who does not follow you and does not receive messages from everyone.'

/** Why a user does not receive the messages of another: `closed` is one who receives them only from those whom the user follows. */
type Reason = 'blocked' | 'suspended' | 'closed'

/** What is thrown; undefined for what is no reason to refuse. */
export type Refuse = (reason: Reason, sentence: string) => Problem | undefined

const always: Refuse = (_, sentence) => forbidden(sentence)

/** Why a user does not receive the messages of another, with a sentence for the sender; undefined if the user does. */
function refusal(
  senderId: string,
  userId: string,
  { disabled, receives }: { disabled: boolean; receives: boolean },
  pairs: readonly RelationPair[],
): [Reason, string] | undefined {
  const has = (relation: string, source: string, target: string) =>
    pairs.some((pair) => pair.relation === relation && pair.source === source && pair.target === target)
  if (has('block', userId, senderId)) return ['blocked', 'You cannot send messages to this user.']
  if (has('block', senderId, userId)) return ['blocked', 'You cannot send messages to a user whom you block.']
  if (disabled) return ['suspended', 'You cannot send messages to a suspended user.']
  return receives || has('follow', userId, senderId) ? undefined : ['closed', CLOSED]
}

/** Throws 404 for a recipient who does not exist, and 403 for one who does not receive messages of the sender. */
export async function assertReceive(
  content: Pick<Content, 'rows' | 'relationsOf'>,
  senderId: string,
  recipients: readonly string[],
  parameter: string,
  refuse: Refuse = always,
): Promise<void> {
  const others = recipients.filter((id) => id !== senderId)
  const [rows, pairs] = await Promise.all([
    content.rows(users, ['id', 'disabled', 'receives_dms'], others),
    content.relationsOf(senderId, others, ['block', 'follow']),
  ])
  const found = new Map(
    rows.map(([id, disabled, receives]) => [id as string, { disabled: Boolean(disabled), receives: Boolean(receives) }]),
  )
  for (const id of others) {
    const user = found.get(id)
    if (!user) throw unknownObject({ object: User, value: id, parameter })
    const refused = refusal(senderId, id, user, pairs)
    const problem = refused && refuse(...refused)
    if (problem) throw problem
  }
}
