import { List } from '../objects/list.ts'
import { User } from '../objects/user.ts'

/** The objects of answers about lists. */
export const listKinds = [List, User] as const

/** The scopes of a user's token that reads lists. */
export const READS_LISTS = ['list.read', 'post.read', 'users.read'] as const

/** The scopes of a user's token that changes lists. */
export const WRITES_LISTS = ['list.write', 'post.read', 'users.read'] as const
