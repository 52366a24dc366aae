import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '../src')

/** The floors, lowest first; one may import itself and those below, and no other room of its own floor. */
const floors: Record<string, number> = { lib: 1, storage: 2, api: 3, access: 4, delivery: 4, endpoints: 5 }
const TOP = 6

interface Source {
  path: string
  text: string
  imports: string[]
}

const sources: Source[] = globSync('**/*.ts', { cwd: src }).map((path) => {
  const text = readFileSync(join(src, path), 'utf8')
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
  return { path, text, imports: imports.map((name) => (name.startsWith('.') ? join(dirname(path), name) : name)) }
})

const roomOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : 'top')
const floorOf = (path: string) => floors[roomOf(path)] ?? TOP
const isLocal = (name: string) => name.endsWith('.ts')

/** Endpoint folders that make up one area. */
const areaOf = (path: string) =>
  path
    .split('/')
    .slice(0, path.startsWith('endpoints/ads/') ? 3 : 2)
    .join('/')

const mustNot = (broken: { path: string; imports: string }[]) =>
  assert.deepEqual(
    broken.map(({ path, imports }) => `${path} must not import ${imports}`),
    [],
  )

const importsWhere = (wrong: (path: string, imports: string) => boolean) =>
  sources.flatMap(({ path, imports }) => imports.filter((name) => wrong(path, name)).map((name) => ({ path, imports: name })))

const textWhere = (pattern: RegExp, allowed: (path: string) => boolean) =>
  sources
    .filter(({ path, text }) => !allowed(path) && pattern.test(text.replace(/\/\*\*?[\s\S]*?\*\/|\/\/.*/g, '')))
    .map(({ path }) => path)

test('imports point down only', () => {
  mustNot(importsWhere((path, name) => isLocal(name) && floorOf(name) > floorOf(path)))
})

test('access and delivery do not know each other', () => {
  mustNot(importsWhere((path, name) => isLocal(name) && floorOf(path) === 4 && floorOf(name) === 4 && roomOf(path) !== roomOf(name)))
})

test('only the assembly knows which database carries the ports', () => {
  const inside = (path: string) => /^storage\/(sql|log)\//.test(path) || path === 'storage/open-database.ts'
  mustNot(importsWhere((path, name) => /^storage\/(sql|log)\//.test(name) && !inside(path)))
  mustNot(importsWhere((path, name) => name === 'storage/open-database.ts' && path !== 'assemble.ts'))
})

test('only api/http.ts knows the HTTP library', () => {
  mustNot(importsWhere((path, name) => /^(fastify|@fastify\/)/.test(name) && path !== 'api/http.ts'))
})

test('only storage/sql and storage/log know the databases', () => {
  mustNot(
    importsWhere(
      (path, name) => /^(kysely|pg|node:sqlite)(\/|$)/.test(name) && !/^storage\/(sql|log)\/|^storage\/file-lock\.ts$/.test(path),
    ),
  )
})

test('only lib/clock.ts reads the time or waits for it', () => {
  const time = /\bDate\.now\(|\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(|new Date\(\)|performance\.now\(|node:timers/
  assert.deepEqual(
    textWhere(time, (path) => path === 'lib/clock.ts'),
    [],
  )
})

test('only settings.ts reads the environment', () => {
  assert.deepEqual(
    textWhere(/process\.env/, (path) => path === 'settings.ts'),
    [],
  )
})

test('no import goes round in a circle', () => {
  const known = new Map(sources.map((source) => [source.path, source.imports.filter(isLocal)]))
  const done = new Set<string>()
  const walk = (path: string, trail: string[]): void => {
    assert.ok(!trail.includes(path), `${[...trail.slice(trail.indexOf(path)), path].join(' → ')} is a circle`)
    if (done.has(path)) return
    for (const next of known.get(path) ?? []) walk(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of sources) walk(path, [])
})

test('an area of endpoints does not import another, but for what both are about', () => {
  const shared = new Set([
    'endpoints/webhooks/own-webhook.ts',
    'endpoints/webhooks/callback-url.ts',
    'endpoints/activity/check-filter.ts',
    'endpoints/activity/subscription-view.ts',
  ])
  const crosses = (path: string, name: string) =>
    path.startsWith('endpoints/') && name.startsWith('endpoints/') && path !== 'endpoints/index.ts' && areaOf(path) !== areaOf(name)
  mustNot(importsWhere((path, name) => crosses(path, name) && !shared.has(name)))
})

test('a name that says nothing is the name of no file', () => {
  const empty = /(^|[-/])(utils?|helpers?|common|misc|manager|data)\.ts$/
  assert.deepEqual(
    sources.filter(({ path }) => empty.test(path)).map(({ path }) => relative('.', path)),
    [],
  )
})
