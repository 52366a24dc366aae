import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextChallengeAtMs } from '../../src/delivery/challenge-slot.ts'
import { type Answer, reasonOf } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp } from '../stage/postern.ts'
import { type Race, setRace } from '../stage/race.ts'
import { startReceiver } from '../stage/receiver.ts'

const HOUR_MS = 3_600_000

interface Webhook extends Race {
  webhookId: string
}

type Asker = 'PUT' | 'the hourly round' | 'a 410'

/** Far less than the time that a challenge has. */
const SHORTLY_MS = 600

/** Moves to shortly before the hourly challenge, so that it can begin while another is under way. */
const approachTheRound = ({ one, webhookId }: Webhook) =>
  one.clock.advance(nextChallengeAtMs(webhookId, one.clock.now()) - one.clock.now() - SHORTLY_MS)

/** Has a challenge begun. Answers what the PUT was told, if it was one. */
async function begin(asker: Asker, { one, other, receiver, token, webhookId }: Webhook, place: number): Promise<Answer | undefined> {
  const server = place % 2 === 0 ? one : other
  if (asker === 'PUT') return server.api('PUT', `/2/webhooks/${webhookId}`, { token })
  if (asker === 'the hourly round') one.clock.advance(SHORTLY_MS)
  else {
    receiver.answerPosts(410)
    await server.publish({})
  }
  return undefined
}

/** How many outcomes of challenges of the webhook have been recorded. */
const recorded = ({ lines, webhookId }: Webhook) => lines(({ msg, webhook_id }) => msg === 'challenge' && webhook_id === webhookId).length

const isValid = async ({ one, token }: Webhook): Promise<boolean> => (await one.api('GET', '/2/webhooks', { token })).body.data[0].valid

/** Each: who begins first and who second, with what each ends, which of the two ends first, and whether the webhook is valid then. */
const overlaps: [first: Asker, second: Asker, outcomes: ['passes' | 'fails', 'passes' | 'fails'], firstEnded: 0 | 1, valid: boolean][] = [
  ['PUT', 'PUT', ['fails', 'passes'], 0, true],
  ['PUT', 'PUT', ['fails', 'passes'], 1, true],
  ['PUT', 'PUT', ['passes', 'fails'], 0, false],
  ['PUT', 'PUT', ['passes', 'fails'], 1, false],
  ['the hourly round', 'PUT', ['fails', 'passes'], 0, true],
  ['the hourly round', 'PUT', ['fails', 'passes'], 1, true],
  ['the hourly round', 'PUT', ['passes', 'fails'], 0, false],
  ['the hourly round', 'PUT', ['passes', 'fails'], 1, false],
  ['PUT', 'the hourly round', ['passes', 'fails'], 0, false],
  ['PUT', 'the hourly round', ['passes', 'fails'], 1, false],
  ['PUT', 'the hourly round', ['fails', 'passes'], 0, false],
  ['PUT', 'the hourly round', ['fails', 'passes'], 1, false],
  ['a 410', 'PUT', ['fails', 'passes'], 1, true],
  ['PUT', 'a 410', ['fails', 'passes'], 0, false],
]

/** A challenge that is held longer may have been given up: it has 3 s. */
const HELD_AT_MOST_MS = 2500

interface Overlapped {
  /** What each PUT was answered, in the order in which they ended. */
  answers: { reason: unknown; expected: unknown }[]
  isValid: boolean
  heldMs: number
}

async function overlap(
  pair: Omit<Race, 'receiver'>,
  [first, second, outcomes, firstEnded]: (typeof overlaps)[number],
): Promise<Overlapped> {
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const webhookId = await pair.one.register(receiver.url, pair.token)
  await pair.one.subscribe(webhookId, pair.token)
  const webhook = { ...pair, receiver, webhookId }
  approachTheRound(webhook)
  receiver.hold('GET')
  const beganMs = performance.now()
  const ended: Promise<Answer | undefined>[] = []
  for (const [place, asker] of [first, second].entries()) {
    ended.push(begin(asker, webhook, place))
    await receiver.holding(place + 1)
  }
  const answers: Overlapped['answers'] = []
  for (const [ends, place] of [firstEnded, 1 - firstEnded].entries()) {
    const held = receiver.held[place]!
    if (outcomes[place] === 'passes') held.pass()
    else held.fail(503)
    await pair.one.until(() => recorded(webhook) > ends)
    const answer = await ended[place]
    if (answer) answers.push({ reason: reasonOf(answer), expected: outcomes[place] === 'passes' ? 200 : 'CrcValidationFailed' })
  }
  const found = { answers, isValid: await isValid(webhook), heldMs: performance.now() - beganMs }
  assert.equal((await pair.other.api('DELETE', `/2/webhooks/${webhookId}`, { token: pair.token })).status, 200)
  return found
}

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: of overlapping challenges the one that began last decides, whichever ends last, and only a PUT re-enables`, async () => {
    await using pair = await setPair({ flavour })
    const race = { ...pair, token: await pair.one.token() }
    for (const each of overlaps) {
      let found = await overlap(race, each)
      // A slow machine has let a challenge end by itself.
      while (found.heldMs > HELD_AT_MOST_MS) found = await overlap(race, each)
      const [first, second, outcomes, firstEnded, valid] = each
      const story = `${first} ${outcomes[0]}, ${second} ${outcomes[1]}, ended ${firstEnded === 0 ? 'in order' : 'the other way round'}`
      for (const { reason, expected } of found.answers) assert.equal(reason, expected, story)
      assert.equal(found.isValid, valid, story)
    }
  })

  test(`${flavour}: after an outcome that came too late a valid webhook is still challenged hourly`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    const webhookId = await one.register(receiver.url, token)
    receiver.hold('GET')
    const put = () => other.api('PUT', `/2/webhooks/${webhookId}`, { token })
    const old = put()
    const [oldHeld] = await receiver.holding(1)
    const newer = put()
    const [, newerHeld] = await receiver.holding(2)
    newerHeld!.pass()
    assert.equal((await newer).status, 200)
    oldHeld!.fail(503)
    assert.equal(reasonOf(await old), 'CrcValidationFailed')
    receiver.letGo()
    one.clock.advance(HOUR_MS)
    await receiver.when(() => receiver.challenges === 4)
  })
}
