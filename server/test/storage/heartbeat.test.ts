// What the caches of several processes rely on. PostgreSQL does it and does not promise it, so it is checked here, for the version at hand; for
// another one: POSTERN_TEST_POSTGRES=postgres://… node --test server/test/storage/heartbeat.test.ts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { cases } from '../stage/cases.ts'
import { freshDatabase } from '../stage/database.ts'

const COMMITS = cases(4_000, 25_000)
const WRITERS = 8
const LISTENERS = 2

async function connected(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** A connection that listens, and what it has heard: the number of each writer's last message, and all messages. */
async function listening(url: string) {
  const { client, ...disposable } = await connected(url)
  const messages: string[] = []
  const last = Array.from({ length: WRITERS }, () => 0)
  client.on('notification', ({ payload = '' }) => {
    const [writer, number] = payload.split(' ').map(Number) as [number, number]
    messages.push(payload)
    assert.equal(number, last[writer]! + 1)
    last[writer] = number
  })
  await client.query('listen commits')
  return { client, messages, last, ...disposable }
}

type Listener = Awaited<ReturnType<typeof listening>>

test('a statement that is sent after a commit was answered is answered after its notification, and all connections hear one order', async () => {
  await using database = await freshDatabase('postgres')
  await using open = new AsyncDisposableStack()
  const listeners: Listener[] = []
  for (let n = 0; n < LISTENERS; n += 1) listeners.push(open.use(await listening(database.url)))
  /** The number of each writer's last commit that was answered. */
  const answered = Array.from({ length: WRITERS }, () => 0)
  let isWriting = true

  const write = async (writer: number) => {
    await using connection = await connected(database.url)
    await connection.client.query('set synchronous_commit = off')
    for (let number = 1; number <= COMMITS / WRITERS; number += 1) {
      await connection.client.query(`select pg_notify('commits', '${writer} ${number}')`)
      answered[writer] = number
    }
  }

  /** How many heartbeats were answered, and how many commits were not heard of then. */
  const beat = async ({ client, last }: Listener) => {
    const counts = { beats: 0, missed: 0 }
    while (isWriting) {
      const before = [...answered]
      await client.query('select 1')
      counts.beats += 1
      counts.missed += before.filter((number, writer) => last[writer]! < number).length
    }
    return counts
  }

  const beating = listeners.map(beat)
  await Promise.all(answered.map((_, writer) => write(writer)))
  isWriting = false
  for (const { beats, missed } of await Promise.all(beating)) {
    assert.ok(beats > 100, `${beats} heartbeats`)
    assert.equal(missed, 0)
  }
  for (const { client } of listeners) await client.query('select 1')
  assert.equal(listeners[0]!.messages.length, COMMITS)
  assert.deepEqual(listeners[1]!.messages, listeners[0]!.messages)
})
