import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'

/** The objects of answers about users. */
export const userKinds = [User, Post] as const

/** The scopes of a user's token that reads users. */
export const READS_USERS = ['post.read', 'users.read'] as const
