import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { closeSync, existsSync, readdirSync, readlinkSync } from 'node:fs'
import {
  appendFile,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { type Clock, createClock } from '../../src/lib/clock.ts'
import { createSeal } from '../../src/lib/seal.ts'
import { openStorage } from '../../src/storage/sql/open-storage.ts'
import { addFormerNonces } from '../../src/storage/sql/sqlite/nonces/former-nonces.ts'
import { type NonceJournal, openNonceJournal } from '../../src/storage/sql/sqlite/nonces/nonce-journal.ts'
import { asUnavailable, Unavailable } from '../../src/storage/unavailable.ts'
import { freshDatabase } from '../stage/database.ts'
import { canMount, mountSmallDisk } from '../stage/small-disk.ts'

const run = promisify(execFile)

const mounts = await canMount()

const MINUTE_MS = 60_000
const NOW_MS = 1_800_000_000_000
/** Six minutes from then, at the beginning of the window that is a file of this name. */
const EXPIRES_MS = 1_800_000_360_000
const FILE = '15000003'
const HEADER_BYTES = 64
const RECORD_BYTES = 8

/** Told the wall clock, and how much real time has passed. */
class Hands {
  nowMs = NOW_MS
  monotonicMs = 0
  readonly clock: Clock = { ...createClock(0, () => this.nowMs), now: () => this.nowMs, monotonic: () => this.monotonicMs }
}

interface Place extends AsyncDisposable {
  folder: string
  file: string
  hands: Hands
  warnings: { detail: object; message: string }[]
  open(maxNonces?: number, knownKey?: Buffer): NonceJournal
}

/** A folder for nonces; what is opened in it is closed with it. */
async function place(): Promise<Place> {
  const parent = await mkdtemp(join(tmpdir(), 'postern-nonces-'))
  const folder = join(parent, 'nonces')
  const hands = new Hands()
  const warnings: Place['warnings'] = []
  const log = { info() {}, error() {}, warn: (detail: object, message: string) => void warnings.push({ detail, message }) }
  const opened: NonceJournal[] = []
  return {
    folder,
    file: join(folder, FILE),
    hands,
    warnings,
    open(maxNonces, knownKey) {
      const journal = openNonceJournal({ folder, knownKey, clock: hands.clock, log, ...(maxNonces && { maxNonces }) })
      opened.push(journal)
      return journal
    },
    async [Symbol.asyncDispose]() {
      for (const journal of opened) journal.close()
      await rm(parent, { recursive: true, force: true })
    },
  }
}

const accept = (journal: NonceJournal, key: string, expiresAtMs = EXPIRES_MS) => journal.accept(key, expiresAtMs, NOW_MS)
const acceptAll = (journal: NonceJournal, ...keys: string[]) => Promise.all(keys.map((key) => accept(journal, key)))

/** The descriptor with which this process has the file open. */
function descriptorOf(file: string): number {
  const isOfFile = (descriptor: string) => existsSync(`/proc/self/fd/${descriptor}`) && readlinkSync(`/proc/self/fd/${descriptor}`) === file
  return Number(readdirSync('/proc/self/fd').find(isOfFile))
}

/** What a former process leaves that is killed: nothing is written when it ends. */
async function leave(at: Place, ...keys: string[]) {
  const journal = at.open()
  assert.deepEqual(
    await acceptAll(journal, ...keys),
    keys.map(() => true),
  )
  journal.close()
}

/** The reason as a caller learns it. */
const refused = (accepting: Promise<boolean>, detail: RegExp) =>
  assert.rejects(accepting, (error) => {
    const mapped = asUnavailable(error)
    assert.ok(mapped instanceof Unavailable)
    assert.match(mapped.message, detail)
    return true
  })

suite('files of used nonces', () => {
  test('nothing is created before the first nonce, and folder and files are its owner’s alone, whatever the umask', async () => {
    await using at = await place()
    const former = process.umask(0)
    try {
      const journal = at.open()
      await assert.rejects(stat(at.folder), { code: 'ENOENT' })
      await accept(journal, 'a')
    } finally {
      process.umask(former)
    }
    assert.equal((await stat(at.folder)).mode & 0o777, 0o700)
    assert.equal((await stat(at.file)).mode & 0o777, 0o600)
  })

  test('a nonce is one record of 8 bytes in the file of the two minutes in which it expires', async () => {
    await using at = await place()
    const journal = at.open()
    await acceptAll(journal, 'a', 'b', 'a')
    await accept(journal, 'c', EXPIRES_MS + 2 * MINUTE_MS - 1)
    await accept(journal, 'd', EXPIRES_MS + 2 * MINUTE_MS)
    assert.deepEqual(await readdir(at.folder), [FILE, '15000004'])
    assert.equal((await stat(at.file)).size, HEADER_BYTES + 3 * RECORD_BYTES)
    assert.equal((await stat(join(at.folder, '15000004'))).size, HEADER_BYTES + RECORD_BYTES)
  })

  test('no file has the nonce, and the same nonce has another record under another key', async () => {
    await using one = await place()
    await using other = await place()
    await leave(one, 'a')
    await leave(other, 'a')
    const [bytes, others] = [await readFile(one.file), await readFile(other.file)]
    assert.notDeepEqual(bytes.subarray(HEADER_BYTES), others.subarray(HEADER_BYTES))
  })

  test('one that has expired is removed with the next nonce, and no other', async () => {
    await using at = await place()
    const journal = at.open()
    await accept(journal, 'a')
    await accept(journal, 'b', EXPIRES_MS + 2 * MINUTE_MS)
    const lateMs = EXPIRES_MS + 2 * MINUTE_MS
    at.hands.nowMs = lateMs
    // The clock has stepped: nothing is removed.
    await journal.accept('c', lateMs + 6 * MINUTE_MS, lateMs)
    assert.deepEqual(await readdir(at.folder), [FILE, '15000004', '15000007'])
    journal.close()
    // A process that starts then takes it for the time.
    const after = at.open()
    assert.equal(await after.accept('b', lateMs + 6 * MINUTE_MS, lateMs), false)
    assert.deepEqual(await readdir(at.folder), ['15000004', '15000007'])
  })

  test('a step of the clock between the start and the first nonce, reversed later, removes nothing', async () => {
    await using at = await place()
    await leave(at, 'a')
    const journal = at.open()
    const lateMs = NOW_MS + 60 * MINUTE_MS
    at.hands.nowMs = lateMs
    assert.equal(await journal.accept('b', lateMs + 6 * MINUTE_MS, lateMs), true)
    at.hands.nowMs = NOW_MS
    assert.equal(await accept(journal, 'a'), false)
  })

  test('a clock that is stepped without end leaves at most 100 files, and the latest nonces are still refused', async () => {
    await using at = await place()
    const journal = at.open()
    const acceptNow = (key: string) => journal.accept(key, at.hands.nowMs + 6 * MINUTE_MS, at.hands.nowMs)
    for (let step = 0; step < 150; step += 1) {
      at.hands.nowMs += 2 * MINUTE_MS
      assert.equal(await acceptNow(`${step}`), true)
      assert.ok((await readdir(at.folder)).length <= 100)
    }
    assert.deepEqual(await Promise.all(['147', '148', '149'].map(acceptNow)), [false, false, false])
  })

  test('nonces of before 1970 are read again', async () => {
    await using at = await place()
    at.hands.nowMs = -60 * MINUTE_MS
    const journal = at.open()
    assert.equal(await journal.accept('a', -54 * MINUTE_MS, at.hands.nowMs), true)
    journal.close()
    assert.deepEqual(await readdir(at.folder), ['-27'])
    assert.equal(await at.open().accept('a', -54 * MINUTE_MS, at.hands.nowMs), false)
  })

  test('a file that cannot be closed is removed all the same, and nonces are accepted as before', {
    skip: process.platform !== 'linux',
  }, async () => {
    await using at = await place()
    const journal = at.open()
    await accept(journal, 'a')
    closeSync(descriptorOf(at.file))
    at.hands.nowMs += 25 * 60 * MINUTE_MS
    const acceptNow = (key: string) => journal.accept(key, at.hands.nowMs + 6 * MINUTE_MS, at.hands.nowMs)
    assert.equal(await acceptNow('b'), true)
    assert.equal(await acceptNow('c'), true)
    assert.equal((await readdir(at.folder)).length, 1)
  })

  test('a clock that is set back forgets nothing, also over a restart', async () => {
    await using at = await place()
    await leave(at, 'a')
    at.hands.nowMs = NOW_MS - 60 * MINUTE_MS
    const journal = at.open()
    assert.equal(await journal.accept('a', at.hands.nowMs + 6 * MINUTE_MS, at.hands.nowMs), false)
    assert.equal(await journal.accept('b', at.hands.nowMs + 6 * MINUTE_MS, at.hands.nowMs), true)
    assert.deepEqual(await readdir(at.folder), ['14999973', FILE])
  })
})

suite('a file of used nonces that is damaged', () => {
  test('at its end loses only the incomplete record, and is written on from there', async () => {
    await using at = await place()
    await leave(at, 'a', 'b')
    await truncate(at.file, HEADER_BYTES + 2 * RECORD_BYTES - 3)
    const journal = at.open()
    assert.deepEqual(await acceptAll(journal, 'a', 'b', 'c'), [false, true, true])
    journal.close()
    assert.equal((await stat(at.file)).size, HEADER_BYTES + 3 * RECORD_BYTES)
    assert.deepEqual(await acceptAll(at.open(), 'a', 'b', 'c'), [false, false, false])
    assert.deepEqual(at.warnings, [])
  })

  test('by zeros at its end, as a power failure leaves them, has its records', async () => {
    await using at = await place()
    await leave(at, 'a')
    await appendFile(at.file, Buffer.alloc(4096))
    assert.deepEqual(await acceptAll(at.open(), 'a', 'b'), [false, true])
    assert.deepEqual(await acceptAll(at.open(), 'a', 'b'), [false, false])
  })

  const damages: Record<string, (file: string) => Promise<unknown>> = {
    'is empty': (file) => truncate(file, 0),
    'has half a header': (file) => truncate(file, HEADER_BYTES / 2),
    'is all zeros': (file) => writeFile(file, Buffer.alloc(HEADER_BYTES + RECORD_BYTES)),
    'has another key in its header': async (file) => {
      const bytes = await readFile(file)
      bytes[20]! ^= 1
      await writeFile(file, bytes)
    },
    'was another file before': (file) => rename(file, join(file, '../15000009')),
  }
  for (const [damage, inflict] of Object.entries(damages))
    test(`so that it ${damage} is removed with a warning, and the others are read`, async () => {
      await using at = await place()
      const journal = at.open()
      await accept(journal, 'a')
      await accept(journal, 'b', EXPIRES_MS + 2 * MINUTE_MS)
      journal.close()
      await inflict(at.file)
      const after = at.open()
      assert.deepEqual(await readdir(at.folder), ['15000004'])
      assert.match(at.warnings[0]!.message, /^a file of used nonces was damaged and is removed/)
      assert.deepEqual(await acceptAll(after, 'a', 'b'), [true, false])
    })

  test('so that it is an older one of another folder is removed with a warning, and those of its own folder are read', async () => {
    await using at = await place()
    await using other = await place()
    await leave(at, 'a')
    await leave(other, 'before')
    const journal = other.open()
    await accept(journal, 'b', EXPIRES_MS - 2 * MINUTE_MS)
    journal.close()
    await rename(join(other.folder, '15000002'), join(at.folder, '15000002'))
    const after = at.open()
    assert.deepEqual(await readdir(at.folder), [FILE])
    assert.equal(at.warnings.length, 1)
    assert.equal(await accept(after, 'a'), false)
  })

  test('so that it is a newer one of another database is removed with a warning where the database knows its key', async () => {
    await using at = await place()
    await using other = await place()
    const own = at.open()
    await accept(own, 'a')
    own.close()
    const journal = other.open()
    await accept(journal, 'b', EXPIRES_MS + 2 * MINUTE_MS)
    journal.close()
    await rename(join(other.folder, '15000004'), join(at.folder, '15000004'))
    const after = at.open(undefined, own.key)
    assert.deepEqual(await readdir(at.folder), [FILE])
    assert.deepEqual(
      at.warnings.map(({ message }) => message),
      ['a file of used nonces is of another database and is removed'],
    )
    assert.equal(await accept(after, 'a'), false)
  })

  test('a database records the key of its nonces once, and has it at every later start', async () => {
    await using database = await freshDatabase('sqlite')
    await using other = await freshDatabase('sqlite')
    const path = database.url.slice('sqlite:'.length)
    const use = async (url: string, nonce: string, expiresAtMs: number) => {
      const clock = createClock(0, () => NOW_MS)
      const storage = await openStorage({ url, clock, seal: createSeal(['a-secret-of-the-tests-0123456789']), recordTypes: [] })
      const isNew = await storage.nonces.accept(nonce, expiresAtMs, NOW_MS)
      await storage.close()
      return isNew
    }
    assert.equal(await use(database.url, 'a', EXPIRES_MS), true)
    assert.equal(await use(other.url, 'b', EXPIRES_MS + 2 * MINUTE_MS), true)
    await rename(`${other.url.slice('sqlite:'.length)}.nonces/15000004`, `${path}.nonces/15000004`)
    assert.equal(await use(database.url, 'a', EXPIRES_MS), false)
    assert.deepEqual(await readdir(`${path}.nonces`), [FILE])
  })
})

suite('what is in the way of used nonces', () => {
  test('files of other names are left alone', async () => {
    await using at = await place()
    await leave(at, 'a')
    await writeFile(join(at.folder, 'notes.txt'), 'mine')
    await mkdir(join(at.folder, '15000003.old'))
    await writeFile(join(at.folder, `0${FILE}`), 'not a number as it is printed')
    assert.equal(await accept(at.open(), 'a'), false)
    assert.deepEqual(await readdir(at.folder), [`0${FILE}`, FILE, '15000003.old', 'notes.txt'])
  })

  test('what is no file is left alone, whatever its name', async () => {
    await using at = await place()
    await leave(at, 'a')
    await mkdir(join(at.folder, '123'))
    assert.equal(await accept(at.open(), 'a'), false)
    assert.deepEqual(await readdir(at.folder), ['123', FILE])
  })

  test('the warning about a folder of another user says how to make it its owner’s alone', { skip: process.getuid?.() !== 0 }, async () => {
    await using at = await place()
    await leave(at, 'a')
    await chown(at.folder, 1, 1)
    at.open()
    assert.deepEqual(
      at.warnings.map(({ message }) => message),
      ['a database folder is accessible to other users: chmod 700 it'],
    )
  })

  for (const when of ['at the start', 'while it runs'])
    test(`a link in the place of a file is removed ${when}, and what it leads to stays as it is`, async () => {
      await using at = await place()
      await mkdir(at.folder)
      const target = join(at.folder, 'target')
      await writeFile(target, 'somebody’s')
      const early = when === 'while it runs' ? at.open() : undefined
      await symlink(target, at.file)
      const journal = early ?? at.open()
      assert.equal(await accept(journal, 'a'), true)
      assert.equal(await readFile(target, 'utf8'), 'somebody’s')
      assert.ok((await lstat(at.file)).isFile())
    })

  test('a link in the place of the folder is refused', async () => {
    await using at = await place()
    const elsewhere = `${at.folder}-elsewhere`
    await mkdir(elsewhere)
    await symlink(elsewhere, at.folder)
    assert.throws(() => at.open(), /nonces must be a folder, not a link: remove it/)
    assert.deepEqual(await readdir(elsewhere), [])
  })

  test('a folder that others may write to becomes its owner’s alone', async () => {
    await using at = await place()
    await leave(at, 'a')
    await run('chmod', ['777', at.folder])
    await run('chmod', ['666', at.file])
    at.open()
    assert.equal((await stat(at.folder)).mode & 0o777, 0o700)
    assert.equal((await stat(at.file)).mode & 0o777, 0o600)
  })

  const losses: Record<string, (at: Place) => Promise<unknown>> = {
    'a file is deleted': ({ file }) => rm(file),
    'a file is cut off in place': ({ file }) => truncate(file, 0),
    'a file is replaced': async ({ file }) => {
      await writeFile(`${file}.new`, 'x')
      await rename(`${file}.new`, file)
    },
    'the folder is deleted': ({ folder }) => rm(folder, { recursive: true }),
    'the folder is moved away': ({ folder }) => rename(folder, `${folder}.moved`),
  }
  for (const [loss, lose] of Object.entries(losses))
    test(`when ${loss} under a running process, a second later all nonces are written again`, async () => {
      await using at = await place()
      const journal = at.open()
      await acceptAll(journal, 'a', 'b')
      await lose(at)
      at.hands.monotonicMs += 1000
      assert.deepEqual(await acceptAll(journal, 'a', 'c'), [false, true])
      assert.match(at.warnings[0]!.message, /was deleted or replaced while it was in use: it is written again/)
      assert.deepEqual(await acceptAll(at.open(), 'a', 'b', 'c'), [false, false, false])
    })
})

suite('without room for used nonces', () => {
  test('a record that is written in part is taken back, refused as out of space, and accepted once there is room', {
    skip: process.platform !== 'linux',
  }, async () => {
    await using at = await place()
    const journal = at.open()
    await accept(journal, 'a')
    const limit = (bytes: number | 'unlimited') => run('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`])
    await limit(HEADER_BYTES + 2 * RECORD_BYTES + 5)
    try {
      const asked = ['b', 'c', 'b'].map((key) => refused(accept(journal, key), /^The database is out of disk space\. Nothing was changed/))
      await Promise.all(asked)
      assert.equal((await stat(at.file)).size, HEADER_BYTES + RECORD_BYTES)
    } finally {
      await limit('unlimited')
    }
    assert.deepEqual(await acceptAll(journal, 'a', 'b', 'c'), [false, true, true])
    journal.close()
    assert.deepEqual(await acceptAll(at.open(), 'a', 'b', 'c', 'd'), [false, false, false, true])
  })

  test('on a full or read-only disk none is accepted and nothing is left of it', { skip: !mounts }, async () => {
    await using disk = (await mountSmallDisk(1))!
    const folder = join(disk.folder, 'nonces')
    const remount = (mode: string) => run('mount', ['-o', `remount,${mode}`, join(disk.folder, '..')])
    const journal = openNonceJournal({ folder, clock: new Hands().clock })
    try {
      await remount('ro')
      await refused(accept(journal, 'a'), /is unavailable/)
      await remount('rw')
      await disk.take()
      await refused(accept(journal, 'a'), /out of disk space/)
      await disk.give()
      assert.deepEqual(await acceptAll(journal, 'a', 'b'), [true, true])
      assert.equal((await stat(join(folder, FILE))).size, HEADER_BYTES + 2 * RECORD_BYTES)
    } finally {
      journal.close()
    }
  })

  test('beyond the maximum none is accepted until others have expired, and used ones are still refused', async () => {
    await using at = await place()
    const journal = at.open(3)
    assert.deepEqual(await acceptAll(journal, 'a', 'b', 'c'), [true, true, true])
    await refused(accept(journal, 'd'), /is unavailable/)
    assert.equal(await accept(journal, 'a'), false)
    at.hands.nowMs += 10 * MINUTE_MS
    const after = at.open(3)
    assert.equal(await after.accept('d', EXPIRES_MS + 10 * MINUTE_MS, at.hands.nowMs), true)
  })

  test('once it is closed it accepts none', async () => {
    await using at = await place()
    const journal = at.open()
    await accept(journal, 'a')
    journal.close()
    await assert.rejects(accept(journal, 'b'), /closed/)
    assert.equal((await stat(at.file)).size, HEADER_BYTES + RECORD_BYTES)
  })
})

suite('copies of used nonces', () => {
  test('a restored copy has the nonces that were used before it and no other, in memory and in the files', async () => {
    await using at = await place()
    const journal = at.open()
    await acceptAll(journal, 'a', 'b')
    const copy = journal.copy()
    await accept(journal, 'c')
    await accept(journal, 'd', EXPIRES_MS + 2 * MINUTE_MS)
    journal.restore(copy)
    assert.deepEqual(await readdir(at.folder), [FILE])
    journal.close()
    assert.deepEqual(await acceptAll(at.open(), 'a', 'b', 'c', 'd'), [false, false, true, true])
  })

  test('a copy that cannot be written is not restored: nonces that were used after it are still refused', async () => {
    await using at = await place()
    const journal = at.open()
    await accept(journal, 'a')
    const copy = journal.copy()
    await accept(journal, 'b')
    await rm(at.folder, { recursive: true })
    await writeFile(at.folder, 'not a folder')
    assert.throws(() => journal.restore(copy), { code: 'EEXIST' })
    await rm(at.folder)
    at.hands.monotonicMs += 1000
    assert.deepEqual(await acceptAll(journal, 'a', 'b', 'c'), [false, false, true])
    journal.close()
    assert.deepEqual(await acceptAll(at.open(), 'a', 'b', 'c'), [false, false, false])
  })

  test('after a clear all are new', async () => {
    await using at = await place()
    const journal = at.open()
    await acceptAll(journal, 'a', 'b')
    journal.clear()
    assert.deepEqual(await readdir(at.folder), [])
    assert.deepEqual(await acceptAll(journal, 'a', 'b'), [true, true])
  })

  test('nonces in the table of a former version are refused until they expire, however often they are taken over', async () => {
    await using at = await place()
    using former = new DatabaseSync(':memory:')
    former.exec('create table nonces (key text primary key, expires_at_ms bigint)')
    former.exec(`insert into nonces values ('a', ${EXPIRES_MS}), ('expired', ${NOW_MS})`)
    for (let start = 0; start < 2; start += 1) {
      const journal = at.open()
      addFormerNonces(former, journal, NOW_MS)
      journal.close()
    }
    assert.equal((await stat(at.file)).size, HEADER_BYTES + RECORD_BYTES)
    assert.deepEqual(await acceptAll(at.open(), 'a', 'expired'), [false, true])
  })
})
