import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/endpoint.ts'
import { invalidRequest } from '../../api/problem.ts'
import { integer, listOf, matching, object, optional, text } from '../../api/words.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import { subscriptionSchema, subscriptionView } from './subscription-view.ts'

const MOST = 1000

const tokenFor = (id: string) => Buffer.from(`after:${id}`).toString('base64url')

function afterOf(token: string): string {
  const after = /^after:([0-9]{1,19})$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1]
  if (after !== undefined && tokenFor(after) === token) return after
  throw invalidRequest([
    {
      message: `The \`pagination_token\` query parameter value [${token}] is not a next_token of this list`,
      parameters: { pagination_token: [token] },
    },
  ])
}

export const listSubscriptions = endpoint({
  name: 'listSubscriptions',
  route: 'GET /2/activity/subscriptions',
  section: '§6',
  summary: "List the app's subscriptions, oldest first.",
  auth: appBearer,
  params: {
    max_results: optional(integer({ min: 1, max: MOST, default: MOST })),
    pagination_token: optional(matching('^[A-Za-z0-9_-]{16,64}$', { description: '`meta.next_token` of the page before.' })),
  },
  answer: object({
    data: listOf(subscriptionSchema),
    meta: object({ result_count: integer({ min: 0 }), total_subscriptions: integer({ min: 0 }), next_token: optional(text()) }),
  }),
  async handle(
    { params: { max_results = MOST, pagination_token }, caller: { app } },
    { subscriptions }: { subscriptions: SubscriptionStore },
  ) {
    const after = pagination_token === undefined ? null : afterOf(pagination_token)
    const found = await subscriptions.list(app.id, after, max_results + 1)
    const page = found.slice(0, max_results)
    const more = found.length > max_results && { next_token: tokenFor(page.at(-1)!.id) }
    return {
      data: page.map(subscriptionView),
      meta: { result_count: page.length, total_subscriptions: await subscriptions.count(app.id), ...more },
    }
  },
})
