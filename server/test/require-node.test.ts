import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const NEEDED = '^24.18.1 || >=26.5.1'

const folder = mkdtempSync(join(tmpdir(), 'postern-engines-'))
after(() => rmSync(folder, { recursive: true }))
cpSync(join(root, 'require-node.js'), join(folder, 'require-node.js'))

/** Loads `require-node.js` beside a package.json with this range, before a file that no Node can read. */
function startWith(range: string, about: object = { private: true }) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...about, type: 'module', engines: { node: range } }))
  writeFileSync(join(folder, 'main.xyz'), 'loaded')
  return spawnSync(process.execPath, ['--import', './require-node.js', 'main.xyz'], { cwd: folder, encoding: 'utf8' })
}

const [major, minor, patch] = process.versions.node.split('.').map(Number) as [number, number, number]

for (const range of [
  `^${major}.${minor}.${patch + 1}`,
  `^${major}.${minor + 1}.0`,
  `>=${major + 1}.0.0`,
  `^${major - 1}.0.0`,
  `^${major + 1}.0.0`,
])
  test(`a Node that is not in ${range} exits with one line that says what is needed and how to get it`, () => {
    const { status, stderr } = startWith(range)
    assert.equal(
      stderr,
      `Postern needs Node ${range}, and this is ${process.versions.node}: \`npm install\` brings one for \`npm start\`, and https://nodejs.org has one for the whole machine.\n`,
    )
    assert.equal(status, 1)
  })

test('the packed package does not name the Node of the repository', () => {
  const { stderr } = startWith('>=99.0.0', {})
  assert.equal(stderr, `Postern needs Node >=99.0.0, and this is ${process.versions.node}: https://nodejs.org has one.\n`)
})

for (const range of [`^${major}.${minor}.${patch}`, `^${major}.0.99`, `>=${major - 1}.99.99`, `^${major - 2}.99.0 || >=${major}.0.0`])
  test(`a Node in ${range} is accepted`, () => {
    assert.match(startWith(range).stderr, /main\.xyz/)
  })

test('npm run build in a clone that was never installed says to install it, and where', () => {
  mkdirSync(join(folder, 'clone/scripts'), { recursive: true })
  for (const path of ['package.json', 'require-node.js', 'scripts/build.ts']) cpSync(join(root, path), join(folder, 'clone', path))
  const { build } = JSON.parse(read('package.json')).scripts as { build: string }
  const words = build.replace('exec node ', '').split(' ')
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: join(folder, 'clone'), encoding: 'utf8' })
  const clone = realpathSync(join(folder, 'clone'))
  assert.deepEqual([status, stderr], [1, `The packages that the build needs are missing: run \`npm install\` in ${clone} first.\n`])
})

for (const path of ['package.json', 'server/package.json', 'postern/package.json', 'bench/package.json'])
  test(`${path} names the required Node version`, () => {
    assert.equal(JSON.parse(read(path)).engines.node, NEEDED)
  })

for (const path of ['README.md', 'docs/install.md'])
  test(`${path} names the required Node version`, () => {
    for (const version of ['24.18.1', '26.5.1']) assert.ok(read(path).includes(version), version)
  })

test('what is loaded before the sources takes nothing by name that an older Node does not export: it would say that instead', () => {
  const known = new Set(['setFlagsFromString', 'readFileSync', 'dirname', 'join', 'fileURLToPath'])
  for (const file of ['require-node.js', 'resolve-sources.js', 'server/src/main.js', 'postern/src/cli/main.js'])
    for (const [, names] of read(file).matchAll(/^import \{([^}]*)\} from 'node:/gm))
      for (const name of names!.split(',')) assert.ok(known.has(name.trim()), `${file}: ${name}`)
})
