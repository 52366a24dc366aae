import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { createClock } from '../../../server/src/lib/clock.ts'
import { openMediaFiles } from '../../../server/src/storage/media-files/open-media-files.ts'
import { AUDIENCES, seedWithAudiences, sendBody, update, usersFrom } from '../../../server/test/stage/ads-audiences.ts'
import { backUpFrom, backupFolder } from '../../../server/test/stage/backups.ts'
import { demoApp, setStage } from '../../../server/test/stage/postern.ts'
import { startReceiver } from '../../../server/test/stage/receiver.ts'
import { startS3 } from '../../../server/test/stage/s3-server.ts'
import { endCommands, runAlone, runCommand } from './command.ts'

after(endCommands)

async function done(args: string[], environment: Record<string, string>) {
  const { code, stdout, stderr } = await runCommand(args, { environment })
  assert.equal(code, 0, stderr)
  return { stdout, stderr }
}

test('a backup is made beside the server, verified, restored as a copy, which says at once that it sends nothing, and released', async () => {
  await using stage = await setStage({ fresh: true })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await stage.connect(receiver)
  await using folder = await backupFolder()
  const database = { POSTERN_DATABASE_URL: stage.databaseUrl }
  const made = await done(['backup', folder.at('one')], database)
  assert.match(
    made.stdout,
    /^backed up and verified: sqlite of version \S+ at \S+Z: \d+ tables with \d+ rows, 0 files of media, \d+ bytes\n$/,
  )
  assert.match(made.stderr, /^POSTERN_SECRET is not in it/)
  assert.match((await done(['backup', folder.at('one'), '--verify'], {})).stdout, /^verified: sqlite/)
  const url = `sqlite:${folder.at('copy/postern.db')}`
  const { stdout } = await done(['restore', folder.at('one'), '--to', url, '--as-copy', '--json'], {})
  assert.deepEqual(
    Object.entries(JSON.parse(stdout).data).filter(([name]) => ['database', 'as_copy', 'media_files'].includes(name)),
    [
      ['database', 'sqlite'],
      ['media_files', 0],
      ['as_copy', true],
    ],
  )
  const again = await runCommand(['restore', folder.at('one'), '--to', url])
  assert.deepEqual([again.code, /is not empty: there is .*postern\.db/.test(again.stderr)], [1, true])
  await using copy = await setStage({ environment: { POSTERN_DATABASE_URL: url }, seed: {} })
  const release = () => runCommand(['restore', '--release'], { url: copy.origins.base_url })
  const publish = ['publish', 'dm.received', '--user', '101']
  const held = await runCommand(publish, { url: copy.origins.base_url })
  assert.match(
    held.stdout,
    /^event .*\nnot tried yet: .*\nheld since \S+Z: this is a restored copy, which sends it once `postern restore --release` lets it\n$/,
  )
  assert.match((await release()).stdout, /^released: it was held since \S+Z\n$/)
  assert.match((await release()).stdout, /^It is not held: nothing changed\.\n$/)
})

