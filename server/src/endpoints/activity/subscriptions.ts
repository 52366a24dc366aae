import { activityApp, activityAppOrUser } from '../../access/activity-app.ts'
import { deprecationHeaders, endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest, Problem } from '../../api/declare/problem.ts'
import { atLeastOneOf } from '../../api/declare/rules.ts'
import {
  anyObject,
  boolean,
  commaList,
  defaulting,
  id,
  integer,
  listOf,
  matching,
  object,
  optional,
  text,
} from '../../api/declare/words.ts'
import { deprecationOf } from '../../delivery/events/event-types.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { eventTypeName } from '../events/event-type-name.ts'
import { ownWebhook, webhookIdInvalid } from '../webhooks/own-webhook.ts'
import { ownUserOf, type SubscribeServices, subscribe } from './subscribe.ts'
import { type ConsentServices, viewsOf } from './subscription-consent.ts'
import { duplicateSubscription, LONGEST_TAG, subscriptionNotFound, subscriptionSchema } from './subscription-view.ts'

/** Our choice, a year after the deprecation: the specification names no end. */
const SUNSET = '2027-03-31T00:00:00Z'

/** What the answer says where the event type is named by a deprecated name. */
function deprecatedName(eventType: string): Record<string, string> {
  const deprecation = deprecationOf(eventType)
  return deprecation ? deprecationHeaders({ ...deprecation, sunset: SUNSET }, '</docs>; rel="deprecation"') : {}
}

export const createSubscription = endpoint({
  name: 'createSubscription',
  route: 'POST /2/activity/subscriptions',
  section: '§6',
  summary: 'Subscribe a webhook to events of one type that match a filter.',
  description:
    "Event types and directions are accepted in other spellings and returned in the canonical one; where the spelling is deprecated, the answer has `Deprecation` and `Sunset`. Events of direct messages, chat, likes, mutes and blocks, and of posts that mention, reply to, quote or repost a user, are private: `filter.user_id` is required, and that user must have granted the app the access that the type needs, with a token of OAuth 1.0a or a grant of OAuth 2.0, where the access of a token of OAuth 1.0a decides alone. Without it the answer is `not-authorized-for-resource`, also for a user who does not exist. If the grant ends later, nothing more is delivered, retries and replays included, until there is a new one. Errors: `invalid-rules` for a malformed filter, `noncompliant-rules` for a filter that the event type does not support, `duplicate-rules` for a duplicate subscription, `rule-cap` beyond the maximum number of subscriptions, `usage-capped` once the app has been given the deliveries of its monthly cap, or has used up a quota. The subscription is the app's, also with the access token of a user. An OAuth 2.0 access token creates only subscriptions whose `filter.user_id` is its user, and the totals are of those; an OAuth 1.0a access token does what the bearer token of its app does, and subscribes to private events of its own user only.",
  auth: activityAppOrUser,
  scopes: ['dm.read', 'post.read'],
  rateLimit: 500,
  params: {
    event_type: eventTypeName({ example: 'dm.received' }),
    filter: anyObject({
      example: { user_id: '101' },
      description:
        '`user_id`, `keyword` (news and posts; a query: words, "phrases", `#`, `$`, `@`, `url:`, `has:links`, `-`, `OR`, brackets), `direction` (`sent` or `received`, direct messages, chat, follows and likes; absent: both).',
    }),
    tag: optional(text({ max: LONGEST_TAG, description: 'Delivered with every event that matches.' })),
    webhook_id: optional(text({ min: 0, description: 'A webhook of this app.' })),
  },
  answer: object({
    data: object({ subscription: subscriptionSchema, total_subscriptions_for_instance_id: integer({ min: 0 }) }),
    meta: object({ total_subscriptions: integer({ min: 0 }) }),
  }),
  problems: [
    'invalid-rules',
    'noncompliant-rules',
    'not-authorized-for-resource',
    'duplicate-rules',
    'rule-cap',
    'usage-capped',
    'WebhookIdInvalid',
  ],
  async handle({ params, caller, headers }, services: SubscribeServices) {
    const { app } = caller
    Object.assign(headers, deprecatedName(params.event_type))
    const subscription = await subscribe(caller, params, services)
    const { subscriptions, consents, now } = services
    const [view] = await viewsOf(app, [subscription], { consents, now })
    const total = await subscriptions.count(app.id, ownUserOf(caller))
    return {
      data: { subscription: view!, total_subscriptions_for_instance_id: total },
      meta: { total_subscriptions: total },
    }
  },
})

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

const MOST_LISTED = 1000
/** So many are made into views before others are let pass. */
const VIEWS_OF_A_SLICE = 200

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
    max_results: defaulting(integer({ min: 1, max: MOST_LISTED }), MOST_LISTED),
    pagination_token: optional(matching('^[A-Za-z0-9_-]{16,64}$', { description: '`meta.next_token` of the previous page.' })),
  },
  answer: object({
    data: listOf(subscriptionSchema),
    meta: object({ result_count: integer({ min: 0 }), total_subscriptions: integer({ min: 0 }), next_token: optional(text()) }),
  }),
  async handle({ params: { max_results, pagination_token }, caller, giveWay }, { subscriptions, consents, now }: Services) {
    const { app } = caller
    const ownId = ownUserOf(caller)
    const after = pagination_token === undefined ? null : idOfPageToken(pagination_token)
    const found = await subscriptions.list(app.id, after, max_results + 1, ownId)
    const page = found.slice(0, max_results)
    const more = found.length > max_results && { next_token: pageTokenAfter(page.at(-1)!.id) }
    const data = []
    for (let from = 0; from < page.length; from += VIEWS_OF_A_SLICE) {
      await giveWay()
      data.push(...(await viewsOf(app, page.slice(from, from + VIEWS_OF_A_SLICE), { consents, now })))
    }
    await giveWay()
    return {
      data,
      meta: { result_count: page.length, total_subscriptions: await subscriptions.count(app.id, ownId), ...more },
    }
  },
})

