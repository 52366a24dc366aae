import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createBackToSeed } from '../../src/development/snapshots/snapshots.ts'
import { callingWithoutPause } from '../stage/calling-clients.ts'
import { databasesOf } from '../stage/databases.ts'
import { dumpOf } from '../stage/dump.ts'
import { asUser, fullWorld } from '../stage/full-world.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { signedInSeed } from '../stage/signed-calls.ts'
import { open, streaming } from '../stage/streaming.ts'
import { filesOf, uploadInSegments } from '../stage/uploads.ts'

async function snapshot(stage: Stage): Promise<string> {
  const answer = await stage.operator('POST', '/operator/snapshots')
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.id
}

async function restore(stage: Stage, id: string) {
  const answer = await stage.operator('POST', `/operator/snapshots/${id}/restore`)
  assert.equal(answer.status, 200, answer.text)
}

const advance = async (stage: Stage, by: string) => (await stage.operator('POST', '/operator/clock', { advance: by })).body.data.happened

const READS: [userId: string | undefined, path: string][] = [
  ['101', '/2/users/me?user.fields=public_metrics,created_at'],
  ['101', '/2/users/101/posts?post.fields=created_at,public_metrics&max_results=100'],
  ['101', '/2/users/101/followers'],
  [undefined, '/2/webhooks'],
  [undefined, '/2/activity/subscriptions'],
]

test('a reset begins once what is under way has ended, or its patience has, and says which', async () => {
  for (const isQuiet of [true, false]) {
    const steps: string[] = []
    const step = (name: string) => async () => void steps.push(name)
    const given = {
      activity: { quiet: () => step('quiet')().then(() => isQuiet) },
      eventLog: { wipe: step('wipe the log') },
      storage: { wipe: step('wipe the state') },
      clock: { setOffset() {} },
    }
    const held = { clear: step('clear'), resume: step('resume'), mediaFiles: { list: async () => [], remove: async () => {} } }
    assert.equal(await createBackToSeed(given as never, held as never, () => {})(), isQuiet)
    assert.deepEqual(steps, ['quiet', 'clear', 'wipe the log', 'wipe the state', 'resume'])
  }
})

