import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { verifyBackup } from '../../src/storage/backup/backup.ts'
import { readManifest } from '../../src/storage/backup/manifest.ts'
import { adsCaller } from '../stage/ads.ts'
import { AUDIENCES, remove, seedWithAudiences, sendBody, sha, update, usersFrom } from '../stage/ads-audiences.ts'
import { backUpFrom, backupFolder, restoreTo } from '../stage/backups.ts'
import { type Flavour, freshDatabase, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { dumpOf } from '../stage/dump.ts'
import { asUser, fullWorld } from '../stage/full-world.ts'
import { pause } from '../stage/pause.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { rawRows } from '../storage/samples.ts'

const READS: [userId: string | undefined, path: string][] = [
  ['101', '/2/users/me?user.fields=public_metrics,created_at'],
  ['101', '/2/users/101/posts?post.fields=created_at,public_metrics&max_results=100'],
  ['101', '/2/users/101/followers'],
  [undefined, '/2/webhooks'],
  [undefined, '/2/activity/subscriptions'],
]

const readsOf = (stage: Stage) =>
  Promise.all([
    ...READS.map(async ([userId, path]) => (await asUser(stage, userId, path)).body),
    ...['deliveries', 'apps', 'events', 'webhooks'].map(async (list) => (await stage.operator('GET', `/operator/${list}`)).body.data),
  ])

const MEDIA = { 'media/3_1/original': Buffer.from([0, 255, 10, 13]), 'segments/7/0': Buffer.alloc(70_000, 7) }

async function addMedia(folder: string) {
  for (const [key, bytes] of Object.entries(MEDIA)) {
    await mkdir(join(folder, key, '..'), { recursive: true })
    await writeFile(join(folder, key), bytes)
  }
}

/** A world with a delivered event, and one that is retried in an hour. */
async function setFullStage(flavour: Flavour) {
  const stage = await setStage({ flavour, seed: fullWorld, environment: { POSTERN_RETRY_PLAN: '1h,1h' } })
  const receiver = await startReceiver([demoApp.consumer_secret])
  const { webhookId } = await stage.connect(receiver)
  const [delivered] = await stage.publish({ n: 1, text: 'ümlaut \u2028 "quoted" \\ 😀' })
  await stage.deliveriesWhen(`event_uuid=${delivered}`, ([found]) => found.state === 'delivered')
  receiver.intercept = ({ method }, response) => method === 'POST' && answerWith(response, 500)
  const [pending] = await stage.publish({ n: 2 })
  await stage.deliveriesWhen(`event_uuid=${pending}`, ([found]) => found.state === 'retrying')
  receiver.intercept = undefined
  return { stage, receiver, webhookId, delivered: delivered!, pending: pending! }
}

const startOn = (url: string) => setStage({ environment: { POSTERN_DATABASE_URL: url, POSTERN_RETRY_PLAN: '1h,1h' }, seed: {} })

/** Every file below a folder with the permissions of others. */
async function readableByOthers(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const modes = await Promise.all(names.map(async (name) => ((await stat(join(folder, name))).mode & 0o077) !== 0 && name))
  return modes.filter((name) => name !== false)
}

for (const flavour of databasesOf(import.meta))
  suite(`backups of ${flavour}`, () => {
    test('a backup of a running server restores every row, file and answer, and what was pending is delivered', async () => {
      const { stage, receiver, pending } = await setFullStage(flavour)
      await using _stage = stage
      await using _receiver = receiver
      await using folder = await backupFolder()
      await using target = await freshDatabase(flavour)
      await addMedia(stage.mediaFolder)
      const answers = await readsOf(stage)
      const rows = await dumpOf(stage.databaseUrl)
      await backUpFrom(stage.databaseUrl, folder.at('one'), stage.mediaFolder)
      assert.deepEqual(await readdir(folder.at('')), ['one'])
      assert.deepEqual(await readableByOthers(folder.at('one')), [])
      const manifest = await verifyBackup(folder.at('one'))
      assert.deepEqual(
        manifest.files.filter(({ path }) => path.startsWith('media/')).map(({ path, bytes }) => [path, bytes]),
        [
          ['media/media/3_1/original', 4],
          ['media/segments/7/0', 70_000],
        ],
      )

      await restoreTo(target.url, folder.at('one'), folder.at('media'))
      for (const [key, bytes] of Object.entries(MEDIA)) assert.deepEqual(await readFile(folder.at(`media/${key}`)), bytes)
      const restored = await dumpOf(target.url)
      // Calls of the last minutes are not counted again.
      for (const dump of [rows, restored]) delete dump.rate_windows
      for (const table of Object.keys(rows)) assert.deepEqual(restored[table]?.map(withoutOwner), rows[table]?.map(withoutOwner), table)
      assert.deepEqual(Object.keys(restored).sort(), Object.keys(rows).sort())
      await backUpFrom(target.url, folder.at('two'))
      if (flavour === 'postgres') assert.deepEqual(await sumsOf(folder.at('two')), await sumsOf(folder.at('one')))

      await using second = await startOn(target.url)
      assert.deepEqual(await readsOf(second), answers)
      await stage.stop()
      await second.operator('POST', '/operator/clock', { advance: '1h' })
      assert.equal(receiver.events.at(-1)?.data?.event_uuid, pending)
      const made = await second.operator('POST', '/operator/apps', { name: 'Made after' })
      assert.equal(made.status, 200, made.text)
    })

    test('a restored copy accepts events and sends nothing until it is released, then everything', async () => {
      const { stage, receiver, webhookId, delivered, pending } = await setFullStage(flavour)
      await using _stage = stage
      await using _receiver = receiver
      await using folder = await backupFolder()
      await using target = await freshDatabase(flavour)
      receiver.hold('POST')
      const window = { webhook_id: webhookId, from_date: minuteBefore(stage, 30), to_date: minuteBefore(stage, -1) }
      const { body: replay } = await stage.operator('POST', '/operator/replays', window)
      const replayOn = async (on: Stage) => (await on.operator('GET', `/operator/replays/${replay.data.job_id}`)).body.data.state
      await receiver.holding(1)
      await backUpFrom(stage.databaseUrl, folder.at('one'))
      receiver.letGo()
      await stage.until(async () => (await replayOn(stage)) === 'complete')
      await restoreTo(target.url, folder.at('one'), undefined, true)
      await stage.stop()
      const { posts, challenges } = receiver
      await using copy = await startOn(target.url)
      const { body: overview } = await copy.operator('GET', '/operator/overview')
      assert.match(overview.data.held_since, /^\d{4}-.*Z$/)
      assert.deepEqual((await copy.api('GET', '/readyz')).body, { ready: true, held: true })
      assert.equal(copy.log.filter(({ msg }) => /^this database is a restored copy/.test(msg)).length, 1)

      await using other = flavour === 'postgres' ? await copy.beside() : undefined
      const token = await copy.token()
      const [fresh] = await copy.publish({ n: 3 })
      await copy.operator('POST', '/operator/clock', { advance: '2h' })
      const refused = [
        await copy.api('PUT', `/2/webhooks/${webhookId}`, { token }),
        await copy.api('POST', '/2/webhooks', { token, json: { url: `${receiver.url}/other` } }),
        await copy.operator('POST', `/operator/webhooks/${webhookId}/challenge`),
        await copy.operator('POST', '/operator/replays', window),
      ]
      assert.deepEqual(
        refused.map(({ status, headers }) => [status, headers.has('retry-after')]),
        Array(4).fill([503, true]),
      )
      assert.match(refused[0]!.text, /restored copy/)
      assert.equal(
        (await copy.operator('POST', '/operator/deliveries/resend', { event_uuid: delivered, webhook_id: webhookId })).status,
        200,
      )
      await copy.deliveriesWhen(`event_uuid=${fresh}`, ([found]) => found.state === 'pending')
      assert.equal(await replayOn(copy), 'running')
      assert.deepEqual([receiver.posts, receiver.challenges], [posts, challenges])
      assert.equal((await copy.operator('GET', '/operator/webhooks')).body.data[0].valid, true)

      const released = await copy.operator('POST', '/operator/release')
      assert.deepEqual(released.body, { data: { was_held_since: overview.data.held_since } })
      for (const event of [pending, fresh]) await copy.deliveriesWhen(`event_uuid=${event}`, ([found]) => found.state === 'delivered')
      await copy.until(async () => (await replayOn(copy)) === 'complete')
      assert.deepEqual((await copy.operator('POST', '/operator/release')).body, { data: { was_held_since: null } })
      assert.deepEqual((await copy.api('GET', '/readyz')).body, { ready: true })
      await other?.until(async () => !(await other.api('GET', '/readyz')).body.held)
      assert.equal((await copy.api('PUT', `/2/webhooks/${webhookId}`, { token })).status, 200)
      await copy.restart()
      assert.equal((await copy.operator('GET', '/operator/overview')).body.data.held_since, null)
    })

    test('events and posts that are accepted while backups are made are each in the next backup once', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld, environment: { POSTERN_RATE_LIMITS: 'off' } })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const { token, webhookId } = await stage.connect(receiver)
      await stage.subscribe(webhookId, token, { event_type: 'post.create' })
      await using folder = await backupFolder()
      const accepted: string[] = []
      const posted: string[] = []
      let isDone = false
      const publishing = (async () => {
        for (let n = 0; !isDone; n++, await pause()) accepted.push(...(await stage.publish({ n })))
      })()
      const posting = (async () => {
        for (let n = 0; !isDone; n++, await pause()) {
          const made = await asUser(stage, '101', '/2/posts', 'POST', { text: `Number ${n}` })
          assert.equal(made.status, 201, made.text)
          posted.push(made.body.data.id)
        }
      })()
      await receiver.when(() => receiver.posts > 10)
      const known = [...accepted]
      const knownPosts = [...posted]
      await backUpFrom(stage.databaseUrl, folder.at('one'))
      isDone = true
      await Promise.all([publishing, posting])
      await stage.stop()

      await using target = await freshDatabase(flavour)
      await restoreTo(target.url, folder.at('one'))
      await using second = await startOn(target.url)
      assert.deepEqual(
        second.log.filter(({ level }) => level >= 40),
        [],
      )
      for (const event of known) assert.equal((await second.operator('GET', `/operator/events/${event}`)).status, 200)
      for (const post of knownPosts) assert.equal((await asUser(second, '101', `/2/posts/${post}`)).body.data?.id, post)
      await second.until(async () => {
        const { posts, events } = await numbersIn(target.url)
        return posts.join() === events.join()
      })
    })

    test('a damaged, incomplete or interrupted backup is refused by name, and nothing is restored', async () => {
      await using source = await migratedDatabase(flavour)
      await using target = await freshDatabase(flavour)
      await using folder = await backupFolder()
      await setStage({ environment: { POSTERN_DATABASE_URL: source.url } }).then((stage) => stage.end())
      const at = folder.at('one')
      await backUpFrom(source.url, at)
      const { files } = await readManifest(at)
      const { path } = files.find(({ path }) => /apps|postern\.db$/.test(path))!
      const good = await readFile(join(at, path))
      const bad = Buffer.from(good)
      bad[bad.length - 20]! ^= 1
      await writeFile(join(at, path), bad)
      await assert.rejects(restoreTo(target.url, at), {
        message: new RegExp(`${path} is damaged: its SHA-256 is not that of what was written`),
      })
      await writeFile(join(at, path), good.subarray(1))
      const sizes = `it has ${good.length - 1} bytes, and ${good.length} were written`
      await assert.rejects(restoreTo(target.url, at), { message: new RegExp(`${path} is damaged: ${sizes}`) })
      await rm(join(at, path))
      await assert.rejects(restoreTo(target.url, at), { message: new RegExp(`${path} is missing`) })
      await writeFile(join(at, path), good)
      const manifest = await readFile(join(at, 'manifest.json'), 'utf8')
      await writeFile(join(at, 'manifest.json'), manifest.replace('"001-baseline"', '"999-later"'))
      await assert.rejects(restoreTo(target.url, at), {
        message: /newer than this Postern: it has run the migration 999-later\. Restore it with a version newer than 0\.3\.0\.$/,
      })
      await rm(join(at, 'manifest.json'))
      await assert.rejects(restoreTo(target.url, at), { message: /has no manifest\.json: it is no backup, or one that was interrupted/ })
      await assert.rejects(backUpFrom(source.url, at), { message: /is not empty: name a new folder/ })
      await mkdir(folder.at('two.partial'))
      await assert.rejects(backUpFrom(source.url, folder.at('two')), { message: /two\.partial exists: .* interrupted/ })
      assert.deepEqual(await dumpOf(target.url), {})
      await writeFile(join(at, 'manifest.json'), manifest)
      await assert.rejects(restoreTo(source.url, at), {
        message: /is not empty: (it has \d+ tables \(account_apps,|there is .*postern\.db )/,
      })
      await restoreTo(target.url, at)
    })
  })

