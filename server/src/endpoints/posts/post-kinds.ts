import { Media } from '../objects/media.ts'
import { Place } from '../objects/place.ts'
import { Poll } from '../objects/poll.ts'
import { Post } from '../objects/post.ts'
import { User } from '../objects/user.ts'

/** The objects of answers about posts. */
export const postKinds = [Post, Media, Poll, User, Place] as const

/** The scopes of a user's token that reads posts. */
export const READS_POSTS = ['post.read', 'users.read'] as const
