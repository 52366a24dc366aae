import { DirectMessage } from '../objects/direct-message.ts'
import { Media } from '../objects/media.ts'
import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'

/** The objects of answers about direct messages. */
export const messageKinds = [DirectMessage, Media, User, Post] as const

/** The scopes of a user's token that reads direct messages. */
export const READS_MESSAGES = ['dm.read', 'post.read', 'users.read'] as const

/** The scopes of a user's token that sends or deletes direct messages. */
export const WRITES_MESSAGES = ['dm.write', 'post.read', 'users.read'] as const