/** Node's option that kills the process before it renames a file for the n-th time. */
const killedBeforeRename = (n: number) => {
  const program = `import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module'
    const { rename } = fs; let left = ${n}
    fs.rename = (...names) => (--left === 0 ? process.kill(process.pid, 'SIGKILL') : rename(...names)); syncBuiltinESMExports()`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` }
}

test('a restore to SQLite that was killed at any file is run again, and replaces nothing that is not in the backup', async () => {
  await using stage = await setStage({ fresh: true, seed: seedWithAudiences() })
  await using folder = await backupFolder()
  assert.equal((await sendBody(stage, `${AUDIENCES}/a1/users`, [update(usersFrom(0, 150))])).status, 200)
  await backUpFrom(stage.databaseUrl, folder.at('one'))
  await stage.publish({ text: 'Ahoy' })
  await backUpFrom(stage.databaseUrl, folder.at('two'))
  const filesIn = async (name: string) => {
    const names = (await readdir(folder.at(name))).filter((file) => file !== 'manifest.json')
    return Object.fromEntries(await Promise.all(names.sort().map(async (file) => [file, await readFile(folder.at(`${name}/${file}`))])))
  }
  const restored = (from: string, to: string, environment?: Record<string, string>) => {
    const words = ['restore', folder.at(from), '--to', `sqlite:${folder.at(to)}/postern.db`]
    return environment === undefined ? runCommand(words) : runAlone(words, { environment })
  }
  const ends = [
    ['postern.db.audiences.restoring', 'postern.db.events.restoring', 'postern.db.restoring'],
    ['postern.db.audiences.restoring', 'postern.db.events', 'postern.db.restoring'],
    ['postern.db.audiences', 'postern.db.events', 'postern.db.restoring'],
  ]
  const backup = await filesIn('one')
  for (const [place, left] of ends.entries()) {
    const to = `killed-${place}`
    assert.equal((await restored('one', to, killedBeforeRename(place + 1))).code, null)
    assert.deepEqual(Object.keys(await filesIn(to)), left)
    if (place > 0) {
      const before = await filesIn(to)
      const { code, stderr } = await restored('two', to)
      assert.equal(code, 1)
      const names = left.filter((name) => !name.endsWith('.restoring')).map((name) => folder.at(`${to}/${name}`))
      assert.ok(stderr.includes(` is not empty: there is ${names.join(' and ')}. Restore to another file, or move these away.`), stderr)
      assert.deepEqual(await filesIn(to), before)
    }
    const again = await restored('one', to)
    assert.equal(again.code, 0, again.stderr)
    assert.deepEqual(await filesIn(to), backup)
  }

  const changed = Buffer.from(backup['postern.db.events']!)
  changed[changed.length - 1]! ^= 1
  const others: [file: string, put: (path: string) => Promise<void>][] = [
    ['postern.db.events', (path) => writeFile(path, changed)],
    ['postern.db.events', (path) => symlink(folder.at('one/postern.db.events'), path)],
    ['postern.db.events-wal', (path) => writeFile(path, 'commits')],
    ['postern.db', (path) => copyFile(folder.at('one/postern.db'), path)],
  ]
  for (const [place, [file, put]] of others.entries()) {
    const to = `other-${place}`
    await mkdir(folder.at(to))
    await put(folder.at(`${to}/${file}`))
    const before = await filesIn(to)
    assert.match((await restored('one', to)).stderr, new RegExp(` is not empty: there is ${folder.at(`${to}/${file}`)}\\. `))
    assert.deepEqual(await filesIn(to), before)
  }
})

/** Writes a database and the rollback journal beside it, as a process leaves them that is killed in a transaction. */
async function writeCutTransaction(path: string) {
  using db = new DatabaseSync(`${path}.open`)
  db.exec('create table other (text); insert into other values (zeroblob(100000))')
  db.exec('pragma cache_size = 1; begin; update other set text = zeroblob(200000); create table more (text)')
  await copyFile(`${path}.open`, path)
  await copyFile(`${path}.open-journal`, `${path}-journal`)
  db.exec('rollback')
  db.close()
  await rm(`${path}.open`)
}

test('a restore to SQLite that was killed in its transaction leaves nothing that enters the next one', async () => {
  await using stage = await setStage()
  await using folder = await backupFolder()
  await backUpFrom(stage.databaseUrl, folder.at('one'))
  await mkdir(folder.at('copy'))
  await writeCutTransaction(folder.at('copy/postern.db.restoring'))
  await done(['restore', folder.at('one'), '--to', `sqlite:${folder.at('copy/postern.db')}`, '--as-copy'], {})
  assert.deepEqual((await readdir(folder.at('copy'))).sort(), ['postern.db', 'postern.db.events'])
  using db = new DatabaseSync(folder.at('copy/postern.db'), { readOnly: true })
  assert.deepEqual(Object.values(db.prepare('pragma integrity_check').get()!), ['ok'])
  assert.equal(db.prepare(`select count(*) as held from metadata where name = 'held_since'`).get()!.held, 1)
})

test('media in a bucket are downloaded into a backup, and restored to another place of a bucket', async () => {
  await using s3 = await startS3()
  await using stage = await setStage({ fresh: true })
  await using folder = await backupFolder()
  const large = randomBytes(9 << 20)
  const store = (place: string) => openMediaFiles(place, createClock())
  const all = { maxBytes: Number.POSITIVE_INFINITY }
  const pieces = async function* (bytes: Buffer) {
    yield bytes
  }
  await store(s3.store).write('media/3_1/original', pieces(large), all)
  await store(s3.store).write('segments/7/0', pieces(Buffer.from('part')), all)
  await store(s3.store).write('somebody/else', pieces(Buffer.from('theirs')), all)
  const environment = { POSTERN_DATABASE_URL: stage.databaseUrl, POSTERN_MEDIA_STORE: s3.store }
  assert.match((await done(['backup', folder.at('one')], environment)).stdout, /, 2 files of media, /)
  assert.deepEqual(await readFile(folder.at('one/media/media/3_1/original')), large)
  const names = (await readdir(folder.at('one/media'), { recursive: true })).sort()
  assert.deepEqual(names, ['media', 'media/3_1', 'media/3_1/original', 'segments', 'segments/7', 'segments/7/0'])

  const other = s3.store.replace('some/prefix', 'other')
  const url = `sqlite:${folder.at('copy/postern.db')}`
  await done(['restore', folder.at('one'), '--to', url, '--media', other], environment)
  assert.deepEqual((await store(other).list('')).sort(), ['media/3_1/original', 'segments/7/0'])
  const { stream } = (await store(other).read('media/3_1/original'))!
  assert.deepEqual(Buffer.concat(await stream.toArray()), large)

  assert.match((await done(['backup', folder.at('two'), '--without-media'], environment)).stdout, /, no media, /)
  const away = await runCommand(['backup', folder.at('three'), '--media', s3.missing], { environment })
  assert.equal(away.code, 1)
  assert.match(away.stderr, /^The store of media is unavailable\. Nothing was changed; retry in a moment\.\nNoSuchBucket: /)
  const unreached = await runCommand(
    ['restore', folder.at('one'), '--to', `sqlite:${folder.at('new/postern.db')}`, '--media', s3.missing],
    {
      environment,
    },
  )
  assert.match(unreached.stderr, /^The store of media is unavailable/)
  assert.deepEqual([(await readdir(folder.at(''))).sort(), await readdir(folder.at('new'))], [['copy', 'new', 'one', 'two'], []])
})

test('what cannot be done is refused with the next step', async () => {
  await using folder = await backupFolder()
  const refused = async (...args: string[]) => {
    const { code, stderr } = await runCommand(args, { cwd: folder.at('') })
    return `${code} ${stderr.split('\n')[0]}`
  }
  assert.equal(await refused('restore', 'one'), '2 Name the backup and the new database: postern restore <folder> --to <url>.')
  const releases = 'it lets the running server send, and restores nothing.'
  assert.equal(await refused('restore', 'one', '--release'), `2 --release takes no folder: ${releases}`)
  for (const [option, ...value] of [['--to', 'sqlite:x.db'], ['--as-copy'], ['--media', 'here'], ['--without-media']])
    assert.equal(await refused('restore', '--release', option!, ...value), `2 --release takes no ${option}: ${releases}`)
  assert.match(await refused('backup', 'one'), /^1 There is no database at \.postern\/postern\.db: /)
  assert.match(await refused('backup', 'one', '--verify'), /^1 one has no manifest\.json/)
  for (const [manifest, why] of [
    ['{', 'it is not JSON'],
    ['null', 'it has no format'],
    ['{ "format": 1 }', 'parts are missing'],
  ] as const) {
    await mkdir(folder.at('damaged'), { recursive: true })
    await writeFile(folder.at('damaged/manifest.json'), manifest)
    const says = `1 damaged/manifest.json is damaged: ${why}. Use another backup.`
    assert.deepEqual(
      [await refused('backup', 'damaged', '--verify'), await refused('restore', 'damaged', '--to', 'sqlite:new.db')],
      [says, says],
    )
  }
  await rm(folder.at('damaged'), { recursive: true })
  assert.match(await refused('backup', 'one', '--database', 'mysql://x'), /^1 .*POSTERN_DATABASE_URL must be sqlite:<file>/)
  assert.match(await refused('backup', 'one', '--database', 'sqlite::memory:'), /^1 A database in memory has no backups/)
  assert.match(
    await refused('backup', 'one', '--database', 'postgres://p:secret@127.0.0.1:1/x', '--without-media'),
    /^1 PostgreSQL at 127\.0\.0\.1:1\/x cannot be reached: /,
  )
  const names = 'name POSTERN_MEDIA_STORE or --media as the servers have it, or leave media out with --without-media.'
  assert.equal(
    await refused('backup', 'one', '--database', 'postgres://p@127.0.0.1:1/x'),
    `1 PostgreSQL does not tell where the media are: ${names}`,
  )
  assert.deepEqual(await readdir(folder.at('')), [])
  const files = [{ path: 'media/media/3_1/original', bytes: 1, sha256: '' }]
  const migrations = { state: [], event_log: [], audiences: [] }
  await mkdir(folder.at('with'))
  await writeFile(folder.at('with/manifest.json'), JSON.stringify({ format: 1, tables: [], sequences: {}, migrations, files }))
  assert.equal(await refused('restore', 'with', '--to', 'postgres://p@127.0.0.1:1/x'), `1 The backup has media: ${names}`)
})