/** No process owns a delivery after a restore. */
const withoutOwner = (row: string) => row.replace(/"owner":"\d+"/, '"owner":null')

/** The checksums of the tables, without those that the restore itself writes. */
async function sumsOf(folder: string) {
  const { files } = await readManifest(folder)
  return files.filter(({ path }) => path.startsWith('tables/') && !/metadata|log_open/.test(path))
}

interface Told {
  event_type: string
  content: string | { data: number[] }
}

const NUMBER = /Number (\d+)/

/** The numbers of posts, and of the events that tell of them. */
async function numbersIn(url: string) {
  const { posts, event, log_event } = await dumpOf(url)
  const textOf = ({ content }: Told) => (typeof content === 'string' ? Buffer.from(content, 'hex') : Buffer.from(content.data)).toString()
  const told = (event ?? log_event)!.map((row): Told => JSON.parse(row)).filter(({ event_type }) => event_type === 'post.create')
  const numbersOf = (texts: string[]) =>
    texts.flatMap((text) => NUMBER.exec(text)?.[1] ?? []).sort((one, other) => Number(one) - Number(other))
  return { posts: numbersOf(posts!), events: numbersOf(told.map(textOf)) }
}

const minuteBefore = ({ clock }: Stage, minutes: number) =>
  new Date(clock.now() - minutes * 60_000).toISOString().replace(/[-:T]/g, '').slice(0, 12)

