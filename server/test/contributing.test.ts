// Follows the steps of CONTRIBUTING.md to the letter, in a copy of the repository.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')

interface Step {
  path: string
  /** The line below which the code is added; without one it is added at the beginning of a file that exists. */
  below: string | undefined
  creates: boolean
  code: string
}

/** The steps of a section that create a file or add code to one. */
function stepsOf(heading: string): Step[] {
  const section = guide.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  assert.ok(section, `CONTRIBUTING.md has no section ${heading}`)
  return section.split(/^\d+\. /m).flatMap((text) => {
    const code = /```ts\n([\s\S]*?)^ *```/m.exec(text)?.[1]
    const [, verb, path, below] = /^(Create|Add)[^`]*`([^`]+)`(?:, below `([^`]+)`)?/.exec(text) ?? []
    if (!code || !path) return []
    return [{ path, below, creates: verb === 'Create', code: code.replace(/^ {3}/gm, '') }]
  })
}

function follow(copy: string, { path, below, creates, code }: Step) {
  const file = join(copy, path)
  mkdirSync(dirname(file), { recursive: true })
  if (creates) return writeFileSync(file, code, { flag: 'wx' })
  const text = readFileSync(file, 'utf8')
  if (below === undefined) return writeFileSync(file, code + text)
  const lines = text.split('\n')
  const place = lines.findIndex((line) => line.startsWith(below))
  assert.ok(place >= 0, `${path} has no line ${below}`)
  writeFileSync(file, lines.toSpliced(place + 1, 0, code.trimEnd()).join('\n'))
}

function copyOfTheRepository() {
  const copy = mkdtempSync(join(tmpdir(), 'postern-contributing-'))
  for (const name of [
    'server',
    'receiver',
    'postern',
    'scripts',
    'bench',
    'console',
    'docs',
    'package.json',
    'tsconfig.json',
    'biome.json',
    'require-node.js',
    'resolve-sources.js',
    'README.md',
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !/\/(\.postern|node_modules)$/.test(path) })
  for (const folder of ['node_modules', 'server/node_modules'])
    if (existsSync(join(root, folder))) symlinkSync(join(root, folder), join(copy, folder))
  return { copy, [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }) }
}

function run(copy: string, ...command: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: copy,
    encoding: 'utf8',
    // What is compiled there is of no use to any other run.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_COMPILE_CACHE: join(copy, '.compiled') },
  })
  assert.equal(status, 0, `${command.join(' ')}\n${stdout}${stderr}`)
}

const sections = { 'Add an endpoint': 3, 'Add a resource': 5, 'Add an event type': 2, 'Add a setting': 1, 'Add a migration': 3 }

test('the steps with code are complete', () => {
  using repository = copyOfTheRepository()
  const { copy } = repository
  for (const [heading, count] of Object.entries(sections)) {
    const steps = stepsOf(heading)
    assert.equal(steps.length, count, `the steps with code of ${heading}`)
    for (const step of steps) follow(copy, step)
  }
  run(copy, join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json')
  const files = [
    'endpoints/get-webhook',
    'registration',
    'journeys/ads-client',
    'settings/settings',
    'storage/former-databases',
    'endpoints/event-examples',
  ]
  run(copy, '--test', ...files.map((file) => `server/test/${file}.test.ts`))
})

test('every file that CONTRIBUTING.md names exists, except those that its steps create', () => {
  const created = new Set(
    Object.keys(sections)
      .flatMap(stepsOf)
      .map(({ path }) => path),
  )
  for (const [, path] of guide.matchAll(/`(server\/[\w/.-]+)`/g))
    assert.ok(created.has(path!) || existsSync(join(root, path!)), `${path} does not exist`)
})
