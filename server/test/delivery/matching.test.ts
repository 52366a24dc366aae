// Matching against the plainest way to say it: each event is compared with each subscription.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withConsent } from '../../src/delivery/consent.ts'
import { type Matched, matcherOf } from '../../src/delivery/matching.ts'
import type { AppPermissions } from '../../src/storage/apps.ts'
import type { UserConsent } from '../../src/storage/consents.ts'
import type { Candidate, Direction, Subscription } from '../../src/storage/subscriptions.ts'
import { createRandom } from '../stage/random.ts'

const SUBSCRIPTIONS = 10_000
const EVENTS = 1000
const NOW = 1_700_000_000_000

/** Apps that have used their streams since a date have the events of their webhooks there too. */
const SINCE_MS = NOW - 1000
const STREAMED_AT_MS: Record<string, number> = { 1: SINCE_MS + 1, 2: SINCE_MS }

const random = createRandom(17)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
const maybe = <T>(chance: number, value: () => T): T | undefined => (random() < chance ? value() : undefined)

const USERS = Array.from({ length: 30 }, (_, n) => `${100 + n}`)
const APPS = ['1', '2', '3', '4']
const WORDS = ['sea', 'light', 'house', 'storm', 'harbour', 'gull']
const CONVERSATION = ['dm.received', 'dm.sent', 'chat.received', 'chat.conversation.member_added']
const OF_TEXT = ['post.create', 'post.mention.create']
const TYPES = [...CONVERSATION, ...OF_TEXT, 'like.create', 'mute.mute', 'follow.follow', 'news.new', 'oauth.revoke', 'post.delete']

/** What each type needs (§5.6): an access and a scope; nothing for the public ones. */
const NEEDED: Record<string, [access: AppPermissions, scope: string]> = {
  ...Object.fromEntries(CONVERSATION.map((type) => [type, ['read_write_dm', 'dm.read'] as [AppPermissions, string]])),
  'post.mention.create': ['read', 'post.read'],
  'like.create': ['read', 'like.read'],
  'mute.mute': ['read', 'mute.read'],
}

function randomConsent(): UserConsent {
  const access = maybe(0.5, () => pick(['read', 'read_write', 'read_write_dm'] as const)) ?? null
  const scopes = ['dm.read', 'post.read', 'like.read', 'mute.read', 'users.read'].filter(() => random() < 0.4)
  return { access, grants: maybe(0.5, () => [{ scopes, untilMs: NOW + pick([-1000, 1000]) }]) ?? [] }
}

const consents = new Map(APPS.flatMap((app) => USERS.map((user) => [`${app} ${user}`, randomConsent()])))

function randomCandidate(age: number): Candidate {
  const [eventType, appId] = [pick(TYPES), pick(APPS)]
  const userId = eventType === 'news.new' ? undefined : maybe(0.8, () => pick(USERS))
  const keyword = [...OF_TEXT, 'news.new'].includes(eventType) ? maybe(0.5, () => pick(WORDS)) : undefined
  const direction = [...CONVERSATION, 'follow.follow', 'like.create'].includes(eventType)
    ? maybe(0.5, () => pick(['sent', 'received'] as const))
    : undefined
  const filter = { ...(userId && { userId }), ...(keyword && { keyword }), ...(direction && { direction }) }
  const webhookId = maybe(0.8, () => `${appId}${Math.floor(random() * 5)}`) ?? null
  const subscription: Subscription = {
    id: String(age),
    appId,
    webhookId,
    eventType,
    filter,
    tag: null,
    createdAtMs: age,
    updatedAtMs: age,
  }
  const consent = NEEDED[eventType] && userId ? consents.get(`${appId} ${userId}`)! : null
  const webhook = webhookId === null ? null : { id: webhookId, valid: true }
  return {
    subscription,
    webhook,
    streamedAtMs: STREAMED_AT_MS[appId] ?? null,
    appSuspended: false,
    isCounted: false,
    quotas: null,
    consent,
  }
}

function randomEvent(): Matched {
  const eventType = pick(TYPES)
  const text = maybe(0.8, () => Array.from({ length: 4 }, () => pick(WORDS)).join(' '))
  const direction = ['follow.follow', 'like.create'].includes(eventType) ? pick(['sent', 'received'] as const) : undefined
  return { eventType, userId: pick(USERS), ...(text && { text }), ...(direction && { direction }), payload: { app_id: pick(APPS) } }
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ subscription }) => subscription.id).sort()

