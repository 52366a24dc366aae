/** Who is subscribed to what, and whose events happen: all of it follows from numbers, so that nothing of it is kept. */
export interface World {
  webhooks: number
  /** The webhook of a place, and the place of a webhook. */
  idOf(place: number): string
  placeOf(webhookId: string): number
  /** The next event, as a number. */
  draw(): number
  eventOf(drawn: number): SimulatedEvent
  /** The SQL that fills the state. */
  inserts(nowMs: number): string[]
}

export interface SimulatedEvent {
  eventType: string
  userId: string
  /** Of the webhooks that it matches. */
  places: readonly number[]
}

export const APPS = 100
/** Public types: no user has to grant anything. */
const OF_USER = 'post.delete'
const OF_ANYONE = 'post.create'

const FIRST_WEBHOOK = 5_000_000
const FIRST_USER = 1_000_000_000
/** Webhooks that get all events of one type, besides those of their user. */
const WIDE = 30
/** A fifth of the users have two webhooks. */
const USERS_PER_WEBHOOK = 5 / 6

/** The webhook with by far the most events. Its callback hangs in the outage. */
export const BUSIEST = 7

/** How events are spread: a tenth is of one user, 40 % of 1 % of the users, 2 % are for the wide webhooks, the rest is of all users alike. */
const SHARE_OF_BUSIEST = 0.1
const SHARE_OF_WIDE = 0.02
const SHARE_OF_BUSY = 0.4
const BUSY_USERS = 0.01

export function createWorld(webhooks: number, random: () => number): World {
  const users = Math.ceil(webhooks * USERS_PER_WEBHOOK)
  const wide = Math.min(WIDE, webhooks)
  const wides = Array.from({ length: wide }, (_, place) => place)
  const upTo = (limit: number) => Math.floor(random() * limit)

  const userOf = (share: number) => {
    if (share < SHARE_OF_BUSIEST) return BUSIEST
    if (share < SHARE_OF_BUSIEST + SHARE_OF_BUSY) return upTo(Math.ceil(users * BUSY_USERS))
    return upTo(users)
  }

  return {
    webhooks,
    idOf: (place) => String(FIRST_WEBHOOK + place),
    placeOf: (webhookId) => Number(webhookId) - FIRST_WEBHOOK,
    draw() {
      const share = random()
      return share >= 1 - SHARE_OF_WIDE ? users + upTo(users) : userOf(share)
    },
    eventOf(drawn) {
      if (drawn >= users) return { eventType: OF_ANYONE, userId: String(FIRST_USER + drawn - users), places: wides }
      const places = drawn + users < webhooks ? [drawn, drawn + users] : [drawn]
      return { eventType: OF_USER, userId: String(FIRST_USER + drawn), places }
    },
    inserts: (nowMs) => [
      // The keys of other tables are right: looking for each would take most of the time.
      `set session_replication_role = replica; insert into webhooks (id, app_id, url, normal_url, valid, created_at_ms, next_challenge_at_ms)
       select (${FIRST_WEBHOOK} + place)::text, (1 + place % ${APPS})::text, 'https://c' || place || '.example/webhook',
         'https://c' || place || '.example/webhook', true, ${nowMs}, ${nowMs} + (place::bigint * 3600000) / ${webhooks}
       from generate_series(0, ${webhooks - 1}) as place`,
      `set session_replication_role = replica; insert into subscriptions
         (id, app_id, webhook_id, event_type, user_id, keyword, direction, tag, created_at_ms, updated_at_ms)
       select 'u' || place, (1 + place % ${APPS})::text, (${FIRST_WEBHOOK} + place)::text, '${OF_USER}',
         (${FIRST_USER} + place % ${users})::text, '', '', null, ${nowMs}, ${nowMs}
       from generate_series(0, ${webhooks - 1}) as place`,
      `insert into subscriptions (id, app_id, webhook_id, event_type, user_id, keyword, direction, tag, created_at_ms, updated_at_ms)
       select 'w' || place, (1 + place % ${APPS})::text, (${FIRST_WEBHOOK} + place)::text, '${OF_ANYONE}', '', '', '', null, ${nowMs}, ${nowMs}
       from generate_series(0, ${wide - 1}) as place`,
      'vacuum analyze',
    ],
  }
}
