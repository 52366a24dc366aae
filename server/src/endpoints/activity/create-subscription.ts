import { activityAppOrUser } from '../../access/activity-app.ts'
import { deprecationHeaders } from '../../api/declare/deprecation-headers.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { anyObject, integer, object, oneOf, optional, text } from '../../api/declare/words.ts'
import { acceptedEventTypes, deprecationOf } from '../../delivery/events/event-types.ts'
import { ownUserOf } from './own-user.ts'
import { type SubscribeServices, subscribe } from './subscribe.ts'
import { viewsOf } from './subscription-states.ts'
import { LONGEST_TAG, subscriptionSchema } from './subscription-view.ts'

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
    "Event types and directions are accepted in other spellings and returned in the canonical one; where the spelling is deprecated, the answer has `Deprecation` and `Sunset`. Events of direct messages, chat, likes, mutes and blocks, and of posts that mention, reply to, quote or repost a user, are private: `filter.user_id` is required, and that user must have granted the app the access that the type needs, with a token of OAuth 1.0a or a grant of OAuth 2.0, where the access of a token of OAuth 1.0a decides alone. Without it the answer is `not-authorized-for-resource`, also for a user who does not exist. If the grant ends later, nothing more is delivered, retries and replays included, until there is a new one. Errors: `invalid-rules` for a malformed filter, `noncompliant-rules` for a filter that the event type does not support, `duplicate-rules` for a duplicate subscription, `rule-cap` beyond the maximum number of subscriptions, `usage-capped` once the app has been given the deliveries of its monthly cap. The subscription is the app's, also with the access token of a user. An OAuth 2.0 access token creates only subscriptions whose `filter.user_id` is its user, and the totals are of those; an OAuth 1.0a access token does what the bearer token of its app does, and subscribes to private events of its own user only.",
  auth: activityAppOrUser,
  scopes: ['dm.read', 'post.read'],
  rateLimit: 500,
  params: {
    event_type: oneOf(acceptedEventTypes, { example: 'dm.received' }),
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
