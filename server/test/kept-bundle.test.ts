import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { decode } from '@jridgewell/sourcemap-codec'
import { pause } from './stage/pause.ts'
import { PosternProcess } from './stage/postern-process.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const COPIED = [
  'package.json',
  'require-node.js',
  'resolve-sources.js',
  'scripts/bundle.ts',
  'scripts/bundle-server.ts',
  'scripts/bundled.ts',
  'server/package.json',
  'server/seeds',
  'server/src',
  'node_modules/.package-lock.json',
]

/** A clone of its own, with links to the installed packages. */
function cloneWithout(...left: string[]) {
  const path = mkdtempSync(join(tmpdir(), 'postern-clone-'))
  mkdirSync(join(path, 'node_modules'))
  mkdirSync(join(path, 'run'))
  for (const name of COPIED) cpSync(join(ROOT, name), join(path, name), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && !left.includes(name)) symlinkSync(join(ROOT, 'node_modules', name), join(path, 'node_modules', name))
  const cache = join(path, 'node_modules/.cache/postern-server')
  return {
    path,
    bundles: () => (existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name)) : []),
    makeBundle: () => promisify(execFile)(process.execPath, [join(path, 'scripts/bundle-server.ts')]),
    /** Starts the server, and answers what it logged when it is ready. */
    async start(bundle: 'use' | 'make', whenReady = async () => {}) {
      const main = join(path, 'server/src/main.js')
      const server = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite::memory:' }, join(path, 'run'), [main, `--bundle=${bundle}`])
      await server.ready()
      await server.logged(/an error/)
      await whenReady()
      await server.end('SIGTERM')
      return server.lines
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

type Clone = ReturnType<typeof cloneWithout>

function change(path: string, from: string, to: string) {
  const text = readFileSync(path, 'utf8')
  assert.ok(text.includes(from), path)
  writeFileSync(path, text.replace(from, to))
}

/** Logs an error at every start. */
const logErrors = ({ path }: Clone) =>
  change(
    join(path, 'server/src/start.ts'),
    '  logger.flush(postern.loadSeedAgain)',
    "  logger.warn({ err: new Error('asked for') }, 'an error')\n  logger.flush(postern.loadSeedAgain)",
  )

/** Has the bundle say that it is one. */
function mark([bundle]: string[]) {
  const ready = /profile: settings\.profile(?=\s*\}, "ready"\))/
  const files = globSync(`${bundle}/**/*.js`).filter((path) => ready.test(readFileSync(path, 'utf8')))
  assert.equal(files.length, 1)
  writeFileSync(files[0]!, readFileSync(files[0]!, 'utf8').replace(ready, 'profile: "of the bundle"'))
}

const linesOf = (clone: string) => readFileSync(join(clone, 'server/src/start.ts'), 'utf8').split('\n')

/** Whether a source map has neither the sources nor places within a line. */
function leadsToLines(path: string): boolean {
  const { sourcesContent, mappings } = JSON.parse(readFileSync(path, 'utf8'))
  const places = decode(mappings).map((segments) => segments.map(([, source, line]) => `${source}:${line}`))
  return sourcesContent === undefined && places.every((all) => all.every((place, at) => place !== all[at - 1]))
}

// biome-ignore lint/suspicious/noExplicitAny: log lines have members of every kind
const profileOf = (lines: any[]) => lines.find(({ msg }) => msg === 'ready').profile

test('a start of a clone makes a bundle, which the next one runs, with stacks of the sources, until it is damaged or a source or a package changes', async () => {
  using clone = cloneWithout()
  logErrors(clone)
  const first = await clone.start('make', async () => {
    while (clone.bundles().every((path) => basename(path).startsWith('new-'))) await pause()
  })
  assert.equal(profileOf(first), 'development')
  mark(clone.bundles())

  const second = await clone.start('use')
  assert.equal(profileOf(second), 'of the bundle')
  const { err } = second.find(({ msg }) => msg === 'an error')
  const line = 1 + linesOf(clone.path).findIndex((text) => text.includes('asked for'))
  assert.match(err.stack, new RegExp(`server/src/start\\.ts:${line}:`))
  // Node reads the whole map of a module with the first stack that goes through it.
  for (const path of clone.bundles().flatMap((bundle) => globSync(`${bundle}/**/*.map`))) assert.ok(leadsToLines(path), path)

  const { bundleOfNow, findBundle } = await import(join(clone.path, 'server/src/kept-bundle.js'))
  const [bundle] = clone.bundles()
  for (const damage of ['', "import './gone.js'"]) {
    writeFileSync(join(bundle!, 'server/src/start.js'), damage)
    assert.equal(profileOf(await clone.start('use')), 'development')
  }
  assert.equal(typeof findBundle(), 'string')
  const folders = [bundleOfNow().folder]
  for (const changed of ['server/src/start.ts', 'node_modules/.package-lock.json']) {
    appendFileSync(join(clone.path, changed), '\n')
    assert.equal(findBundle(), undefined)
    folders.push(bundleOfNow().folder)
  }
  assert.equal(new Set(folders).size, 3)
})

test('two that make a bundle at once leave one, and of those of other sources the ones that run', async () => {
  using clone = cloneWithout()
  const old = new Date(Date.now() - 60 * 60 * 1000)
  const runs = { running: process.pid, ended: 2 ** 30 }
  for (const [name, pid] of Object.entries(runs)) {
    const folder = join(clone.path, 'node_modules/.cache/postern-server', name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${pid}.pid`), '')
    utimesSync(folder, old, old)
  }
  await Promise.all([clone.makeBundle(), clone.makeBundle()])
  const [made, running, ...others] = clone.bundles().sort((one, other) => basename(other).length - basename(one).length)
  assert.ok(existsSync(join(made!, 'server/src/start.js')))
  assert.equal(basename(running!), 'running')
  assert.deepEqual(others, [])
})

test('a clone without the bundler starts from its sources', async () => {
  using clone = cloneWithout('rolldown')
  logErrors(clone)
  assert.equal(profileOf(await clone.start('make')), 'development')
  await assert.rejects(clone.makeBundle(), /rolldown/)
  assert.deepEqual(clone.bundles(), [])
})
