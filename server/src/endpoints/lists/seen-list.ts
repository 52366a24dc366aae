import { forbidden } from '../../api/declare/problem.ts'
import type { Content, ContentTransaction } from '../../storage/content.ts'
import { lists } from '../../storage/content-tables.ts'
import { List } from '../objects/list.ts'
import type { AskedAny } from '../objects/load-answer.ts'
import { listOfUnknown, unknownObject } from '../objects/not-found.ts'
import { User } from '../objects/user.ts'

/** The objects of answers about lists. */
export const listKinds = [List, User] as const

/** The scopes of a user's token that reads lists. */
export const READS_LISTS = ['list.read', 'post.read', 'users.read'] as const

/** The scopes of a user's token that changes lists. */
export const WRITES_LISTS = ['list.write', 'post.read', 'users.read'] as const

/** A list as rules need it. */
export interface StoredList {
  id: string
  ownerId: string
  isPrivate: boolean
  memberCount: number
}

const isSeen = (list: Pick<StoredList, 'ownerId' | 'isPrivate'>, viewerId: string | undefined) =>
  !list.isPrivate || list.ownerId === viewerId

/** What belongs to a list: `read`, or for a list that the viewer does not see the problem that there is none. */
export async function pageOfList(
  content: Content,
  viewerId: string | undefined,
  listId: string,
  read: () => AskedAny | Promise<AskedAny>,
): Promise<AskedAny> {
  const [row] = await content.rows(lists, ['owner_id', 'private'], [listId])
  if (row && isSeen({ ownerId: row[0] as string, isPrivate: Boolean(row[1]) }, viewerId)) return read()
  return listOfUnknown({ object: List, value: listId, parameter: 'id' })
}

/** Locks a list that the user sees. Throws 404 for another one: a private list exists for its owner alone. */
export async function lockSeenList(transaction: ContentTransaction, listId: string, userId: string, parameter = 'id'): Promise<StoredList> {
  const row = await transaction.get(lists, listId, ['id', 'owner_id', 'private', 'member_count'])
  const list = row && {
    id: row.id as string,
    ownerId: row.owner_id as string,
    isPrivate: Boolean(row.private),
    memberCount: Number(row.member_count),
  }
  if (list?.id === listId && isSeen(list, userId)) return list
  throw unknownObject({ object: List, value: listId, parameter })
}

/** Locks a list of the user. Throws 403 for a public list of somebody else. */
export async function lockOwnList(transaction: ContentTransaction, listId: string, userId: string): Promise<StoredList> {
  const list = await lockSeenList(transaction, listId, userId)
  if (list.ownerId !== userId) throw forbidden('You are not allowed to change a list of another user.')
  return list
}