if (databasesOf(import.meta).includes('postgres'))
  suite('from SQLite to PostgreSQL', () => {
    test('a backup of SQLite restored to PostgreSQL gives the same answers, and what was pending is delivered', async () => {
      const { stage, receiver, pending } = await setFullStage('sqlite')
      await using _stage = stage
      await using _receiver = receiver
      await using folder = await backupFolder()
      await using target = await freshDatabase('postgres')
      const answers = await readsOf(stage)
      await backUpFrom(stage.databaseUrl, folder.at('one'))
      await stage.stop()
      await restoreTo(target.url, folder.at('one'))
      await using second = await startOn(target.url)
      assert.deepEqual(await readsOf(second), answers)
      await second.operator('POST', '/operator/clock', { advance: '1h' })
      assert.equal(receiver.events.at(-1)?.data?.event_uuid, pending)
      const post = await asUser(second, '101', '/2/posts', 'POST', { text: 'After the move' })
      assert.equal(post.status, 201, post.text)
    })

    test('users of audiences, also with several identifiers, are moved', async () => {
      await using stage = await setStage({ flavour: 'sqlite', seed: seedWithAudiences(), fresh: true })
      await using folder = await backupFolder()
      await using target = await freshDatabase('postgres')
      const users = [...usersFrom(0, 150), { email: [sha('one@example.com'), sha('two@example.com')], phone_number: [sha('+1')] }]
      const change = async (on: Stage, operation: object) => {
        const answer = await sendBody(on, `${AUDIENCES}/a1/users`, [operation])
        assert.equal(answer.status, 200, answer.text)
      }
      const sizeOn = async (on: Stage) => (await adsCaller(on)('GET', `${AUDIENCES}/a1`)).body.data.audience_size
      await change(stage, update(users))
      await backUpFrom(stage.databaseUrl, folder.at('one'))
      await stage.stop()
      await restoreTo(target.url, folder.at('one'))
      await using moved = await startOn(target.url)
      assert.equal(await sizeOn(moved), 151)
      await change(moved, remove([{ email: [sha('two@example.com')] }]))
      assert.equal(await sizeOn(moved), 150)
      await change(moved, update(usersFrom(149, 2)))
      assert.equal(await sizeOn(moved), 151)
    })

    test('characters NUL, which PostgreSQL cannot store, are left out of texts, and backslashes before them are not', async () => {
      await using stage = await setStage({ flavour: 'sqlite', fresh: true })
      await using target = await freshDatabase('postgres')
      await using folder = await backupFolder()
      await stage.stop()
      await rawRows(
        stage.databaseUrl,
        `insert into metadata (name, value) values ('note', char(0) || 'a\\' || char(0) || char(0) || 'b\\u0000')`,
      )
      await backUpFrom(stage.databaseUrl, folder.at('one'))
      await restoreTo(target.url, folder.at('one'))
      assert.deepEqual(await rawRows(target.url, `select value from metadata where name = 'note'`), [{ value: 'a\\b\\u0000' }])
    })

    test('a backup of PostgreSQL is not restored to SQLite', async () => {
      await using source = await migratedDatabase('postgres')
      await using target = await freshDatabase('sqlite')
      await using folder = await backupFolder()
      await backUpFrom(source.url, folder.at('one'))
      await assert.rejects(restoreTo(target.url, folder.at('one')), { message: /cannot be restored to SQLite/ })
    })
  })
