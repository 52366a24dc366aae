// Public clients read the stream with their own parsers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@xdevplatform/xdk'
import { ETwitterStreamEvent, TwitterApi } from 'twitter-api-v2'
import { seedConsent } from '../stage/consent.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { signInSeed } from '../stage/sign-in.ts'
import { numbered, subscribeStream } from '../stage/streaming.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'

const EVENTS = 300
/** Of 40 KB each: this client reads what it has from its beginning with each piece that comes. */
const LONG_EVENTS = 60

interface Line {
  data: { event_uuid: string; payload: { n: number; text?: string } }
}

test('the public client of the service reads every event of the stream', async () => {
  await using stage = await setStage({ environment: { POSTERN_DIALECT: 'x' } })
  const token = await stage.token()
  await subscribeStream(stage, token)
  const client = new Client({ baseUrl: stage.origins.base_url, bearerToken: token })
  const events = await client.stream.activity({ backfillMinutes: 1 })
  const seen: string[] = []
  const isComplete = new Promise<void>((resolve) => {
    // Its first event says that it is connected.
    events.on('data', (line: Partial<Line>) => line.data && seen.push(line.data.event_uuid) === EVENTS && resolve())
  })
  const uuids = await stage.publish(...numbered(0, EVENTS))
  await isComplete
  events.close()
  assert.deepEqual(seen, uuids)
})

test('twitter-api-v2 reads events that are longer than what comes at once', async () => {
  await using hosts = await asTheirHosts({ ...signInSeed, tokens: [seedConsent(demoApp, '101')] })
  const { stage } = hosts
  const token = await stage.token()
  await subscribeStream(stage, token)
  const client = new TwitterApi(token, { httpAgent: hosts.agent }).v2
  const stream = client.getStream<Line>('activity/stream', {}, { autoConnect: false })
  await stream.connect({ autoReconnect: false })
  const seen = new Promise<Line[]>((resolve, reject) => {
    const lines: Line[] = []
    stream.on(ETwitterStreamEvent.Data, (line: Line) => lines.push(line) === LONG_EVENTS && resolve(lines))
    stream.on(ETwitterStreamEvent.Error, reject)
  })
  // Not 'é': this client decodes what comes at once by itself, also where that ends within a character.
  const text = 'e'.repeat(40_000)
  for (let n = 0; n < LONG_EVENTS; n += 10) await stage.publish(...numbered(n, 10).map((payload) => ({ ...payload, text })))
  const lines = await seen
  stream.close()
  assert.deepEqual(
    lines.map(({ data }) => data.payload),
    numbered(0, LONG_EVENTS).map((payload) => ({ ...payload, text })),
  )
})