for (const flavour of databasesOf(import.meta))
  suite(`snapshots on ${flavour}`, () => {
    test('a restore brings back every row and answer, the clock, and what was pending, whatever was changed meanwhile', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld, environment: { POSTERN_RETRY_PLAN: '1h,1h' } })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const { token, webhookId } = await stage.connect(receiver)
      const [delivered] = await stage.publish({ n: 1 })
      await receiver.received(1)
      receiver.intercept = ({ method }, response) => method === 'POST' && answerWith(response, 500)
      const [pending] = await stage.publish({ n: 2 })
      await stage.deliveriesWhen(`event_uuid=${pending}`, ([found]) => found.state === 'retrying')
      const reads = () =>
        Promise.all([
          ...READS.map(async ([userId, path]) => (await asUser(stage, userId, path)).body),
          stage.operator('GET', '/operator/deliveries').then(({ body }) => body),
          stage.operator('GET', '/operator/apps').then(({ body }) => body),
        ])
      const answers = await reads()
      const id = await snapshot(stage)
      const rows = await dumpOf(stage.databaseUrl)
      const offsetMs = stage.clock.offset()

      await advance(stage, '30h')
      const [later] = await stage.publish({ n: 3 })
      assert.equal((await asUser(stage, '101', '/2/posts/2000', 'DELETE')).status, 200)
      assert.equal((await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 200)
      assert.equal((await stage.api('DELETE', `/2/webhooks/${webhookId}`, { token })).status, 200)
      assert.equal((await stage.operator('DELETE', '/operator/users/102')).status, 200)
      const made = await stage.operator('POST', '/operator/apps', { name: 'Made meanwhile' })
      assert.equal((await stage.operator('DELETE', '/operator/apps/1')).status, 200)

      await restore(stage, id)
      const restored = await dumpOf(stage.databaseUrl)
      for (const table of Object.keys(rows)) assert.deepEqual(restored[table], rows[table], table)
      assert.deepEqual(Object.keys(restored).sort(), Object.keys(rows).sort())
      assert.equal(stage.clock.offset(), offsetMs)
      assert.deepEqual(await reads(), answers)

      receiver.intercept = undefined
      const happened = await advance(stage, '1h')
      assert.deepEqual(
        happened
          .filter(({ kind }: { kind: string }) => kind === 'retry')
          .map(({ event_uuid, outcome }: Record<string, string>) => [event_uuid, outcome]),
        [[pending, 'delivered']],
      )
      const [fresh] = await stage.publish({ n: 4 })
      await receiver.received(3)
      assert.equal(new Set([delivered, pending, later, fresh]).size, 4)
      const again = await stage.operator('POST', '/operator/apps', { name: 'Made after' })
      assert.notEqual(again.body.data.id, made.body.data.id)
      assert.ok(BigInt(again.body.data.id) > BigInt(made.body.data.id))
    })

    test('restores and resets that follow each other while a callback hangs all answer, and what is published after them is delivered', async () => {
      await using stage = await setStage({ flavour })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const hang = async (posts: number) => {
        receiver.intercept = ({ method }) => method === 'POST'
        await stage.publish({ n: posts })
        await receiver.when(() => receiver.posts === posts)
      }
      await stage.connect(receiver)
      const id = await snapshot(stage)
      await hang(1)
      await restore(stage, id)
      await hang(2)
      await restore(stage, id)
      receiver.intercept = undefined
      await stage.publish({ n: 3 })
      await receiver.received(1)
      await hang(4)
      for (const _time of [1, 2]) assert.equal((await stage.operator('POST', '/operator/reset')).status, 200)
      receiver.intercept = undefined
      await stage.connect(receiver)
      await stage.publish({ n: 5 })
      await receiver.received(2)
    })

    test('a restore that fails for a file leaves state, log and clock as they were, and what is pending is delivered', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed, environment: { POSTERN_RETRY_PLAN: '1h' } })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      assert.equal((await uploadInSegments(stage, mediaFixture('photo.png'), 'image/png')).status, 200)
      const id = await snapshot(stage)
      assert.equal((await stage.operator('POST', '/operator/reset')).status, 200)
      await advance(stage, '10m')
      await stage.connect(receiver)
      receiver.intercept = ({ method }, response) => method === 'POST' && answerWith(response, 500)
      const [pending] = await stage.publish({ n: 1 })
      await stage.deliveriesWhen(`event_uuid=${pending}`, ([found]) => found.state === 'retrying')
      await rm(join(stage.mediaFolder, 'snapshots'), { recursive: true })
      const offsetMs = stage.clock.offset()
      assert.ok((await stage.operator('POST', `/operator/snapshots/${id}/restore`)).status >= 500)
      assert.equal(stage.clock.offset(), offsetMs)
      receiver.intercept = undefined
      await advance(stage, '1h')
      assert.deepEqual(
        receiver.events.map(({ data }) => data?.event_uuid),
        [pending],
      )
    })

    test('a snapshot is made and restored while clients call without a pause', async () => {
      await using stage = await setStage({ flavour, environment: { POSTERN_RATE_LIMITS: 'off' } })
      await using clients = await callingWithoutPause(stage)
      await restore(stage, await snapshot(stage))
      assert.equal(clients.areCalling(), true)
    })

    test('the same snapshot can be restored again and again, also after a reset', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const created = await stage.operator('POST', '/operator/apps', { name: 'Before' })
      const id = await snapshot(stage)
      const rows = await dumpOf(stage.databaseUrl)
      for (const change of ['apps', 'reset', 'apps'] as const) {
        if (change === 'reset') assert.equal((await stage.operator('POST', '/operator/reset')).status, 200)
        else assert.equal((await stage.operator('DELETE', `/operator/apps/${created.body.data.id}`)).status, 200)
        await restore(stage, id)
        assert.deepEqual(await dumpOf(stage.databaseUrl), rows)
      }
    })

    test('files of media that were removed come back, and those that came are removed', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      assert.equal((await uploadInSegments(stage, mediaFixture('photo.png'), 'image/png')).status, 200)
      const id = await snapshot(stage)
      const files = await filesOf(stage)
      assert.equal((await uploadInSegments(stage, mediaFixture('photo.png'), 'image/png')).status, 200)
      assert.equal((await stage.operator('POST', '/operator/reset')).status, 200)
      await restore(stage, id)
      const isMedia = (file: string) => file.includes('media/') && !file.includes('snapshots/')
      assert.deepEqual((await filesOf(stage)).filter(isMedia).sort(), files.filter(isMedia).sort())
      assert.equal((await stage.operator('DELETE', `/operator/snapshots/${id}`)).status, 200)
      assert.deepEqual(
        (await filesOf(stage)).filter((file) => file.includes('snapshots/')),
        [],
      )
    })

    test('a rate limit has as many calls left as then', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed })
      const token = await stage.token()
      const left = async () => Number((await stage.api('GET', '/2/webhooks', { token })).headers.get('x-rate-limit-remaining'))
      const before = await left()
      const id = await snapshot(stage)
      for (let calls = 0; calls < 5; calls += 1) await left()
      await restore(stage, id)
      assert.equal(await left(), before - 1)
    })

    test('streams are disconnected, and connect again', async () => {
      await using it = await streaming(flavour)
      const { stage, token } = it
      const id = await snapshot(stage)
      using client = await open(stage, token)
      await restore(stage, id)
      await client.when(() => client.hasEnded)
      using again = await open(stage, token)
      await stage.publish({ n: 1 })
      await again.when(() => again.lines.length > 0)
    })
  })

test('at most 10 snapshots are kept, and a deleted one makes room', async () => {
  await using stage = await setStage({ fresh: true })
  const ids: string[] = []
  for (let count = 0; count < 10; count += 1) ids.push(await snapshot(stage))
  const refused = await stage.operator('POST', '/operator/snapshots')
  assert.deepEqual([refused.status, /10 snapshots already/.test(refused.body.detail)], [409, true])
  assert.deepEqual(
    (await stage.operator('GET', '/operator/snapshots')).body.data.map((one: { id: string }) => one.id),
    ids,
  )
  assert.equal((await stage.operator('DELETE', `/operator/snapshots/${ids[3]}`)).status, 200)
  assert.equal((await stage.operator('POST', `/operator/snapshots/${ids[3]}/restore`)).status, 404)
  await snapshot(stage)
})
