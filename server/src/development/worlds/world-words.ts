import { Problem } from '../../api/declare/problem.ts'
import { id, mapOf, object, text } from '../../api/declare/words.ts'
import { username } from '../../endpoints/users/username.ts'

/** How many worlds there may be at once. */
export const MOST_WORLDS = 200
/** How many users one may have. */
export const MOST_USERS = 50

export const userKey = username({ example: 'ada' })

export const worldId = id({ example: '1997712707928100864' })

/** All that a client of the world needs. Secrets are answered this once. */
export const worldSchema = object({
  id: worldId,
  app: object({
    id: id(),
    consumer_key: text(),
    consumer_secret: text(),
    bearer_token: text(),
    oauth2_client_id: text(),
    oauth2_client_secret: text(),
  }),
  users: mapOf(object({ id: id(), username: text(), password: text(), oauth_token: text(), oauth_token_secret: text() }), {
    description: 'The users by the names that were asked for. Their usernames are unique on the server.',
  }),
  account: object({ id: text({ description: 'Of an advertising account on the production host, with a funding instrument.' }) }),
})

export const noSuchWorld = (id: string) => new Problem('not-found', { detail: `There is no world ${id}.` })

export const tooManyWorlds = () =>
  new Problem('conflict', {
    detail: `There are ${MOST_WORLDS} worlds already, the most there may be. DELETE /operator/worlds/:world_id deletes one.`,
  })
