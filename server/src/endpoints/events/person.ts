import { object } from '../../api/declare/words.ts'
import { User } from '../objects/user.ts'

/** A user in an example. */
export interface Person {
  id: string
  name: string
  username: string
}

/** A user as payloads carry it: `{"data": …}`. */
export const wrappedUser = object({ data: User.schema })

/** The user object of an example. */
export const userObject = ({ id, name, username }: Person) => ({
  id,
  name,
  username,
  created_at: '2019-03-04T10:15:00.000Z',
  protected: false,
  verified: false,
  verified_type: 'none',
  public_metrics: { followers_count: 12, following_count: 8, post_count: 30, listed_count: 1, like_count: 40, media_count: 3 },
})

export const wrapped = (person: Person) => ({ data: userObject(person) })