const CHAIN: readonly AppPermissions[] = ['read', 'read_write', 'read_write_dm']

function isGranted({ subscription: { eventType, appId, filter } }: Candidate): boolean {
  const needed = NEEDED[eventType]
  if (!needed) return true
  const consent = filter.userId && consents.get(`${appId} ${filter.userId}`)
  if (!consent) return false
  const [access, scope] = needed
  if (consent.access) return CHAIN.indexOf(consent.access) >= CHAIN.indexOf(access)
  return consent.grants.some((grant) => grant.untilMs > NOW && grant.scopes.includes(scope))
}

/** Which way an event went: `sent` and `received` say it in their names. */
const wayOf = ({ eventType, direction }: Matched): Direction | undefined =>
  direction ?? ({ sent: 'sent', received: 'received' } as const)[eventType.split('.').at(-1)!]

function isMatch(candidate: Candidate, event: Matched): boolean {
  const { eventType, appId, filter } = candidate.subscription
  if (eventType !== event.eventType || !isGranted(candidate)) return false
  if (eventType === 'oauth.revoke' && appId !== (event.payload as { app_id: string }).app_id) return false
  if (filter.userId && filter.userId !== event.userId) return false
  if (filter.direction && filter.direction !== wayOf(event)) return false
  return !filter.keyword || (event.text ?? '').split(' ').includes(filter.keyword)
}

/** Of each webhook the oldest subscription that matches. */
function byBruteForce(candidates: readonly Candidate[], event: Matched): string[] {
  const oldest = new Map<string, string>()
  for (const candidate of candidates)
    if (candidate.webhook && isMatch(candidate, event) && !oldest.has(candidate.webhook.id))
      oldest.set(candidate.webhook.id, candidate.subscription.id)
  return [...oldest.values()].sort()
}

/** Of each app that has the event in its stream the oldest subscription that matches. */
const streamedByBruteForce = (candidates: readonly Candidate[], event: Matched): string[] =>
  APPS.flatMap((appId) => {
    const ofApp = candidates.filter((candidate) => candidate.subscription.appId === appId && isMatch(candidate, event))
    const isStreamed = ofApp.some(({ webhook }) => webhook === null) || (STREAMED_AT_MS[appId] ?? 0) > SINCE_MS
    return isStreamed && ofApp.length > 0 ? [ofApp[0]!.subscription.id] : []
  }).sort()

test('random events match the same of random subscriptions as by comparing each with each', () => {
  const candidates = Array.from({ length: SUBSCRIPTIONS }, (_, age) => randomCandidate(age))
  const matchesOf = matcherOf(withConsent(candidates, NOW), SINCE_MS)
  const matchesByType = new Map<string, number>()
  for (let n = 0; n < EVENTS; n += 1) {
    const event = randomEvent()
    const { webhooks, streams } = matchesOf(event)
    assert.deepEqual(idsOf(webhooks), byBruteForce(candidates, event), JSON.stringify(event))
    assert.deepEqual(idsOf(streams), streamedByBruteForce(candidates, event), JSON.stringify(event))
    matchesByType.set(event.eventType, (matchesByType.get(event.eventType) ?? 0) + webhooks.length)
  }
  for (const type of TYPES) assert.ok(matchesByType.get(type)! > 0, `some event of ${type} matched`)
})

test('the app that a revocation names is found whether its id is a text or a number, of any length', () => {
  const appId = '1997712707928100865'
  const subscription = { ...randomCandidate(0).subscription, appId, eventType: 'oauth.revoke', filter: {} }
  const candidate = { ...randomCandidate(0), subscription, webhook: { id: '9', valid: true }, consent: null }
  const matchesOf = matcherOf([candidate], SINCE_MS)
  const found = (app_id: unknown) => matchesOf({ eventType: 'oauth.revoke', userId: '101', payload: { app_id } }).webhooks.length
  assert.deepEqual([appId, BigInt(appId), 1_997_712_707_928_100_866n, null, undefined].map(found), [1, 1, 0, 0, 0])
})
