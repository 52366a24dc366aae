import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const src = join(root, 'postern/src')

/** Every import of a file by its path from the root of the repository; packages by their names. */
const imports = globSync('**/*.{ts,js}', { cwd: src }).flatMap((path) => {
  const text = readFileSync(join(src, path), 'utf8')
  const names = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
  return names.map((name) => ({ path, name: name.startsWith('.') ? relative(root, join(src, path, '..', name)) : name }))
})

const mustNot = (wrong: (path: string, name: string) => boolean) =>
  assert.deepEqual(
    imports.filter(({ path, name }) => wrong(path, name)).map(({ path, name }) => `${path} must not import ${name}`),
    [],
  )

const folderOf = (path: string) => path.split('/')[0]!

/** What starts the server in this process, and what copies its database without it. Everything else knows it by HTTP alone. */
const USES_THE_SERVER = ['kit/start-server.ts', 'cli/start.ts', 'cli/backup/run-backup.ts']

/** Leaves of the server's library, the declarations of event types, and how the answer to a challenge is judged: they load little else. */
const SHARED = [
  'server/src/lib/commented-json.ts',
  'server/src/lib/version.ts',
  'server/src/lib/nearest.ts',
  'server/src/lib/private-folder.ts',
  'server/src/lib/running-server.ts',
  'server/src/delivery/challenge/challenge-steps.ts',
  'server/src/delivery/challenge/check-crc-response.ts',
  'server/src/delivery/challenge/wrong-tokens.ts',
  'server/src/delivery/events/event-types.ts',
]

/** The folders of `postern/src`, lowest first. The index is above them. */
const ORDER = ['take-over', 'kit', 'cli', 'index.ts']

test('only what starts the server, or copies its database, imports it, but for leaves of its library, event types and the judge of challenges', () => {
  mustNot((path, name) => name.startsWith('server/') && !USES_THE_SERVER.includes(path) && !SHARED.includes(name))
})

test('the command line, the kit and the take-over import each other in one direction', () => {
  const levelOf = (path: string) => ORDER.indexOf(folderOf(path))
  const within = /^postern\/src\/(.+)$/
  mustNot((path, name) => levelOf(within.exec(name)?.[1] ?? path) > levelOf(path))
  assert.deepEqual(
    [...new Set(imports.map(({ path }) => folderOf(path)))].filter((folder) => !ORDER.includes(folder)),
    [],
  )
})

test('the command line and the take-over need no test, tool or benchmark of the repository', () => {
  mustNot((_, name) => /^(server\/(test|scripts)|bench|docs)\//.test(name))
})
