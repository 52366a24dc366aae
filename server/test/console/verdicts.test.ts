import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callVerdict, deliveryVerdict, eventVerdict, type Judged, nobodyVerdict, type Writing } from '../../../console/src/verdicts.ts'

const ACCEPTED = '2026-11-24T10:00:00.000Z'

const writing: Writing = {
  time: (iso) => `${iso.slice(11, 19)} UTC`,
  distance: () => 'in 2 minutes',
  span: (ms) => `${Math.floor(ms / 1000)} seconds`,
  user: 'Ada (101)',
  backlog: 1,
}

type Attempt = Judged['attempts'][number]

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  at: '2026-11-24T10:00:05.000Z',
  outcome: 'delivered',
  status: 200,
  latency_ms: 20,
  error: '',
  replay_job_id: null,
  ...more,
})

const delivery = (state: Judged['state'], ...attempts: Attempt[]): Judged => ({
  state,
  accepted_at: ACCEPTED,
  next_try_at: state === 'retrying' ? '2026-11-24T10:02:00.000Z' : null,
  attempts,
})

const failed = attempt({ outcome: 'failed', status: 500, at: ACCEPTED })

test('a delivery that arrived says at which attempt and after how long', () => {
  assert.equal(
    deliveryVerdict(delivery('delivered', attempt({ at: ACCEPTED })), writing),
    'Delivered at the first attempt, within a second.',
  )
  assert.equal(deliveryVerdict(delivery('delivered', failed, attempt()), writing), 'Delivered at the second attempt, after 5 seconds.')
  assert.equal(
    deliveryVerdict(delivery('delivered', failed, attempt({ replay_job_id: '17' })), writing),
    'Delivered by the replay 17, after 5 seconds.',
  )
})

test('a delivery that did not arrive says why, what comes and what to do', () => {
  const verdicts: [Judged, string][] = [
    [
      delivery('retrying', failed),
      'Not delivered yet, after 1 attempt: the callback answered 500. The next follows in 2 minutes by itself: mend the callback before then.',
    ],
    [
      delivery('retrying', attempt({ outcome: 'failed', status: 401 })),
      'Not delivered yet, after 1 attempt: the callback answered 401; if it checks the signature, compare the consumer secret and the bytes that it signs. The next follows in 2 minutes by itself: mend the callback before then.',
    ],
    [
      { ...delivery('retrying', failed), hint: 'The callback’s Retry-After set this time.' },
      'Not delivered yet, after 1 attempt: the callback answered 500. The next follows in 2 minutes, as its Retry-After asked: mend the callback before then.',
    ],
    [
      delivery('given_up', failed, attempt({ outcome: 'failed', status: null, error: 'the connection was refused' })),
      'Given up after 2 attempts: the connection was refused. Mend the callback, and then resend the event.',
    ],
    [
      delivery('not_sent', attempt({ outcome: 'not_sent', error: 'consent revoked' })),
      'Not sent: the consent of Ada (101) had ended by 10:00:05 UTC. They must sign in to the app again; then resend the event.',
    ],
    [
      delivery('not_sent', attempt({ outcome: 'not_sent', error: 'webhook invalid' })),
      'Not sent: the webhook was invalid at 10:00:05 UTC. Once it passes a challenge, resend the event.',
    ],
    [
      delivery('not_sent', attempt({ outcome: 'not_sent', error: 'app suspended' })),
      'Not sent: the app was suspended at 10:00:05 UTC. Resume it, and then resend the event.',
    ],
    [
      delivery('not_sent', attempt({ outcome: 'not_sent', error: 'quota' })),
      'Not sent: the app had used up a quota at 10:00:05 UTC. Once there is room, resend the event, or replay it within 24 hours.',
    ],
    [delivery('pending'), 'Waiting for its first attempt to end.'],
  ]
  for (const [judged, verdict] of verdicts) assert.equal(deliveryVerdict(judged, writing), verdict)
  assert.equal(
    deliveryVerdict(delivery('pending'), { ...writing, backlog: 41 }),
    'Waiting for its turn with 40 other deliveries of this webhook that wait or are retried: see whether its callback answers.',
  )
})

test('an event with several deliveries says how many arrived', () => {
  const all = (...states: Judged['state'][]) => states.map((state) => [delivery(state, attempt({ at: ACCEPTED })), writing] as const)
  assert.equal(eventVerdict(all('delivered')), 'Delivered at the first attempt, within a second.')
  assert.equal(eventVerdict(all('delivered', 'delivered')), 'Delivered to all 2 webhooks.')
  assert.equal(
    eventVerdict(all('delivered', 'retrying', 'pending', 'given_up', 'not_sent')),
    'Delivered to 1 of 5 webhooks; 2 under way, 1 given up, 1 not sent: each delivery below says why.',
  )
})

test('an event that nobody got says which subscriptions nearly matched', () => {
  assert.equal(
    nobodyVerdict('post.create', 'Ada (101)', []),
    'Nobody is subscribed to post.create of Ada (101), and no app to this type at all: create a subscription, and the next event comes.',
  )
  assert.equal(
    nobodyVerdict('post.create', 'Ada (101)', ['is for user 102, not 101']),
    'Nobody is subscribed to post.create of Ada (101): one subscription nearly matched, and is for user 102, not 101.',
  )
  assert.equal(
    nobodyVerdict('post.create', 'Ada (101)', ['a', 'b', 'c']),
    'Nobody is subscribed to post.create of Ada (101): 3 subscriptions nearly matched, and each says below why it did not.',
  )
})

test('a call says how it was answered, and what came of it', () => {
  const call = { status: 201, caused: 0, unmatched: 0, isRefused: false }
  assert.equal(callVerdict(call), 'Answered 201, and caused no event.')
  assert.equal(
    callVerdict({ ...call, caused: 2, unmatched: 1 }),
    'Answered 201, and caused 2 events; nobody got 1 other, for the reasons below.',
  )
  assert.equal(
    callVerdict({ ...call, unmatched: 2 }),
    'Answered 201, but nobody got the 2 events that it would have caused, for the reasons below.',
  )
  assert.equal(
    callVerdict({ ...call, unmatched: 1 }),
    'Answered 201, but nobody got the event that it would have caused, for the reasons below.',
  )
  assert.equal(callVerdict({ ...call, status: 401, isRefused: true }), 'Refused with 401: nothing came of it. What to mend stands below.')
})
