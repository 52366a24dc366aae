import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase } from '../stage/database.ts'
import { type Stage, setStage } from '../stage/postern.ts'

const DIFFER = 'settings differ from those of the processes that share this database: restart those, or set them alike'

const named = (stage: Stage) =>
  stage.log.filter(({ msg }) => msg === DIFFER).map((line) => (line as unknown as { settings: string[] }).settings)

test('a process is refused whose settings would make data wrong, and the message names them', async () => {
  await using stage = await setStage({ flavour: 'postgres' })
  const wrong = { POSTERN_DIALECT: 'x', POSTERN_RETENTION: '48h', POSTERN_RETRY_PLAN: '1s' }
  await assert.rejects(stage.beside(wrong), ({ message }: Error) => {
    assert.match(message, /POSTERN_DIALECT differs from that of the processes that share this database: set it alike, or stop them first/)
    assert.match(message, /POSTERN_RETENTION differs/)
    assert.doesNotMatch(message, /POSTERN_RETRY_PLAN/)
    return true
  })
  const alike = await stage.beside()
  assert.deepEqual(named(alike), [])
  await alike.stop()
})

test('other settings that differ are named in a warning; what a process has alone, and what it has once the others are gone, is not', async () => {
  await using stage = await setStage({ flavour: 'postgres' })
  const changed = { POSTERN_RETRY_PLAN: '1s,2s', POSTERN_CALLBACK_TIMEOUT: '3s', POSTERN_LOG_LEVEL: 'debug' }
  const other = await stage.beside(changed)
  assert.deepEqual(named(other), [['POSTERN_CALLBACK_TIMEOUT', 'POSTERN_RETRY_PLAN']])
  const third = await stage.beside(changed)
  assert.deepEqual(named(third), [])
  await Promise.all([stage.stop(), other.stop(), third.stop()])
  const alone = await stage.beside({ POSTERN_DIALECT: 'x', POSTERN_RETENTION: '48h' })
  assert.deepEqual(named(alone), [])
  await alone.stop()
})

test('a setting that only one process has set is named too', async () => {
  await using stage = await setStage({ flavour: 'postgres' })
  const other = await stage.beside({ POSTERN_PROBLEM_BASE_URL: 'https://problems.example' })
  assert.deepEqual(named(other), [['POSTERN_PROBLEM_BASE_URL']])
  await other.stop()
})

test('of two processes that start together on a new database, one is refused if their settings would make data wrong', async () => {
  await using database = await freshDatabase('postgres')
  const start = (POSTERN_DIALECT: string) => setStage({ environment: { POSTERN_DATABASE_URL: database.url, POSTERN_DIALECT }, seed: {} })
  const starts = await Promise.allSettled([start('spec'), start('x')])
  for (const { status, ...started } of starts) if (status === 'fulfilled') await (started as { value: Stage }).value[Symbol.asyncDispose]()
  const refusals = starts.flatMap((started) => (started.status === 'rejected' ? started.reason.mistakes : []))
  assert.deepEqual(refusals, [
    'POSTERN_DIALECT differs from that of the processes that share this database: set it alike, or stop them first',
  ])
})
