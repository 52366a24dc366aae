import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { isSlowLane } from './cases.ts'
import { databasesOf, onBoth, onBothInSlowLane, pathOf } from './databases.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const ASKS = 'databasesOf(import.meta)'

const entries = [onBoth, onBothInSlowLane].flatMap((listed) => Object.values(listed).flat())
const files = globSync('{server,receiver,postern,bench}/test/**/*.test.ts', { cwd: root })

test('every file and folder that is listed exists, once, and a file asks for its databases', () => {
  assert.deepEqual(entries.toSorted(), [...new Set(entries)].toSorted())
  for (const path of entries.map(pathOf)) {
    assert.ok(existsSync(join(root, path)), `${path} does not exist`)
    if (!path.endsWith('/')) assert.ok(read(path).includes(ASKS), `${path} does not ask: ${ASKS}`)
  }
})

test('no test file chooses among the databases by itself', () => {
  const own = /\beveryFlavour\b|\[\s*'sqlite',\s*'postgres'|\[\s*'postgres',\s*'sqlite'|of \(?\['postgres'/
  const choosing = files.filter((file) => !file.endsWith('/stage/databases.test.ts') && own.test(read(file)))
  assert.deepEqual(choosing, [], `they ask ${ASKS} instead`)
})

test('a listed file runs on both databases, any other on SQLite alone unless all are asked for', () => {
  const there = process.env.POSTERN_TEST_POSTGRES ? ['sqlite', 'postgres'] : ['sqlite']
  const of = (file: string) => databasesOf({ filename: join(root, file) })
  assert.deepEqual(of('server/test/journeys/token-races.test.ts'), there)
  assert.deepEqual(of('server/test/storage/apps.test.ts'), there)
  assert.deepEqual(of('server/test/media/upload-kill.test.ts'), isSlowLane ? there : of('server/test/journeys/sign-in.test.ts'))
  assert.deepEqual(of('server/test/journeys/sign-in.test.ts'), process.env.POSTERN_TEST_ALL_DATABASES === '1' ? there : ['sqlite'])
})
