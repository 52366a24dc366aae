import type { UserCaller } from '../../access/signed-user.ts'
import { userWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import type { ProblemName } from '../../api/declare/problem.ts'
import { boolean, object, objectId, type Params } from '../../api/declare/words.ts'
import { assertSelf } from '../objects/assert-self.ts'

/** Who acts on what. */
export interface Action {
  caller: UserCaller
  targetId: string
}

/** Something that a user does to a post or another user, and may undo. */
export interface UserAction<Services> {
  create: { name: string; summary: string; description?: string }
  remove: { name: string; summary: string }
  /** The collection of the user: `likes` in `/2/users/:id/likes`. */
  path: string
  /** The member of the body that has the target. */
  target: 'post_id' | 'target_user_id'
  /** What the removal calls the user and the target in its path, where that differs. */
  removal?: { user?: string; target?: string }
  scopes: readonly string[]
  /** The member of the answer that says whether it is done: `liked`. */
  done: string
  /** Further members of the answer to the creation. */
  more?: Params
  problems?: readonly ProblemName[]
  /** Does it; the answer's members. Doing it again changes nothing and answers the same. */
  act(action: Action, services: Services): Promise<Record<string, unknown>>
  /** Undoes it. What was not done is undone as well. */
  undo(action: Action, services: Services): Promise<void>
}

/** Calls per 15 minutes of each user (public practice). */
const RATE_LIMIT = 50

const examples = { post_id: '1997712707928100864', target_user_id: '102' } as const

/** Declares the endpoints with which a user does something and undoes it: `POST /2/users/:id/likes` and `DELETE /2/users/:id/likes/:post_id`. */
export function userAction<Services>({ create, remove, path, target, removal = {}, scopes, done, ...action }: UserAction<Services>) {
  const [user, removed] = [removal.user ?? 'id', removal.target ?? target]
  const common = { section: '§2.9', auth: userWith('read_write'), scopes, rateLimit: RATE_LIMIT }
  const targetId = objectId({ example: examples[target] })
  const userId = objectId({ example: '101', description: 'The id of the authenticated user.' })
  return {
    create: endpoint({
      ...common,
      ...create,
      route: `POST /2/users/:id/${path}`,
      params: { id: userId, [target]: targetId } as Params,
      answer: object({ data: object({ [done]: boolean(), ...action.more } as Params) }),
      problems: ['forbidden', ...(action.problems ?? [])],
      async handle({ params, caller }, services: Services) {
        const sent = params as Record<string, string>
        assertSelf(caller.user.id, sent.id!)
        return { data: await action.act({ caller, targetId: sent[target]! }, services) }
      },
    }),
    remove: endpoint({
      ...common,
      ...remove,
      route: `DELETE /2/users/:${user}/${path}/:${removed}`,
      params: { [user]: userId, [removed]: targetId } as Params,
      answer: object({ data: object({ [done]: boolean() } as Params) }),
      async handle({ params, caller }, services: Services) {
        const sent = params as Record<string, string>
        assertSelf(caller.user.id, sent[user]!, user)
        await action.undo({ caller, targetId: sent[removed]! }, services)
        return { data: { [done]: false } }
      },
    }),
  }
}
