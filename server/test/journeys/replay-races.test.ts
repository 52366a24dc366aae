import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { reasonOf } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import type { Stage } from '../stage/postern.ts'
import { type Race, setRace } from '../stage/race.ts'

const MINUTE_MS = 60_000
const ROUNDS = 2

/** Asks for everything of the last minutes. */
const replay = (stage: Stage, token: string, webhook_id: string) => {
  const from_date = formatMinute(stage.clock.now() - 2 * MINUTE_MS)
  const to_date = formatMinute(stage.clock.now() + MINUTE_MS)
  return stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id, from_date, to_date } })
}

const untilReported = (stage: Stage, jobId: string) =>
  stage.until(async () => {
    const job = (await stage.operator('GET', `/operator/replays/${jobId}`)).body.data
    return job.reported && job
  })

/** How many replays have ended, on either server. */
const ended = ({ lines }: Race) => lines(({ msg }) => msg === 'replay').length

const many = (length: number) => Array.from({ length }, (_, n) => ({ n }))

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: of two concurrent replays one runs, and the other is a conflict`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    await one.publish(...many(10))
    await receiver.received(10)
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = receiver.posts
      receiver.hold('GET')
      const asked = [replay(one, token, webhookId), replay(other, token, webhookId)]
      await receiver.holding(2)
      receiver.hold('POST')
      for (const held of receiver.held.splice(0)) held.pass()
      const answers = await Promise.all(asked)
      assert.deepEqual(answers.map(reasonOf).sort(), [200, 409])
      receiver.letGo()
      const { job_id } = answers.find(({ status }) => status === 200)!.body
      const job = await untilReported(other, job_id)
      assert.deepEqual([job.state, job.delivered, job.failed], ['complete', 10, 0])
      assert.equal(receiver.posts - before, 10 + 1)
    }
  })

  test(`${flavour}: a replay requested while the former ends is a conflict or runs completely`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    await one.publish({})
    await receiver.received(1)
    for (let round = 0; round < ROUNDS; round += 1) {
      receiver.hold('POST')
      const former = (await replay(one, token, webhookId)).body.job_id
      const [lastPost] = await receiver.holding(1)
      receiver.hold('GET')
      const asking = replay(other, token, webhookId)
      const [, challenge] = await receiver.holding(2)
      lastPost!.pass()
      challenge!.pass()
      const answer = await asking
      receiver.letGo()
      const jobs = answer.status === 200 ? [former, answer.body.job_id] : [former]
      assert.ok(answer.status === 200 || answer.status === 409, answer.text)
      for (const job of jobs) assert.deepEqual((await untilReported(one, job)).delivered, 1)
      const next = await replay(other, token, webhookId)
      assert.equal(next.status, 200, next.text)
      await untilReported(one, next.body.job_id)
    }
  })

  test(`${flavour}: a webhook that is deleted while its replay is requested gets none`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    await one.publish({})
    await receiver.received(1)
    receiver.hold('GET')
    const asked = replay(one, token, webhookId)
    await receiver.holding(1)
    assert.equal((await other.api('DELETE', `/2/webhooks/${webhookId}`, { token })).status, 200)
    receiver.letGo()
    assert.equal(reasonOf(await asked), 'WebhookIdInvalid')
    assert.equal(receiver.posts, 1)
  })

  test(`${flavour}: a deletion ends a replay: attempts in flight may finish, nothing more is sent, and nothing is reported`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    await one.publish(...many(250))
    await receiver.received(250)
    receiver.hold('POST')
    const { job_id } = (await replay(one, token, webhookId)).body
    await receiver.holding(4)
    assert.equal((await other.api('DELETE', `/2/webhooks/${webhookId}`, { token })).status, 200)
    for (const stage of [one, other]) await stage.api('GET', '/2/webhooks', { token })
    for (const [place, held] of receiver.held.entries()) {
      if (place % 2 === 0) held.pass()
      else held.fail(500)
    }
    await one.until(() => ended(race) === 1)
    const job = (await other.operator('GET', `/operator/replays/${job_id}`)).body.data
    assert.equal(job.state, 'cancelled')
    assert.equal(receiver.posts, 250 + 4)
  })

  test(`${flavour}: the end of a replay is not reported again to a webhook that was deleted meanwhile`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    receiver.hold('POST')
    const { job_id } = (await replay(one, token, webhookId)).body
    const [report] = await receiver.holding(1)
    assert.equal((await other.api('DELETE', `/2/webhooks/${webhookId}`, { token })).status, 200)
    report!.fail(500)
    await untilReported(one, job_id)
    await one.connect(receiver)
    await one.publish({ last: true })
    await receiver.holding(2)
    assert.equal(receiver.posts, 2)
    receiver.letGo()
  })
}
