// Fills the database of POSTERN_DATABASE_URL with generated users and posts: npm run seed -- --users 10000 --posts 1000000 --random 1
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { developmentSecrets } from '../src/development-secrets.ts'
import { recordTypes } from '../src/endpoints/index.ts'
import { createClock } from '../src/lib/clock.ts'
import { createSeal } from '../src/lib/seal.ts'
import { readSettings } from '../src/settings/settings.ts'
import { openDatabase } from '../src/storage/open-database.ts'
import { writeWorld } from './world/write-world.ts'

const USAGE = `npm run seed -- [--users 10000] [--posts 100000] [--random 1] [--until 2026-01-01T00:00:00Z]
Writes users, follows, posts and likes into the database of POSTERN_DATABASE_URL. The same numbers make the same rows.
Posts are of the 30 days before --until, by default now. On SQLite, stop Postern first.
`

function fail(says: string): never {
  process.stderr.write(`${says}\n`)
  process.exit(1)
}

function read() {
  try {
    const options = { users: { type: 'string' }, posts: { type: 'string' }, random: { type: 'string' }, until: { type: 'string' } } as const
    return parseArgs({ options }).values
  } catch (error) {
    return fail(`${(error as Error).message}\n${USAGE}`)
  }
}

const { users = '10000', posts = '100000', random = '1', until } = read()
const numberOf = (name: string, text: string, least: number, most: number) => {
  const value = Number(text)
  return Number.isInteger(value) && value >= least && value <= most
    ? value
    : fail(`--${name} must be a whole number from ${least} to ${most}\n${USAGE}`)
}

const clock = createClock()
const untilMs = until === undefined ? clock.now() : Date.parse(until)
if (Number.isNaN(untilMs)) fail(`--until must be a time such as 2026-01-01T00:00:00Z\n${USAGE}`)

const options = {
  users: numberOf('users', users, 2, 80_000),
  posts: numberOf('posts', posts, 0, 100_000_000),
  random: numberOf('random', random, 0, 1023),
  untilMs,
}

const logger = pino({ level: 'warn', base: null })
const { databaseUrl: url, secrets } = readSettings()
const seal = createSeal(secrets ?? [developmentSecrets('.postern/secret')])
const database = await openDatabase({ url, clock, seal, recordTypes, logger }).catch((error) => fail(error.message))
const startedAt = clock.monotonic()
const seconds = () => (clock.monotonic() - startedAt) / 1000
try {
  await writeWorld(database.storage.content, options, (written) => {
    if (process.stdout.isTTY) process.stdout.write(`\r${written} posts, ${Math.round(written / seconds())} a second`)
  })
  const rate = Math.round(options.posts / seconds())
  process.stdout.write(`\r${users} users and ${posts} posts in ${seconds().toFixed(1)} s: ${rate} posts a second\n`)
  process.stdout.write(`The same again: --users ${users} --posts ${posts} --random ${random} --until ${new Date(untilMs).toISOString()}\n`)
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`)
  process.exitCode = 1
} finally {
  await database.close()
}
