import { counted } from './words.ts'

/** What a sentence about a delivery is made of. Times are ISO 8601. */
export interface Judged {
  state: 'pending' | 'delivered' | 'retrying' | 'given_up' | 'not_sent'
  accepted_at: string
  next_try_at: string | null
  /** Who set the time of the next attempt, if the callback did. */
  hint?: string
  attempts: readonly {
    at: string
    outcome: string
    status: number | null
    latency_ms: number
    error: string
    replay_job_id: string | null
  }[]
}

/** How times, spans and names are written. */
export interface Writing {
  time(iso: string): string
  distance(iso: string): string
  span(ms: number): string
  /** Of the user whom the event is about. */
  user: string
  /** Deliveries of the webhook that wait or are retried, this one included. */
  backlog: number
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth']

/** What a callback answers that finds the signature wrong. */
const REFUSES_SIGNATURE = [401, 403]

function failureOf({ status, error }: Judged['attempts'][number]): string {
  if (status === null) return error || 'without an answer'
  const answered = `the callback answered ${status}`
  return REFUSES_SIGNATURE.includes(status)
    ? `${answered}; if it checks the signature, compare the consumer secret and the bytes that it signs`
    : answered
}

function delivered({ accepted_at, attempts }: Judged, { span }: Writing): string {
  const planned = attempts.filter(({ replay_job_id }) => replay_job_id === null)
  const last = attempts.at(-1)
  if (!last) return 'Delivered.'
  const waitedMs = Date.parse(last.at) + last.latency_ms - Date.parse(accepted_at)
  const after = waitedMs < 1000 ? 'within a second' : `after ${span(waitedMs)}`
  if (last.replay_job_id !== null) return `Delivered by the replay ${last.replay_job_id}, ${after}.`
  return `Delivered at the ${ORDINALS[planned.length - 1] ?? `${planned.length}th`} attempt, ${after}.`
}

function notSent({ attempts, accepted_at }: Judged, { time, user }: Writing): string {
  const { error, at } = attempts.at(-1) ?? { error: '', at: accepted_at }
  const sentences: Record<string, string> = {
    'webhook invalid': `Not sent: the webhook was invalid at ${time(at)}. Once it passes a challenge, resend the event.`,
    'app suspended': `Not sent: the app was suspended at ${time(at)}. Resume it, and then resend the event.`,
    quota: `Not sent: the app had used up a quota at ${time(at)}. Once there is room, resend the event, or replay it within 24 hours.`,
    'consent revoked': `Not sent: the consent of ${user} had ended by ${time(at)}. They must sign in to the app again; then resend the event.`,
    'webhook deleted': 'Not sent: the webhook was deleted.',
  }
  return sentences[error] ?? `Not sent: ${error || 'it was kept back'}.`
}

/** One sentence or two on a delivery: what happened, and what to do. */
export function deliveryVerdict(delivery: Judged, writing: Writing): string {
  const { state, next_try_at: next, attempts, hint } = delivery
  const last = attempts.at(-1)
  const tried = counted(attempts.length, 'attempt', 'attempts')
  switch (state) {
    case 'delivered':
      return delivered(delivery, writing)
    case 'not_sent':
      return notSent(delivery, writing)
    case 'given_up':
      return `Given up after ${tried}${last ? `: ${failureOf(last)}` : ''}. Mend the callback, and then resend the event.`
    case 'retrying':
      return `Not delivered yet, after ${tried}${last ? `: ${failureOf(last)}` : ''}. The next follows ${next === null ? 'soon' : writing.distance(next)}${hint ? ', as its Retry-After asked' : ' by itself'}: mend the callback before then.`
    case 'pending':
      return writing.backlog > 1
        ? `Waiting for its turn with ${counted(writing.backlog - 1, 'other delivery', 'other deliveries')} of this webhook that wait or are retried: see whether its callback answers.`
        : 'Waiting for its first attempt to end.'
  }
}

/** The same for an event with all its deliveries, of which there is one at least. */
export function eventVerdict(all: readonly (readonly [Judged, Writing])[]): string {
  if (all.length === 1) return deliveryVerdict(...all[0]!)
  const count = (...states: Judged['state'][]) => all.filter(([{ state }]) => states.includes(state)).length
  const arrived = count('delivered')
  if (arrived === all.length) return `Delivered to all ${arrived} webhooks.`
  const rest = [
    [count('pending', 'retrying'), 'under way'],
    [count('given_up'), 'given up'],
    [count('not_sent'), 'not sent'],
  ] as const
  const missing = rest.flatMap(([some, words]) => (some > 0 ? [`${some} ${words}`] : []))
  return `Delivered to ${arrived} of ${all.length} webhooks; ${missing.join(', ')}: each delivery below says why.`
}

/** Of an event that went to no webhook. `near` are the reasons of the subscriptions to its type. */
export function nobodyVerdict(type: string, user: string, near: readonly string[]): string {
  const nobody = `Nobody is subscribed to ${type} of ${user}`
  if (near.length === 0) return `${nobody}, and no app to this type at all: create a subscription, and the next event comes.`
  if (near.length === 1) return `${nobody}: one subscription nearly matched, and ${near[0]}.`
  return `${nobody}: ${near.length} subscriptions nearly matched, and each says below why it did not.`
}

/** Of a call: how it was answered, and what came of it. */
export function callVerdict({
  status,
  caused,
  unmatched,
  isRefused,
}: {
  status: number
  caused: number
  unmatched: number
  isRefused: boolean
}) {
  if (isRefused) return `Refused with ${status}: nothing came of it. What to mend stands below.`
  if (caused === 0 && unmatched > 0)
    return `Answered ${status}, but nobody got the ${unmatched === 1 ? 'event' : `${unmatched} events`} that it would have caused, for the reasons below.`
  const events = caused === 0 ? 'no event' : counted(caused, 'event', 'events')
  const lost = unmatched === 0 ? '' : `; nobody got ${counted(unmatched, 'other', 'others')}, for the reasons below`
  return `Answered ${status}, and caused ${events}${lost}.`
}
