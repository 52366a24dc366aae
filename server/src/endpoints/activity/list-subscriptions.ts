import { activityAppOrUser } from '../../access/activity-app.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest } from '../../api/declare/problem.ts'
import { defaulting, integer, listOf, matching, object, optional, text } from '../../api/declare/words.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import type { ConsentServices } from './assert-consent.ts'
import { ownUserOf } from './own-user.ts'
import { viewsOf } from './subscription-states.ts'
import { subscriptionSchema } from './subscription-view.ts'

/** The `next_token` of a page that ends with this subscription. */
export const pageTokenAfter = (id: string): string => Buffer.from(`after:${id}`).toString('base64url')

/** The id in a page token. Throws `invalid-request` for a text that is none of ours. */
export function idOfPageToken(token: string): string {
  const after = /^after:([0-9]{1,19})$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1]
  if (after !== undefined && pageTokenAfter(after) === token) return after
  throw invalidRequest([
    {
      message: `The \`pagination_token\` query parameter value [${token}] is not a next_token of this list`,
      parameters: { pagination_token: [token] },
    },
  ])
}

const MOST = 1000

interface Services extends ConsentServices {
  subscriptions: SubscriptionStore
}

export const listSubscriptions = endpoint({
  name: 'listSubscriptions',
  route: 'GET /2/activity/subscriptions',
  section: '§6',
  summary: "List the app's subscriptions, oldest first.",
  description:
    'The OAuth 2.0 access token of a user lists the subscriptions of the app that are filtered to this user (`filter.user_id`); an OAuth 1.0a access token and the bearer token of the app list all of them.',
  auth: activityAppOrUser,
  scopes: ['post.read'],
  rateLimit: 500,
  params: {
    max_results: defaulting(integer({ min: 1, max: MOST }), MOST),
    pagination_token: optional(matching('^[A-Za-z0-9_-]{16,64}$', { description: '`meta.next_token` of the previous page.' })),
  },
  answer: object({
    data: listOf(subscriptionSchema),
    meta: object({ result_count: integer({ min: 0 }), total_subscriptions: integer({ min: 0 }), next_token: optional(text()) }),
  }),
  async handle({ params: { max_results, pagination_token }, caller }, { subscriptions, consents, now }: Services) {
    const { app } = caller
    const ownId = ownUserOf(caller)
    const after = pagination_token === undefined ? null : idOfPageToken(pagination_token)
    const found = await subscriptions.list(app.id, after, max_results + 1, ownId)
    const page = found.slice(0, max_results)
    const more = found.length > max_results && { next_token: pageTokenAfter(page.at(-1)!.id) }
    return {
      data: await viewsOf(app, page, { consents, now }),
      meta: { result_count: page.length, total_subscriptions: await subscriptions.count(app.id, ownId), ...more },
    }
  },
})
