import { matching } from '../../api/declare/words.ts'
import { Space } from '../objects/space.ts'
import { Topic } from '../objects/topic.ts'
import { User } from '../objects/user.ts'

/** The objects of answers about spaces. */
export const spaceKinds = [Space, User, Topic] as const

/** The scopes of a user's token that reads spaces. */
export const READS_SPACES = ['post.read', 'space.read', 'users.read'] as const

/** The id of a space (§2.9). */
export const spaceId = () => matching('^[a-zA-Z0-9]{1,13}$', { example: '1zqKVXPQhvZJB', mustBe: 'the id of a space, like 1zqKVXPQhvZJB' })
