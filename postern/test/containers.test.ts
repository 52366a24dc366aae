// No container runs here: the files are held against what they name.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { posternPackage } from '../../scripts/packages.ts'
import { warnings } from '../../server/src/settings/setting-conflicts.ts'
import { settingsTable } from '../../server/src/settings/setting-table.ts'
import { readSettings } from '../../server/src/settings/settings.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const dockerfile = read('Dockerfile')
const compose = read('compose.yaml')

const known = new Set<string>(Object.values(settingsTable).map(({ variable }) => variable))
const LONG = 'a-secret-of-the-tests-of-containers-0123'

/** `NAME=value` of the ENV instruction. */
const imageEnvironment = Object.fromEntries(
  [...dockerfile.matchAll(/(POSTERN_\w+)=(\S+)/g)].filter(([, , value]) => value !== '…').map(([, name, value]) => [name, value!]),
)

/** `NAME: value` below a heading of the file, up to the next line that is indented as much as the heading. */
function composeEnvironment(heading: string): Record<string, string> {
  const lines = compose.split('\n')
  const from = lines.findIndex((line) => line.trim() === heading)
  assert.ok(from >= 0, heading)
  const indent = lines[from]!.search(/\S/)
  const after = lines.slice(from + 1)
  const end = after.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= indent)
  const pairs = after.slice(0, end === -1 ? undefined : end).flatMap((line) => {
    const [, name, value] = /^\s+(POSTERN_\w+): (.+)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value!.startsWith('${') ? LONG : value!]]
  })
  return Object.fromEntries(pairs)
}

test('the image runs on a Node that the package accepts', () => {
  const versions = [...dockerfile.matchAll(/^FROM node:([\d.]+)-slim/gm)].map(([, version]) => version)
  assert.deepEqual(versions, [JSON.parse(read('package.json')).devDependencies.node, JSON.parse(read('package.json')).devDependencies.node])
})

test('no operator token and no key of an authority is copied into the image, from any folder', () => {
  const left = read('.dockerignore').split('\n')
  assert.deepEqual(
    ['**/.postern', '**/ca.pem'].filter((pattern) => !left.includes(pattern)),
    [],
  )
})

test('the image runs what the package has, as no privileged user, with a health check of a path that exists', () => {
  const { manifest } = posternPackage() as { manifest: { bin: Record<string, string> } }
  assert.ok(dockerfile.includes(`"/opt/postern/${manifest.bin.postern}"]`))
  assert.ok(existsSync(join(root, manifest.bin.postern!)))
  assert.match(dockerfile, /^USER node$/m)
  assert.match(dockerfile, /\/readyz/)
  assert.ok(existsSync(join(root, 'scripts/build.ts')))
  assert.ok(posternPackage().out.endsWith('/dist/postern'))
})

test('the settings of the image and of both processes exist and are accepted', () => {
  const ofProcesses = composeEnvironment('x-environment: &environment')
  const second = composeEnvironment('two:')
  for (const environment of [
    imageEnvironment,
    { ...imageEnvironment, ...ofProcesses },
    { ...imageEnvironment, ...ofProcesses, ...second },
  ]) {
    for (const name of Object.keys(environment)) assert.ok(known.has(name), name)
    // As in any container: who reaches it is decided by the ports that are published.
    assert.deepEqual(
      warnings(readSettings(environment)).filter((text) => !text.startsWith('POSTERN_HOST is 0.0.0.0: ')),
      [],
    )
  }
  assert.equal(Object.keys(ofProcesses).length, 4)
  assert.equal(Object.keys(second).length, 3)
})

test('every port is published on loopback alone', () => {
  const ports = [...compose.matchAll(/^ +- (\S*):(\d+):(\d+)$/gm)]
  assert.deepEqual(
    ports.map(([, address, , inside]) => [address, inside]),
    ['4000', '4001', '4002', '4000', '4001', '4002'].map((inside) => ['127.0.0.1', inside]),
  )
})

test('every volume, anchor and service that the file names is there', () => {
  for (const [, name] of compose.matchAll(/\*(\w+)/g)) assert.match(compose, new RegExp(`&${name}$`, 'm'))
  for (const name of ['database', 'media']) assert.match(compose.slice(compose.indexOf('\nvolumes:')), new RegExp(`^  ${name}:$`, 'm'))
})
