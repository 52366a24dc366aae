import { iso } from '../../api/declare/words.ts'
import type { Subscription, SubscriptionStore } from '../../storage/subscriptions.ts'
import type { Publication } from './publications.ts'

const PER_PAGE = 1000
const MAX_NAMED = 5

/** The subscriptions of a webhook. */
async function subscriptionsOf(appId: string, webhookId: string, subscriptions: SubscriptionStore): Promise<Subscription[]> {
  const found: Subscription[] = []
  let afterId: string | null = null
  for (;;) {
    const page: Subscription[] = await subscriptions.list(appId, afterId, PER_PAGE)
    found.push(...page.filter((one) => one.webhookId === webhookId))
    if (page.length < PER_PAGE) return found
    afterId = page.at(-1)!.id
  }
}

const someOf = (names: readonly string[]) => {
  const each = [...new Set(names)]
  return `${each.slice(0, MAX_NAMED).join(', ')}${each.length > MAX_NAMED ? ` and ${each.length - MAX_NAMED} more` : ''}`
}

const usersOf = (ofType: readonly Subscription[]) => someOf(ofType.map(({ filter }) => filter.userId ?? 'anyone'))

/** A sentence that says why a published event matched no subscription of the webhook of an inbox. */
export async function whyNoMatch(
  { eventType, eventUuid, userId, atMs }: Publication,
  appId: string,
  webhookId: string,
  { subscriptions }: { subscriptions: SubscriptionStore },
): Promise<string> {
  const all = await subscriptionsOf(appId, webhookId, subscriptions)
  const ofType = all.filter((one) => one.eventType === eventType)
  const ofUser = ofType.filter(({ filter }) => filter.userId === undefined || filter.userId === userId)
  const published = `${eventType} ${eventUuid} for user ${userId} was published at ${iso(atMs)}`
  if (all.length === 0) return `${published}, but this inbox has no subscriptions any more.`
  if (ofType.length === 0)
    return `${published}, but no subscription of this inbox matches: it subscribes to ${someOf(all.map((one) => one.eventType))}.`
  if (ofUser.length === 0)
    return `${published}, but no subscription of this inbox matches: it subscribes to ${eventType} of ${usersOf(ofType)}.`
  return `${published}, but the subscription of this inbox did not match: the user must have granted the app ${appId} what the type needs, and a keyword or a direction must be right.`
}
