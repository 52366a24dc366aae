import { dialects } from '../../src/api/declare/dialect.ts'
import { eventTypes } from '../../src/delivery/events/event-types.ts'
import { keywordMatcherOf } from '../../src/delivery/keywords.ts'
import { sayConsent } from '../../src/endpoints/events/described-events.ts'
import type { ExampleEvent } from '../../src/endpoints/events/event-content.ts'
import { bearerOf, callJson, type Json, type SeededApp } from './callers.ts'

interface Subscription {
  subscription_id: string
  event_type: string
  filter: { user_id?: string; keyword?: string; direction?: string }
  webhook_id?: string
  state?: 'active' | 'consent_revoked'
}

/** All subscriptions of an app. */
async function subscriptionsOf(origin: string, app: SeededApp): Promise<Subscription[]> {
  const authorization = await bearerOf(origin, app)
  const found: Subscription[] = []
  let next: string | undefined
  do {
    const query = next === undefined ? '' : `?pagination_token=${next}`
    const { data, meta } = await callJson(`${origin}/2/activity/subscriptions${query}`, authorization)
    found.push(...(data as Subscription[]))
    next = (meta as Json).next_token as string | undefined
  } while (next !== undefined)
  return found
}

/** Why a subscription to the type of an event did not bring it to a callback. */
function reasonOf({ subscription_id, filter, webhook_id, state }: Subscription, event: ExampleEvent): string {
  const { event_type, user_id, direction, text = '' } = event
  const subscription = `subscription ${subscription_id}`
  if (filter.user_id !== undefined && filter.user_id !== user_id) return `${subscription} is for user ${filter.user_id}, not ${user_id}`
  if (filter.direction !== undefined && direction !== undefined && filter.direction !== direction)
    return `${subscription} is for the direction ${filter.direction}, not ${direction}`
  if (filter.keyword !== undefined && !keywordMatcherOf(text)(filter.keyword))
    return `${subscription} is for texts that match the keyword ${filter.keyword} (text=…)`
  if (event_type === 'oauth.revoke') return `${subscription} matches; the event goes only to the app that the payload names (app_id=…)`
  const { consent } = eventTypes[event_type]!
  if (consent !== null && state !== 'active')
    return `${subscription} has no effect: user ${user_id} must grant the app ${sayConsent(consent, dialects.spec)}`
  return webhook_id === undefined
    ? `${subscription} matches and has no webhook: its events go to the activity stream alone`
    : `${subscription} matches`
}

/** Sentences that say why no callback got an event, for each app of the seed. */
export async function whyNobody(origin: string, apps: readonly SeededApp[], event: ExampleEvent): Promise<string[]> {
  const sentences = await Promise.all(
    apps.map(async (app) => {
      const all = await subscriptionsOf(origin, app)
      const ofType = all.filter(({ event_type }) => event_type === event.event_type)
      if (ofType.length > 0) return ofType.map((subscription) => `${app.name}: ${reasonOf(subscription, event)}`)
      return [`${app.name}: no subscription to ${event.event_type}; create one with POST /2/activity/subscriptions`]
    }),
  )
  return sentences.flat()
}