export const updateSubscription = endpoint({
  name: 'updateSubscription',
  route: 'PUT /2/activity/subscriptions/:subscription_id',
  section: '§6',
  summary: 'Change the tag or the webhook of a subscription.',
  description:
    'Send at least one field; omitted fields keep their value. Event type and filter cannot be changed: create another subscription instead. The change applies to every event accepted after the response; deliveries and retries of earlier events still go to the former webhook. An unknown subscription, or one of another app, is answered with 404, a webhook that the app does not have with `WebhookIdInvalid`, a duplicate of another subscription with `duplicate-rules`. A rejected request changes nothing.',
  auth: activityApp,
  rateLimit: 500,
  params: {
    subscription_id: id(),
    tag: optional(text({ max: LONGEST_TAG, description: 'Delivered with every event that matches.' })),
    webhook_id: optional(text({ min: 0, description: 'A webhook of this app.' })),
  },
  rules: [atLeastOneOf('tag', 'webhook_id')],
  answer: object({
    data: object({ subscription: subscriptionSchema, total_subscriptions: integer({ min: 0 }) }),
    meta: object({ total_subscriptions: integer({ min: 0 }) }),
  }),
  problems: ['not-found', 'duplicate-rules', 'WebhookIdInvalid'],
  async handle(
    { params: { subscription_id, tag, webhook_id }, caller: { app } },
    { subscriptions, webhooks, consents, now }: Services & { webhooks: WebhookStore },
  ) {
    const [found] = await subscriptions.byIds(app.id, [subscription_id])
    if (!found) throw subscriptionNotFound(subscription_id)
    const webhookId = webhook_id === undefined ? undefined : (await ownWebhook(webhooks, app, webhook_id)).id
    const updated = await subscriptions.update(app.id, subscription_id, { tag, webhookId }, now())
    if (updated === 'missing') throw subscriptionNotFound(subscription_id)
    if (updated === 'no-webhook') throw webhookIdInvalid()
    if ('duplicateOf' in updated) throw duplicateSubscription(updated.duplicateOf, found.eventType)
    const [view] = await viewsOf(app, [updated], { consents, now })
    const total = await subscriptions.count(app.id)
    return { data: { subscription: view!, total_subscriptions: total }, meta: { total_subscriptions: total } }
  },
})

const MOST_DELETED = 100

const STILL_DELIVERED = 'Events that were accepted before the response are still delivered, and retried; later ones do not match.'

export const deleteSubscriptions = endpoint({
  name: 'deleteSubscriptions',
  route: 'DELETE /2/activity/subscriptions',
  section: '§6',
  summary: 'Delete subscriptions by id.',
  description: `Atomic: if one of the ids is not a subscription of this app, nothing is deleted and the error names it. ${STILL_DELIVERED}`,
  auth: activityApp,
  rateLimit: 500,
  params: { ids: commaList(id(), { max: MOST_DELETED, example: ['1997712707928100864'] }) },
  answer: object({ data: object({ deleted: boolean() }), meta: object({ total_subscriptions: integer({ min: 0 }) }) }),
  problems: ['not-found'],
  async handle({ params: { ids }, caller: { app } }, { subscriptions }: { subscriptions: SubscriptionStore }) {
    const found = new Set((await subscriptions.byIds(app.id, ids)).map((subscription) => subscription.id))
    const missing = ids.find((id) => !found.has(id))
    if (missing !== undefined) throw new Problem('not-found', { detail: `Could not find a subscription with ids: [${missing}].` })
    await subscriptions.remove(app.id, ids)
    return { data: { deleted: true }, meta: { total_subscriptions: await subscriptions.count(app.id) } }
  },
})

export const deleteSubscription = endpoint({
  name: 'deleteSubscription',
  route: 'DELETE /2/activity/subscriptions/:subscription_id',
  section: '§6',
  summary: 'Delete a subscription.',
  description: STILL_DELIVERED,
  auth: activityApp,
  rateLimit: 500,
  params: { subscription_id: id() },
  answer: object({ data: object({ deleted: boolean() }), meta: object({ total_subscriptions: integer({ min: 0 }) }) }),
  problems: ['not-found'],
  async handle({ params: { subscription_id }, caller: { app } }, { subscriptions }: { subscriptions: SubscriptionStore }) {
    if ((await subscriptions.remove(app.id, [subscription_id])) === 0) throw subscriptionNotFound(subscription_id)
    return { data: { deleted: true }, meta: { total_subscriptions: await subscriptions.count(app.id) } }
  },
})
