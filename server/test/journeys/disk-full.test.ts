import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import type { Answer } from '../stage/call.ts'
import { isSlowLane } from '../stage/cases.ts'
import { databaseIn, type Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { messages } from '../stage/demo-client.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { type PostgresServer, startPostgres } from '../stage/postgres-server.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { type Room, roomOfPostgres, roomOfSqlite } from '../stage/room.ts'
import { canMount, mountSmallDisk } from '../stage/small-disk.ts'
import { rawRows } from '../storage/samples.ts'

const flavours = databasesOf(import.meta)

/** A server of its own: what has no room is the whole of it. */
let server: PostgresServer
before(async () => {
  server = await startPostgres({ settings: ['autovacuum=off'] })
  process.env.POSTERN_TEST_POSTGRES = server.url
})
after(() => server.stop())

/** More than a webhook holds in memory, so that most of it waits in the log. */
const BACKLOG = 1000
const IN_FLIGHT = 4

const publish = (stage: Stage, events: object[]) => stage.operator('POST', '/operator/events', { events })

function assertFull({ status, headers, body, text }: Answer) {
  assert.equal(status, 503, text)
  assert.match(headers.get('retry-after') ?? '', /^\d+$/)
  assert.match(body.detail, /^The database is (out of disk space|unavailable)\. Nothing was changed/)
}

/** Asks, with the number of times it did, until it is refused: a database has some room within its files. */
async function untilRefused(ask: (n: number) => Promise<Answer>): Promise<Answer> {
  for (let n = 1; n <= 5000; n += 1) {
    const answer = await ask(n)
    if (answer.status > 202) return answer
  }
  throw new Error('there is always room')
}

/** Leaves no room, and uses what is left within files until even the smallest accept is refused. */
async function fillUp(stage: Stage, room: Room) {
  await room.take()
  const large = messages('999', 1).map((event) => ({ ...event, payload: { text: 'x'.repeat(100_000) } }))
  assertFull(await untilRefused(() => publish(stage, large)))
  assertFull(await untilRefused(() => publish(stage, messages('999', 1))))
}

/** The uuids of everything that was delivered. */
async function deliveredOf(stage: Stage): Promise<string[]> {
  const page = async (more = '') => (await stage.operator('GET', `/operator/deliveries?state=delivered&max_results=1000${more}`)).body
  const first = await page()
  const second = first.meta.next_before ? await page(`&before=${first.meta.next_before}`) : { data: [] }
  return [...first.data, ...second.data].map(({ event_uuid }) => event_uuid)
}

async function assertWhole(flavour: Flavour, url: string) {
  if (flavour === 'postgres') return
  for (const file of [url, `${url}.events`]) assert.equal((await rawRows(file, 'pragma integrity_check'))[0]!.integrity_check, 'ok')
}

interface TightPlace extends AsyncDisposable {
  stage: Stage
  room: Room
}

const environment = { POSTERN_RATE_LIMITS: 'off' }

const MEGABYTES: Record<Flavour, number> = { sqlite: 16, postgres: 48 }

async function onSmallDisk(flavour: Flavour): Promise<TightPlace> {
  await using begun = new AsyncDisposableStack()
  const disk = begun.use((await mountSmallDisk(MEGABYTES[flavour]))!)
  const database = begun.use(await databaseIn(flavour, disk.folder))
  const stage = begun.use(await setStage({ environment: { ...environment, POSTERN_DATABASE_URL: database.url } }))
  const owned = begun.move()
  return { stage, room: disk, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function underLimit(flavour: Flavour): Promise<TightPlace> {
  const stage = await setStage({ flavour, environment, fresh: true })
  const room = flavour === 'sqlite' ? roomOfSqlite() : roomOfPostgres(server, stage.databaseUrl)
  const dispose = async () => {
    await room[Symbol.asyncDispose]()
    await stage[Symbol.asyncDispose]()
  }
  return { stage, room, [Symbol.asyncDispose]: dispose }
}

/** A disk can be mounted by root alone; a limit of file size is to be had wherever there is Linux. */
const places: Record<string, typeof onSmallDisk> = {
  ...((await canMount()) && { 'on a full disk': onSmallDisk }),
  ...(process.platform === 'linux' && { 'under a limit of file size': underLimit }),
}

/** PostgreSQL, which says of either that it cannot extend a file, is tried in one of them outside the slow lane. */
const placesOf = (flavour: Flavour) => Object.entries(places).slice(0, flavour === 'sqlite' || isSlowLane ? undefined : 1)

const everywhere = flavours.flatMap((flavour) => placesOf(flavour).map(([where, find]) => ({ flavour, where, find })))

for (const { flavour, where, find } of everywhere) {
  test(`${flavour} ${where}: events and registrations are rejected with 503, no more is sent than can be recorded, and everything works again once there is space`, async () => {
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using place = await find(flavour)
    const { stage, room } = place
    const { token, webhookId } = await stage.connect(receiver)
    const held: ServerResponse[] = []
    receiver.intercept = (request, response) => request.method === 'POST' && held.push(response) > 0
    const accepted = await stage.publish(...Array.from({ length: BACKLOG }, (_, n) => ({ n })))
    await receiver.when(() => held.length === IN_FLIGHT)

    await fillUp(stage, room)
    const late = messages('101', 3).map((event, n) => ({ ...event, event_uuid: String(1_000 + n) }))
    assertFull(await publish(stage, late))
    const subscription = (n: number) => ({ event_type: 'post.create', filter: { user_id: String(1_000 + n) }, webhook_id: webhookId })
    const subscribe = (n: number) => stage.api('POST', '/2/activity/subscriptions', { token, json: subscription(n) })
    assertFull(await untilRefused(subscribe))
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).body.data.length, 1)

    receiver.answerPosts(200)
    for (const response of held) answerWith(response, 200)
    await stage.logged('cannot record attempts in the event log: sending is paused', 1)
    const posts = receiver.posts
    assert.ok(posts < BACKLOG, `${posts} were sent while nothing could be recorded`)
    assertFull(await publish(stage, late))
    assert.ok(receiver.posts <= posts + IN_FLIGHT, `${receiver.posts - posts} more were sent`)

    await room.give()
    await stage.logged('the event log accepts attempts again: sending resumes', 1)
    const again = await publish(stage, late)
    assert.equal(again.status, 202, again.text)
    const all = [...accepted, ...again.body.data.map(({ event_uuid }: { event_uuid: string }) => event_uuid)]
    await stage.until(async () => {
      const delivered = new Set(await deliveredOf(stage))
      return all.every((uuid) => delivered.has(uuid))
    })
    assert.equal(receiver.posts, all.length)
    assert.equal((await subscribe(0)).status, 200)
    await assertWhole(flavour, stage.databaseUrl)
  })
}
